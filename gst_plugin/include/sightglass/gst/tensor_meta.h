// Metadata that glinfer attach-tensors=true attaches to each of its buffers: the model outputs, on the GPU. For C and
// C++; needs only GStreamer, and no library of ours at link time: the plugin registers the type when its element class
// is created.
//
//   gpointer state = NULL;
//   SightglassTensorMeta* meta;
//   while ((meta = sightglass_buffer_iterate_tensor_meta(buffer, &state)) != NULL)
//     for (guint i = 0; i < meta->tensors_count; ++i) …  // map meta->tensors[i].memory with GST_MAP_READ
//
// A tensor is read back only when it is mapped for CPU access; the caller then waits for the GPU.
#ifndef SIGHTGLASS_TENSOR_META_H
#define SIGHTGLASS_TENSOR_META_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define SIGHTGLASS_TENSOR_META_API_NAME "SightglassTensorMetaAPI"
#define SIGHTGLASS_TENSOR_MAX_RANK 8

// `memory` is a GstGLBuffer (gst/gl/gstglbuffer.h) of 32-bit floats, tightly packed, row-major: as many as the product
// of `dims`. Values of all output types are converted: quantized values are dequantized, integers and booleans become
// floats. gst_memory_map() with GST_MAP_READ maps the values for the CPU. With GST_MAP_READ | GST_MAP_GL on the GL
// thread, it returns the name of the GL buffer (a guint), which shaders bind as a storage block. Other GL contexts must
// first wait for the GstGLSyncMeta of the buffer that carries the meta. Do not write to it.
typedef struct {
  const gchar* name;  // from the model file
  guint rank;         // number of `dims`, outermost first; 0: a scalar
  guint dims[SIGHTGLASS_TENSOR_MAX_RANK];
  GstMemory* memory;
} SightglassTensor;

// Copies of the meta share the tensors. To keep a tensor longer than the buffer, take a reference to its memory, which
// is not overwritten while referenced. Copies of the whole buffer, scaling and rotation keep the meta: it describes the
// frame that the element processed. A buffer has one meta per element that attaches tensors.
typedef struct {
  GstMeta meta;
  const gchar* model;  // display name
  guint tensors_count;
  const SightglassTensor* tensors;  // in the order of the model outputs
  gpointer owner;                   // private to the plugin
} SightglassTensorMeta;

// Returns the next meta, owned by the buffer; NULL after the last one. `state` must be NULL at first.
static inline SightglassTensorMeta* sightglass_buffer_iterate_tensor_meta(GstBuffer* buffer, gpointer* state) {
  const GType api = g_type_from_name(SIGHTGLASS_TENSOR_META_API_NAME);
  return api != 0 ? (SightglassTensorMeta*)gst_buffer_iterate_meta_filtered(buffer, state, api)
                  : NULL;  // NOLINT(modernize-use-nullptr): C
}

G_END_DECLS

#endif
