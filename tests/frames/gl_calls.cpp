#include "gl_calls.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <gst/gl/gl.h>

#include <atomic>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include "sightglass/gl_api.h"

namespace sightglass::test {

namespace {

using Counts = std::array<std::atomic<int>, kPhases>;

std::atomic<size_t> current_phase{0};

#define SIGHTGLASS_TAG(function, ...) \
  struct Tag##function {};
SIGHTGLASS_GL_FUNCTIONS(SIGHTGLASS_TAG)
SIGHTGLASS_GL_OPTIONAL_FUNCTIONS(SIGHTGLASS_TAG)
#undef SIGHTGLASS_TAG

// How often depends on times.
template <typename Tag, typename... Args>
bool polls_timer(const Args&... args) {
  if constexpr (std::is_same_v<Tag, TagGetIntegerv>) return std::get<0>(std::tie(args...)) == GL_GPU_DISJOINT_EXT;
  return false;
}

// One per function. The tag distinguishes functions of the same type.
template <typename Tag, typename Function>
struct Counted;
template <typename Tag, typename R, typename... Args>
struct Counted<Tag, R (*)(Args...)> {
  static inline R (*next)(Args...) = nullptr;
  static inline Counts counts = {};
  static R call(Args... args) {
    if (!polls_timer<Tag>(args...)) ++counts[current_phase];
    return next(args...);
  }
  static gpointer instead_of(gpointer found) {
    next = reinterpret_cast<R (*)(Args...)>(found);
    return reinterpret_cast<gpointer>(call);
  }
};

// GStreamer looks up functions for itself, too. Which module asks is the first one on the stack after GStreamer's.
bool plugin_asks() {
  std::array<void*, 12> frames;
  const int count = backtrace(frames.data(), static_cast<int>(frames.size()));
  Dl_info here = {}, caller = {};
  dladdr(reinterpret_cast<void*>(&plugin_asks), &here);
  for (int i = 0; i < count; ++i) {
    if (dladdr(frames[static_cast<size_t>(i)], &caller) == 0 || caller.dli_fbase == here.dli_fbase) continue;
    if (std::strstr(caller.dli_fname, "libgstgl-") == nullptr) return std::strstr(caller.dli_fname, "libgstsightglass");
  }
  return false;
}

gpointer (*next_get_proc_address)(GstGLAPI, const gchar*) = nullptr;

gpointer get_proc_address(GstGLAPI api, const gchar* name) {
  const gpointer found = next_get_proc_address(api, name);
  if (found == nullptr || !plugin_asks()) return found;
    // Optional functions can have the suffix of an extension.
#define SIGHTGLASS_COUNTED(function)          \
  if (std::strcmp(name, "gl" #function) == 0) \
    return Counted<Tag##function, decltype(&::gl##function)>::instead_of(found);
  SIGHTGLASS_GL_FUNCTIONS(SIGHTGLASS_COUNTED)
#undef SIGHTGLASS_COUNTED
#define SIGHTGLASS_COUNTED(function, type) \
  if (g_str_has_prefix(name, "gl" #function)) return Counted<Tag##function, type>::instead_of(found);
  SIGHTGLASS_GL_OPTIONAL_FUNCTIONS(SIGHTGLASS_COUNTED)
#undef SIGHTGLASS_COUNTED
  return found;
}

void describe(GstGLContext* context, gpointer data) {
  const auto get_string =
      reinterpret_cast<decltype(&glGetString)>(gst_gl_context_get_proc_address(context, "glGetString"));
  auto& text = *static_cast<std::string*>(data);
  for (const GLenum name : {GL_RENDERER, GL_VERSION}) {
    const auto* found = reinterpret_cast<const char*>(get_string(name));
    text += (text.empty() ? "" : ", ") + std::string(found != nullptr ? found : "");
  }
}

}  // namespace

std::string count_gl_calls() {
  std::string device;
  GstGLDisplay* display = gst_gl_display_new();
  GstGLContext* context = nullptr;
  if (gst_gl_display_create_context(display, nullptr, &context, nullptr)) {
    gst_gl_context_thread_add(context, describe, &device);
    // The class is that of all contexts of this display.
    GstGLContextClass* context_class = GST_GL_CONTEXT_GET_CLASS(context);
    next_get_proc_address = std::exchange(context_class->get_proc_address, get_proc_address);
    gst_object_unref(context);
  }
  gst_object_unref(display);
  return device;
}

void enter_phase(Phase phase) {
  const auto wanted = static_cast<size_t>(phase);
  size_t current = current_phase;
  while (current < wanted && !current_phase.compare_exchange_weak(current, wanted)) {
  }
}

std::map<std::string, std::array<int, kPhases>> gl_calls() {
  std::map<std::string, std::array<int, kPhases>> calls;
  const auto add = [&calls](const char* name, const Counts& counts) {
    std::array<int, kPhases> numbers = {counts[0], counts[1], counts[2]};
    if (numbers != std::array<int, kPhases>{}) calls[name] = numbers;
  };
#define SIGHTGLASS_ADD(function) add(#function, Counted<Tag##function, decltype(&::gl##function)>::counts);
  SIGHTGLASS_GL_FUNCTIONS(SIGHTGLASS_ADD)
#undef SIGHTGLASS_ADD
#define SIGHTGLASS_ADD(function, type) add(#function, Counted<Tag##function, type>::counts);
  SIGHTGLASS_GL_OPTIONAL_FUNCTIONS(SIGHTGLASS_ADD)
#undef SIGHTGLASS_ADD
  return calls;
}

}  // namespace sightglass::test
