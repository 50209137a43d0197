// Calls functions on the GL thread of a GStreamer context.
#pragma once

#include <gst/gl/gl.h>

#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "gobject/log.h"

namespace sightglass {

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

}  // namespace sightglass
