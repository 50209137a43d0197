// Metadata with a mask. glsegment attach-mask=true attaches the mask that it composites each frame with, and glpose
// attach-mask=true the mask of the people in it, glinfer attach-mask=true that of all objects in it. glsegment
// mask-source=meta composites with it. For C and C++; needs only GStreamer, and no library of ours at link time: the
// plugin registers the type when its element class is created.
//
//   SightglassMaskMeta* meta = sightglass_buffer_get_mask_meta(buffer);
//   if (meta != NULL) …  // gst_video_frame_map() of meta->mask: as a texture with GST_MAP_GL, or as bytes
#ifndef SIGHTGLASS_MASK_META_H
#define SIGHTGLASS_MASK_META_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define SIGHTGLASS_MASK_META_API_NAME "SightglassMaskMetaAPI"

// `mask` is the model output at the model's resolution: one GstGLMemory, 2D, GRAY8, with GstVideoMeta and
// GstGLSyncMeta. Values are 255 times the probability that the pixel is foreground. Do not write to it.
//
// The mask is upright like the frame and covers a rectangle of it. (x,y) is its top left corner in fractions of the
// frame width and height, where (0,0) is the top left corner of the frame and (1,1) the bottom right one. The rectangle
// is the whole frame, except with fit=letterbox: then the mask has letterbox bars outside of the frame, so x or y is
// negative, and width or height is above 1.
//
// The mask is drawn by the GL commands of its frame and stays on the GPU: only mapping it for CPU access costs a
// readback. The meta owns a reference, which copies share. Copies and scaling keep the meta; parts of buffers lose it.
typedef struct {
  GstMeta meta;
  GstBuffer* mask;
  gfloat x, y, width, height;
} SightglassMaskMeta;

// NULL if the buffer has none. The buffer owns it.
static inline SightglassMaskMeta* sightglass_buffer_get_mask_meta(GstBuffer* buffer) {
  const GType api = g_type_from_name(SIGHTGLASS_MASK_META_API_NAME);
  return api != 0 ? (SightglassMaskMeta*)gst_buffer_get_meta(buffer, api) : NULL;  // NOLINT(modernize-use-nullptr): C
}

G_END_DECLS

#endif
