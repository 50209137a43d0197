// What glinfer attach-tensors=true attaches to each of its buffers: the model's outputs, as the GPU has them. C and
// C++; needs GStreamer alone, and no library of ours at link time: the plug-in registers the type when its element's
// class is made.
//
//   gpointer state = NULL;
//   SightglassTensorMeta* meta;
//   while ((meta = sightglass_buffer_iterate_tensor_meta(buffer, &state)) != NULL)
//     for (guint i = 0; i < meta->tensors_count; ++i) …  // gst_memory_map(meta->tensors[i].memory, &info,
//     GST_MAP_READ)
//
// Nothing is read back until somebody maps a tensor for the CPU, who waits for the GPU then.
#ifndef SIGHTGLASS_TENSOR_META_H
#define SIGHTGLASS_TENSOR_META_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define SIGHTGLASS_TENSOR_META_API_NAME "SightglassTensorMetaAPI"
#define SIGHTGLASS_TENSOR_MAX_RANK 8

// `memory` is a GstGLBuffer (gst/gl/gstglbuffer.h) of 32-bit floats, dense, row-major: as many as the product of
// `dims`. Whatever type the model's output has, these are the numbers that it stands for: quantised ones are real
// numbers, integers and booleans floats. gst_memory_map() gives them to the CPU with GST_MAP_READ, and the name of the
// GL buffer (a guint) with GST_MAP_READ | GST_MAP_GL on the GL thread; shaders bind it as a storage block. Another GL
// context first waits for the GstGLSyncMeta of the buffer that carries the meta. It must not be written to.
typedef struct {
  const gchar* name;  // as the model's file has it
  guint rank;         // of `dims`, outermost first; 0: one number
  guint dims[SIGHTGLASS_TENSOR_MAX_RANK];
  GstMemory* memory;
} SightglassTensor;

// Copies of the meta share the tensors; whoever keeps one longer than the buffer takes a reference to its memory, which
// is not written again while somebody holds it. Copies of the whole buffer, scaling and turning keep the meta: it says
// what was found in the picture that the element saw. A buffer has one for each element that attaches them.
typedef struct {
  GstMeta meta;
  const gchar* model;  // its name, for people
  guint tensors_count;
  const SightglassTensor* tensors;  // in the order of the model's outputs
  gpointer owner;                   // of the plug-in
} SightglassTensorMeta;

// The next one; NULL when there is no more. `state` begins as NULL. The buffer keeps it.
static inline SightglassTensorMeta* sightglass_buffer_iterate_tensor_meta(GstBuffer* buffer, gpointer* state) {
  const GType api = g_type_from_name(SIGHTGLASS_TENSOR_META_API_NAME);
  return api != 0 ? (SightglassTensorMeta*)gst_buffer_iterate_meta_filtered(buffer, state, api)
                  : NULL;  // NOLINT(modernize-use-nullptr): C
}

G_END_DECLS

#endif
