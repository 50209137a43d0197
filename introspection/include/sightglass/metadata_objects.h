/*
 * The metadata of Sightglass elements as objects for languages with GObject introspection, such as Python:
 *
 *   results = Sightglass.results_meta_get(buffer)
 *   if results is not None:
 *       for person in results.get_objects():
 *           print(person.id, person.confidence, [(point.name, point.x, point.y) for point in person.get_points()])
 *
 * Programs in C and C++ read the metadata directly (results_meta.h, mask_meta.h, figure_meta.h) and need no library.
 *
 * Objects are copies: they stay valid after the buffer was released, and do not keep it. Any thread can use them.
 */
#ifndef SIGHTGLASS_METADATA_OBJECTS_H
#define SIGHTGLASS_METADATA_OBJECTS_H

#include <gst/gst.h>

#if defined(__GNUC__)
#define SIGHTGLASS_METADATA_API __attribute__((visibility("default")))
#else
#define SIGHTGLASS_METADATA_API
#endif

G_BEGIN_DECLS

/**
 * SightglassPoint:
 * @name: (nullable): name such as "left_elbow"
 * @x: position as a fraction of the frame width, from the left
 * @y: position as a fraction of the frame height, from the top
 * @z: depth as a fraction of the frame width, negative towards the camera; 0 if the model has none
 * @visibility: probability that it is visible and not occluded; of rendered figures 0, 0.5 if hidden, or 1
 * @presence: probability that it is in the frame
 * @world_x: meters to the right of the center of the hips; 0 if the model has none
 * @world_y: meters below the center of the hips
 * @world_z: meters behind the center of the hips
 *
 * A keypoint of an object.
 */
typedef struct {
  const gchar* name;
  gfloat x, y, z;
  gfloat visibility, presence;
  gfloat world_x, world_y, world_z;
} SightglassPoint;

SIGHTGLASS_METADATA_API GType sightglass_point_get_type(void);

/**
 * SightglassObject:
 * @label: (nullable): name of the class
 * @label_id: index of the class; -1 if the model has no classes
 * @confidence: score in [0,1]
 * @x: left edge of the box as a fraction of the frame width
 * @y: top edge of the box as a fraction of the frame height
 * @width: width of the box as a fraction of the frame width
 * @height: height of the box as a fraction of the frame height
 * @rotation: radians, clockwise from upright; rotated boxes are the box above, rotated around its center in frame
 * pixels
 * @id: track ID, constant while the object is tracked; 0 if untracked
 *
 * A detected object, such as a person.
 */
typedef struct {
  const gchar* label;
  gint label_id;
  gfloat confidence;
  gfloat x, y, width, height;
  gfloat rotation;
  guint id;
  /*< private >*/
  gpointer points, classes;
} SightglassObject;

SIGHTGLASS_METADATA_API GType sightglass_object_get_type(void);

/**
 * sightglass_object_get_points:
 * @object: an object
 *
 * Returns: (transfer none) (element-type SightglassPoint): its keypoints, in the order of the model
 */
SIGHTGLASS_METADATA_API GPtrArray* sightglass_object_get_points(const SightglassObject* object);

/**
 * sightglass_object_get_classes:
 * @object: an object
 *
 * Returns: (transfer none) (element-type SightglassClass): its own classes, by index: the blendshapes of a face; empty
 *   if the model has none
 */
SIGHTGLASS_METADATA_API GPtrArray* sightglass_object_get_classes(const SightglassObject* object);

/**
 * SightglassClass:
 * @label: (nullable): name of the class
 * @label_id: index of the class
 * @confidence: score in [0,1]
 *
 * A class of the whole frame, or of an object.
 */
typedef struct {
  const gchar* label;
  gint label_id;
  gfloat confidence;
} SightglassClass;

SIGHTGLASS_METADATA_API GType sightglass_class_get_type(void);

/**
 * SightglassFrameResults:
 * @model: display name of the model
 * @timestamp: PTS of the frame that the results describe; -1 if unknown
 * @stream_time: its stream time; -1 if unknown
 * @running_time: its running time; -1 if unknown
 * @frame: its number, counted by the element since it started
 * @width: its upright width in pixels
 * @height: its upright height in pixels
 *
 * The results of a model for one frame.
 */
typedef struct {
  const gchar* model;
  gint64 timestamp, stream_time, running_time;
  guint64 frame;
  guint width, height;
  /*< private >*/
  gpointer objects, classes;
} SightglassFrameResults;

SIGHTGLASS_METADATA_API GType sightglass_frame_results_get_type(void);

