// Bridges GStreamer GL objects and the engine: contexts, textures, buffer pools.
#pragma once

#include <gst/base/gstbasetransform.h>
#include <gst/gl/gl.h>

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "gobject/log.h"
#include "gpu_engine/build_programs.h"
#include "sightglass/gl_api.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"
#include "sightglass/texture_ref.h"

namespace sightglass {

// Calls functions on the GL thread of a GStreamer context.
struct ContextUnref {
  void operator()(GstGLContext* context) const { gst_object_unref(context); }
};
// An owned reference.
using ContextRef = std::unique_ptr<GstGLContext, ContextUnref>;
// A further reference to a context, which may be null.
inline ContextRef ref(GstGLContext* context) {
  return ContextRef(context != nullptr ? GST_GL_CONTEXT(gst_object_ref(context)) : nullptr);
}

// Calls `work` with the context current, waits, and returns what it returns. The caller gets what it throws there. What
// it logs is about the caller's log_object(). Do not call this with a lock that `work` or other calls on that thread
// take.
template <typename Work>
std::invoke_result_t<Work&> on_gl_thread(GstGLContext* context, Work work) {
  using Return = std::invoke_result_t<Work&>;
  constexpr bool kReturns = !std::is_void_v<Return>;
  struct Call {
    Work& work;
    GObject* log_object;
    std::exception_ptr thrown;
    std::optional<std::conditional_t<kReturns, Return, bool>> returned;
  } call{work, log_object(), nullptr, {}};
  gst_gl_context_thread_add(
      context,
      [](GstGLContext*, gpointer data) {
        auto& todo = *static_cast<Call*>(data);
        const LogScope scope(todo.log_object);
        try {
          if constexpr (kReturns) {
            todo.returned.emplace(todo.work());
          } else {
            todo.work();
          }
        } catch (...) {
          todo.thrown = std::current_exception();
        }
      },
      &call);
  if (call.thrown != nullptr) std::rethrow_exception(call.thrown);
  if constexpr (kReturns) return *std::move(call.returned);
}

// Resolves GL entry points of `context`, which must outlive the result.
GlApi::GetProcAddress proc_address_of(GstGLContext* context);

// Fills the table for `context`, current on this thread. On failure, names the version found and the one required.
Result<GlApi> load_gl_api(GstGLContext* context);

// Whether `context`, current on this thread, renders on the CPU.
bool renders_in_software(GstGLContext* context);

// Whether shaders of `context` can sample external textures.
bool samples_external_textures(GstGLContext* context);

// Ok if `memory` is a texture that `context` can use; otherwise the reason.
Status check_gl_memory(GstMemory* memory, GstGLContext* context);

// Maps an RGBA video buffer in GL. On the GL thread this is free if the texture is up to date.
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

// Maps a buffer from a pool of make_mask_pool() for writing in GL; on the GL thread.
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

// Waits until the buffer's content is written, on the GPU if possible. On the GL thread.
void wait_for_buffer(GstBuffer* buffer, GstGLContext* context);
// Sets the buffer's sync point after the commands issued to `context` so far. On the GL thread.
void signal_buffer(GstBuffer* buffer, GstGLContext* context);

// Answers an upstream allocation query with a texture pool of ours and the metadata that frames may have.
bool propose_gl_allocation(GstGLContext* context, GstQuery* query, bool need_pool);
// Marks a GL pool of ours that upstream elements may draw into instead of a pool of their own. A mark works across the
// process; a type would exist only in the plugin that registers it.
void mark_lent_pool(GstBufferPool* pool);
// Ensures that the first pool of the query provides textures of `context` with GstGLSyncMeta. Uses the downstream pool
// if it is marked and `context` can draw into it, otherwise a new one.
bool decide_gl_allocation(GstGLContext* context, GstQuery* query);

// Creates an inactive pool of GRAY8 textures of the given frame size; null on failure.
GstBufferPool* make_mask_pool(GstGLContext* context, const GstVideoInfo& picture);

// Share groups of GL contexts, common to the elements of a process and kept while an element holds them. Any thread.

// The group of `context`: one for all contexts that can share with it. `gl` holds its entry points. The first element
// of the group determines the program cache directory, `cache_folder` (empty = none).
std::shared_ptr<ShareGroup> share_group_of(GstGLContext* context, const GlApi& gl, const std::string& cache_folder);

// For CompileScope, on a thread with a current context: threads whose contexts share with it. They log about the same
// object. Empty if there can be none.
ParallelCalls start_compiler_threads();

}  // namespace sightglass
