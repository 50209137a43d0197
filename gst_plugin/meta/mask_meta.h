// What glsegment attach-mask=true attaches to each of its buffers: the mask that the picture was composed with; with
// glpose, the mask of the persons in it. glsegment mask-source=meta composes with it. C and C++; needs GStreamer alone,
// and no library of ours at link time: the plug-in registers the type when its element's class is made.
//
//   SightglassMaskMeta* meta = sightglass_buffer_get_mask_meta(buffer);
//   if (meta != NULL) …  // gst_video_frame_map() of meta->mask: as a texture with GST_MAP_GL, or as bytes
#ifndef SIGHTGLASS_MASK_META_H
#define SIGHTGLASS_MASK_META_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define SIGHTGLASS_MASK_META_API_NAME "SightglassMaskMetaAPI"

// `mask` is what the model says, at the model's own size: one GstGLMemory, 2D, GRAY8, with GstVideoMeta and
// GstGLSyncMeta; 255 times the probability that the pixel is foreground. It is upright as the picture is, and covers a
// rectangle of it: (x,y) is its top left corner, in fractions of the picture's width and height, (0,0) being the
// picture's own and (1,1) its bottom right one. The rectangle is the picture, but for fit=letterbox, whose mask has
// bars outside of the picture: x or y is negative, and width or height above 1, then. The mask has been drawn by the
// picture's own GL commands, and stays on the GPU: whoever maps it for the CPU pays for that. It must not be written
// to. The meta owns a reference and copies share it. Copies and scaling keep the meta; parts of buffers lose it.
typedef struct {
  GstMeta meta;
  GstBuffer* mask;
  gfloat x, y, width, height;
} SightglassMaskMeta;

// NULL when the buffer has none. The buffer keeps it.
static inline SightglassMaskMeta* sightglass_buffer_get_mask_meta(GstBuffer* buffer) {
  const GType api = g_type_from_name(SIGHTGLASS_MASK_META_API_NAME);
  return api != 0 ? (SightglassMaskMeta*)gst_buffer_get_meta(buffer, api) : NULL;  // NOLINT(modernize-use-nullptr): C
}

G_END_DECLS

#endif
