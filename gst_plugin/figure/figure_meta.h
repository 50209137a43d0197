// What glfiguresrc attaches to each of its buffers: the truth about the picture. C and C++; needs GStreamer alone, and
// no library of ours at link time: the plug-in registers the type when its element's class is made.
//
//   SightglassFigureMeta* meta = sightglass_buffer_get_figure_meta(buffer);
//   if (meta != NULL && meta->key_points[0].visibility == 2) …  // the nose is seen
#ifndef SIGHTGLASS_FIGURE_META_H
#define SIGHTGLASS_FIGURE_META_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define SIGHTGLASS_FIGURE_META_API_NAME "SightglassFigureMetaAPI"
#define SIGHTGLASS_FIGURE_KEY_POINTS 17

// Of COCO's data set: 0 outside of the picture, 1 inside but hidden, 2 visible.
typedef struct {
  gfloat x, y;  // (0,0) the picture's top left corner, (1,1) its bottom right one; outside of these when not in it
  guint visibility;
} SightglassKeyPoint;

// `key_points` are in COCO's order: nose, eyes, ears, shoulders, elbows, wrists, hips, knees, ankles, of each pair the
// figure's left one first. `mask` covers the whole picture, whatever its own size: one GstGLMemory, 2D, GRAY8, with
// GstVideoMeta; 255 where the figure fills the pixel, 0 where it is not. It was drawn by the picture's own GL commands:
// whoever waits for the picture's GstGLSyncMeta may read it. It must not be written to. The meta owns a reference and
// copies share it. Copies and scaling keep the meta; parts of buffers lose it.
typedef struct {
  GstMeta meta;
  GstBuffer* mask;
  guint seed;
  guint64 frame;      // since the stream's beginning
  GstClockTime time;  // of the animation
  SightglassKeyPoint key_points[SIGHTGLASS_FIGURE_KEY_POINTS];
} SightglassFigureMeta;

// NULL when the buffer has none. The buffer keeps it.
static inline SightglassFigureMeta* sightglass_buffer_get_figure_meta(GstBuffer* buffer) {
  const GType api = g_type_from_name(SIGHTGLASS_FIGURE_META_API_NAME);
  return api != 0 ? (SightglassFigureMeta*)gst_buffer_get_meta(buffer, api) : NULL;  // NOLINT(modernize-use-nullptr): C
}

G_END_DECLS

#endif
