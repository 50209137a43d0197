// What a model has found, as glpose and glinfer with results=meta (or both) attach it to their buffers. C and C++;
// needs GStreamer alone, and no library of ours at link time: the plug-in registers the type when an element's class is
// made.
//
//   gpointer state = NULL;
//   SightglassResultsMeta* meta;
//   while ((meta = sightglass_buffer_iterate_results_meta(buffer, &state)) != NULL)
//     for (guint i = 0; i < meta->results->objects_count; ++i) …  // meta->results->objects[i].label
//
// Nobody waits for the GPU. With results-sync=latest a buffer carries what was found in an earlier frame, mostly the
// one before, whose times are in here; nothing where no new results have arrived, and several frames' where the GPU was
// behind, the oldest first. The first buffer has none. With results-sync=exact a buffer is held until its own results
// are there, and carries these.
//
// What no buffer will carry, such as the last frame's results with results-sync=latest, comes as a serialised event,
// before the end of the stream, other caps or whatever else drains the element:
//
//   GstBuffer* carrier = sightglass_event_get_results(event);
//   if (carrier != NULL) …  // read as any buffer's
#ifndef SIGHTGLASS_RESULTS_META_H
#define SIGHTGLASS_RESULTS_META_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define SIGHTGLASS_RESULTS_META_API_NAME "SightglassResultsMetaAPI"
#define SIGHTGLASS_RESULTS_EVENT_NAME "sightglass-results"

// Places are fractions of the upright picture: (0,0) is its top left corner, (1,1) the opposite one; they may lie
// outside. Scaling the picture changes nothing about them.
typedef struct {
  const gchar* name;  // "left_elbow"; NULL: has none
  gfloat x, y;
  gfloat z;  // depth in fractions of the picture's width, negative towards the camera; 0 without a model's word
  gfloat visibility;                 // in [0,1]: how likely it is to be seen, and not hidden
  gfloat presence;                   // in [0,1]: how likely it lies in the picture
  gfloat world_x, world_y, world_z;  // metres from the middle of the hips; 0 where the model has none
} SightglassResultPoint;

typedef struct {
  const gchar* label;          // NULL: the model has no names
  gint label_id;               // number of the class, from 0; -1: the model has no classes
  gfloat confidence;           // in [0,1]
  gfloat x, y, width, height;  // of the box; x and y are its top left corner
  gfloat rotation;             // radians, clockwise, from upright
  guint id;                    // the same from frame to frame while the object is followed; 0: is not followed
  guint points_count;
  const SightglassResultPoint* points;
} SightglassResultObject;

// Of the whole picture.
typedef struct {
  const gchar* label;  // NULL: the model has no names
  gint label_id;
  gfloat confidence;  // in [0,1]
} SightglassClassification;

typedef struct {
  const gchar* model;  // its name, for people
  // Of the frame that this was found in; GST_CLOCK_TIME_NONE where unknown.
  GstClockTime timestamp, stream_time, running_time;
  guint64 frame;        // number of it, counted by the element since it started
  guint width, height;  // of it, upright, in pixels
  guint objects_count;
  const SightglassResultObject* objects;
  guint classifications_count;
  const SightglassClassification* classifications;  // best first
} SightglassResults;

// `results` must not be written to; it lives as long as the meta, and copies of the meta share it. Copies and scaling
// keep the meta; parts of buffers, and pictures that are turned, lose it. A buffer has one for each element and frame.
typedef struct {
  GstMeta meta;
  const SightglassResults* results;
  gpointer owner;  // of the plug-in
} SightglassResultsMeta;

// The next one; NULL when there is no more. `state` begins as NULL. The buffer keeps it.
static inline SightglassResultsMeta* sightglass_buffer_iterate_results_meta(GstBuffer* buffer, gpointer* state) {
  const GType api = g_type_from_name(SIGHTGLASS_RESULTS_META_API_NAME);
  return api != 0 ? (SightglassResultsMeta*)gst_buffer_iterate_meta_filtered(buffer, state, api)
                  : NULL;  // NOLINT(modernize-use-nullptr): C
}

// The buffer without memory, flagged as a gap, that carries the results of such an event; NULL for any other event. The
// event keeps it.
static inline GstBuffer* sightglass_event_get_results(GstEvent* event) {
  const GstStructure* structure = gst_event_get_structure(event);
  const GValue* value = structure != NULL && gst_structure_has_name(structure, SIGHTGLASS_RESULTS_EVENT_NAME)
                            ? gst_structure_get_value(structure, "buffer")
                            : NULL;                           // NOLINT(modernize-use-nullptr): C
  return value != NULL ? gst_value_get_buffer(value) : NULL;  // NOLINT(modernize-use-nullptr): C
}

G_END_DECLS

#endif