/**
 * sightglass_frame_results_get_objects:
 * @results: results
 *
 * Returns: (transfer none) (element-type SightglassObject): the detected objects
 */
SIGHTGLASS_METADATA_API GPtrArray* sightglass_frame_results_get_objects(const SightglassFrameResults* results);

/**
 * sightglass_frame_results_get_classes:
 * @results: results
 *
 * Returns: (transfer none) (element-type SightglassClass): the classes of the whole frame, best first
 */
SIGHTGLASS_METADATA_API GPtrArray* sightglass_frame_results_get_classes(const SightglassFrameResults* results);

/**
 * sightglass_results_meta_get:
 * @buffer: a buffer downstream of glpose or glinfer with results=meta
 *
 * Returns: (transfer full) (nullable): the first results of the buffer; NULL if it has none
 */
SIGHTGLASS_METADATA_API SightglassFrameResults* sightglass_results_meta_get(GstBuffer* buffer);

/**
 * sightglass_results_meta_get_all:
 * @buffer: a buffer downstream of glpose or glinfer with results=meta
 *
 * Returns: (transfer container) (element-type SightglassFrameResults): the results of the buffer, oldest first. There
 * are several if several elements attached some, or if the GPU was behind
 */
SIGHTGLASS_METADATA_API GPtrArray* sightglass_results_meta_get_all(GstBuffer* buffer);

/**
 * sightglass_results_event_get_buffer:
 * @event: an event downstream of glpose or glinfer
 *
 * Results that no buffer will carry, such as those of the last frame, are sent as an event.
 *
 * Returns: (transfer none) (nullable): the buffer with the results; NULL for any other event
 */
SIGHTGLASS_METADATA_API GstBuffer* sightglass_results_event_get_buffer(GstEvent* event);

/**
 * SightglassMask:
 * @x: left edge of the mask as a fraction of the frame width; negative if the mask has letterbox bars
 * @y: top edge of the mask as a fraction of the frame height
 * @width: width of the mask as a fraction of the frame width
 * @height: height of the mask as a fraction of the frame height
 *
 * The mask of a frame.
 */
typedef struct {
  gfloat x, y, width, height;
  /*< private >*/
  gpointer buffer;
} SightglassMask;

SIGHTGLASS_METADATA_API GType sightglass_mask_get_type(void);

/**
 * sightglass_mask_get_buffer:
 * @mask: a mask
 *
 * Returns: (transfer none): a buffer with GstVideoMeta, GRAY8: 255 times the probability of foreground. Mapping it for
 *   CPU access reads it back from the GPU. Do not write to it
 */
SIGHTGLASS_METADATA_API GstBuffer* sightglass_mask_get_buffer(const SightglassMask* mask);

/**
 * sightglass_mask_meta_get:
 * @buffer: a buffer downstream of glsegment, glpose or glinfer with attach-mask=true
 *
 * Returns: (transfer full) (nullable): the mask of the buffer; NULL if it has none
 */
SIGHTGLASS_METADATA_API SightglassMask* sightglass_mask_meta_get(GstBuffer* buffer);

/**
 * SightglassFigure:
 * @seed: seed of the figure
 * @frame: number of the frame since the start of the stream
 * @time: time of the animation in nanoseconds
 *
 * Ground truth of a frame of glfiguresrc.
 */
typedef struct {
  guint seed;
  guint64 frame, time;
  /*< private >*/
  gpointer buffer, points;
} SightglassFigure;

SIGHTGLASS_METADATA_API GType sightglass_figure_get_type(void);

/**
 * sightglass_figure_get_mask:
 * @figure: ground truth
 *
 * Returns: (transfer none) (nullable): the mask of the figure, GRAY8
 */
SIGHTGLASS_METADATA_API GstBuffer* sightglass_figure_get_mask(const SightglassFigure* figure);

/**
 * sightglass_figure_get_points:
 * @figure: ground truth
 *
 * Returns: (transfer none) (element-type SightglassPoint): the keypoints, in the order of the COCO dataset
 */
SIGHTGLASS_METADATA_API GPtrArray* sightglass_figure_get_points(const SightglassFigure* figure);

/**
 * sightglass_figure_meta_get:
 * @buffer: a buffer of glfiguresrc
 *
 * Returns: (transfer full) (nullable): the ground truth of the buffer; NULL if it has none
 */
SIGHTGLASS_METADATA_API SightglassFigure* sightglass_figure_meta_get(GstBuffer* buffer);

G_END_DECLS

#endif /* SIGHTGLASS_METADATA_OBJECTS_H */
