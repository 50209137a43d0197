// Ground truth that glfiguresrc attaches to each buffer. For C and C++. Needs only GStreamer, and no Sightglass library
// at link time: the plugin registers the type when the class of its element is initialized.
//
//   SightglassFigureMeta* meta = sightglass_buffer_get_figure_meta(buffer);
//   if (meta != NULL && meta->key_points[0].visibility == 2) …  // the nose is visible
#ifndef SIGHTGLASS_FIGURE_META_H
#define SIGHTGLASS_FIGURE_META_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define SIGHTGLASS_FIGURE_META_API_NAME "SightglassFigureMetaAPI"
#define SIGHTGLASS_FIGURE_KEY_POINTS 17

// Visibility as in the COCO dataset: 0 outside the frame, 1 inside but hidden, 2 visible.
typedef struct {
  gfloat x, y;  // (0,0) is the top left corner of the frame, (1,1) the bottom right; outside [0,1] if outside the frame
  guint visibility;
} SightglassKeyPoint;

// `key_points` are in COCO order: nose, eyes, ears, shoulders, elbows, wrists, hips, knees, ankles; of each pair, the
// left one of the figure first. `mask` covers the whole frame, whatever its size: one GstGLMemory, 2D, GRAY8, with
// GstVideoMeta; 255 for pixels that the figure fills, 0 for pixels without it. The same GL commands draw frame and
// mask: after waiting for the GstGLSyncMeta of the frame, you may read the mask. Do not write to it. The meta owns a
// reference, which copies share. Copying and scaling keep the meta; buffers with a part of the frame lose it.
typedef struct {
  GstMeta meta;
  GstBuffer* mask;
  guint seed;
  guint64 frame;      // since the start of the stream
  GstClockTime time;  // of the animation
  SightglassKeyPoint key_points[SIGHTGLASS_FIGURE_KEY_POINTS];
} SightglassFigureMeta;

// NULL if the buffer has none. The buffer owns it.
static inline SightglassFigureMeta* sightglass_buffer_get_figure_meta(GstBuffer* buffer) {
  const GType api = g_type_from_name(SIGHTGLASS_FIGURE_META_API_NAME);
  return api != 0 ? (SightglassFigureMeta*)gst_buffer_get_meta(buffer, api) : NULL;  // NOLINT(modernize-use-nullptr): C
}

G_END_DECLS

#endif
