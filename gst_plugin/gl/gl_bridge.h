// Between GStreamer's GL objects and the engine's: contexts, textures, buffer pools.
#pragma once

#include <gst/base/gstbasetransform.h>
#include <gst/gl/gl.h>

#include "gpu_engine/gl_api.h"
#include "gpu_engine/status.h"
#include "gpu_engine/texture_ref.h"

namespace sightglass {

// Resolves GL entry points of `context`, which must outlive the result.
GlApi::GetProcAddress proc_address_of(GstGLContext* context);

// Fills the table for `context`, current on this thread. Fails naming the version found and the one needed.
Result<GlApi> load_gl_api(GstGLContext* context);

// Whether `context`, current on this thread, draws on the CPU.
bool renders_in_software(GstGLContext* context);

// Whether shaders of `context` can sample external textures.
bool samples_external_textures(GstGLContext* context);

// Ok where `memory` is a texture that can be used in `context`; otherwise the reason why not.
Status check_gl_memory(GstMemory* memory, GstGLContext* context);

// A GL mapping of an RGBA video buffer. On the GL thread it costs nothing where the texture is up to date already.
class MappedTexture {
 public:
  MappedTexture(GstBuffer* buffer, const GstVideoInfo& info, GstMapFlags access);
  ~MappedTexture();
  MappedTexture(const MappedTexture&) = delete;
  MappedTexture& operator=(const MappedTexture&) = delete;

  bool ok() const { return mapped_; }
  TextureRef texture() const;

 private:
  GstVideoFrame frame_;
  bool mapped_;
};

// A GL mapping for writing of a buffer that make_mask_pool()'s pool gave; on the GL thread.
class MappedMask {
 public:
  explicit MappedMask(GstBuffer* buffer);
  ~MappedMask();
  MappedMask(const MappedMask&) = delete;
  MappedMask& operator=(const MappedMask&) = delete;

  bool ok() const { return mapped_; }
  GLuint texture() const;

 private:
  GstBuffer* buffer_;
  GstMapInfo map_;
  bool mapped_;
};

// Waits, on the GPU where that is possible, for whoever made the buffer's content. On the GL thread.
void wait_for_buffer(GstBuffer* buffer, GstGLContext* context);
// Marks the buffer's content as made by what has been issued to `context` so far. On the GL thread.
void signal_buffer(GstBuffer* buffer, GstGLContext* context);

// Answers an allocation query from upstream with a pool of textures of ours, and with the metadata that frames may
// have.
bool propose_gl_allocation(GstGLContext* context, GstQuery* query, bool need_pool);
// Marks a GL pool of ours that upstream elements draw into instead of a pool of their own. A mark is for everybody in
// the process: a type would be known only to the plugin that registers it.
void mark_lent_pool(GstBufferPool* pool);
// Makes sure that the first pool of the query provides textures of `context`, with GstGLSyncMeta: the pool that
// downstream offers if it is marked so and `context` can draw into it, otherwise a new one.
bool decide_gl_allocation(GstGLContext* context, GstQuery* query);

// An inactive pool of GRAY8 textures of the picture's size; null when there can be none.
GstBufferPool* make_mask_pool(GstGLContext* context, const GstVideoInfo& picture);

}  // namespace sightglass
