// Metadata with the results of a model, which glpose and glinfer with results=meta (or both) attach to their buffers.
// For C and C++; needs only GStreamer, and no library of ours at link time: the plugin registers the type when an
// element class is created.
//
//   gpointer state = NULL;
//   SightglassResultsMeta* meta;
//   while ((meta = sightglass_buffer_iterate_results_meta(buffer, &state)) != NULL)
//     for (guint i = 0; i < meta->results->objects_count; ++i) …  // meta->results->objects[i].label
//
// Reading results never waits for the GPU. With results-sync=latest, a buffer carries the results of an earlier frame,
// usually the previous one; the meta has the times of that frame. If no new results have arrived, it carries none; if
// the GPU was behind, those of several frames, oldest first. The first buffer has none. With results-sync=exact, a
// buffer is held until its own results arrive, and carries those.
//
// Results that no buffer will carry, such as those of the last frame with results-sync=latest, are sent as a serialized
// event, before EOS, new caps, or anything else that drains the element:
//
//   GstBuffer* carrier = sightglass_event_get_results(event);
//   if (carrier != NULL) …  // read like any other buffer
#ifndef SIGHTGLASS_RESULTS_META_H
#define SIGHTGLASS_RESULTS_META_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define SIGHTGLASS_RESULTS_META_API_NAME "SightglassResultsMetaAPI"
#define SIGHTGLASS_RESULTS_EVENT_NAME "sightglass-results"

// Coordinates are fractions of the upright frame: (0,0) is its top left corner, (1,1) the opposite one; they may be
// outside. Scaling the frame does not change them.
typedef struct {
  const gchar* name;  // "left_elbow"; NULL: none
  gfloat x, y;
  gfloat z;           // depth in fractions of the frame width, negative towards the camera; 0 if the model has none
  gfloat visibility;  // in [0,1]: probability that it is visible and not occluded
  gfloat presence;    // in [0,1]: probability that it is in the frame
  gfloat world_x, world_y, world_z;  // meters from the center of the hips; 0 if the model has none
} SightglassResultPoint;

// Classification of the whole frame, or of an object.
typedef struct {
  const gchar* label;  // NULL: the model has no labels
  gint label_id;
  gfloat confidence;  // in [0,1]
} SightglassClassification;

typedef struct {
  const gchar* label;          // NULL: the model has no labels
  gint label_id;               // class index, from 0; -1: the model has no classes
  gfloat confidence;           // in [0,1]
  gfloat x, y, width, height;  // of the box; x and y are its top left corner
  gfloat rotation;  // radians, clockwise from upright. Rotated boxes (YOLO OBB) are the box above, rotated by
                    // this around its center in frame pixels; other boxes enclose what is rotated
  guint id;         // track ID, constant while the object is tracked; 0: untracked
  guint points_count;
  const SightglassResultPoint* points;
} SightglassResultObject;

// Classifications of an object: the blendshapes of a face, in the order of label_id, or the classes of a second model,
// best first. Usually none.
typedef struct {
  guint classifications_count;
  const SightglassClassification* classifications;
} SightglassObjectClasses;

// Numbers that describe an object, as a second model outputs them. Usually none.
typedef struct {
  guint values_count;
  const gfloat* values;
} SightglassObjectVector;

typedef struct {
  const gchar* model;  // display name
  // Of the frame that the results describe; GST_CLOCK_TIME_NONE if unknown.
  GstClockTime timestamp, stream_time, running_time;
  guint64 frame;        // its number, counted by the element since it started
  guint width, height;  // its upright size in pixels
  guint objects_count;
  const SightglassResultObject* objects;
  guint classifications_count;
  const SightglassClassification* classifications;  // of the frame, best first
  const SightglassObjectClasses* objects_classes;   // by object: objects_count entries
  const SightglassObjectVector* objects_vectors;    // the same
} SightglassResults;

// Do not write to `results`; they live as long as the meta, and copies of the meta share them. Copies and scaling keep
// the meta; parts of buffers and rotated frames lose it. A buffer has one meta per element and frame.
typedef struct {
  GstMeta meta;
  const SightglassResults* results;
  gpointer owner;  // private to the plugin
} SightglassResultsMeta;

// Returns the next meta, owned by the buffer; NULL after the last one. `state` must be NULL at first.
static inline SightglassResultsMeta* sightglass_buffer_iterate_results_meta(GstBuffer* buffer, gpointer* state) {
  const GType api = g_type_from_name(SIGHTGLASS_RESULTS_META_API_NAME);
  return api != 0 ? (SightglassResultsMeta*)gst_buffer_iterate_meta_filtered(buffer, state, api)
                  : NULL;  // NOLINT(modernize-use-nullptr): C
}

// Returns the buffer that carries the results of such an event, without memory and flagged as a gap; NULL for any other
// event. The event owns it.
static inline GstBuffer* sightglass_event_get_results(GstEvent* event) {
  const GstStructure* structure = gst_event_get_structure(event);
  const GValue* value = structure != NULL && gst_structure_has_name(structure, SIGHTGLASS_RESULTS_EVENT_NAME)
                            ? gst_structure_get_value(structure, "buffer")
                            : NULL;                           // NOLINT(modernize-use-nullptr): C
  return value != NULL ? gst_value_get_buffer(value) : NULL;  // NOLINT(modernize-use-nullptr): C
}

G_END_DECLS

#endif
