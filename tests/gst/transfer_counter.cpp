#include "transfer_counter.h"

#include <GLES3/gl31.h>
#include <gst/gl/gl.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <string_view>
#include <tuple>

namespace sightglass::test {

namespace {

std::mutex counts_mutex;
std::map<std::string, int> counts;
std::atomic<bool> counting{false};

void count(const char* name) {
  if (!counting) return;
  const std::lock_guard lock(counts_mutex);
  ++counts[name];
}

// Which calls of a function are transfers: all except those that only allocate or only query.
template <typename... Args>
bool is_transfer(std::string_view name, const std::tuple<Args...>& args) {
  if constexpr (sizeof...(Args) == 9 || sizeof...(Args) == 10) {
    // glTexImage2D and glTexImage3D without pixels only allocate.
    if (name == "glTexImage2D" || name == "glTexImage3D") return std::get<sizeof...(Args) - 1>(args) != nullptr;
  }
  if constexpr (sizeof...(Args) == 3) {
    // Polling a fence does not wait.
    if (name == "glClientWaitSync") return std::get<2>(args) != GLuint64{0};
  }
  return true;
}

// One wrapper per watched entry point. `Index` distinguishes those of the same type.
template <int Index, typename Function>
struct Wrapper;
template <int Index, typename R, typename... Args>
struct Wrapper<Index, R (*)(Args...)> {
  static inline const char* name = nullptr;
  static inline R (*original)(Args...) = nullptr;
  static R call(Args... args) {
    if (is_transfer(name, std::tuple<Args...>(args...))) count(name);
    return original(args...);
  }
};

using TexImage2D = void (*)(GLenum, GLint, GLint, GLsizei, GLsizei, GLint, GLenum, GLenum, const void*);
using TexImage3D = void (*)(GLenum, GLint, GLint, GLsizei, GLsizei, GLsizei, GLint, GLenum, GLenum, const void*);
using TexSubImage2D = void (*)(GLenum, GLint, GLint, GLint, GLsizei, GLsizei, GLenum, GLenum, const void*);
using TexSubImage3D = void (*)(GLenum, GLint, GLint, GLint, GLint, GLsizei, GLsizei, GLsizei, GLenum, GLenum,
                               const void*);
using ReadPixels = void (*)(GLint, GLint, GLsizei, GLsizei, GLenum, GLenum, void*);
using ReadnPixels = void (*)(GLint, GLint, GLsizei, GLsizei, GLenum, GLenum, GLsizei, void*);
using GetTexImage = void (*)(GLenum, GLint, GLenum, GLenum, void*);
using MapBuffer = void* (*)(GLenum, GLenum);
using MapBufferRange = void* (*)(GLenum, GLintptr, GLsizeiptr, GLbitfield);
using BufferData = void (*)(GLenum, GLsizeiptr, const void*, GLenum);
using BufferSubData = void (*)(GLenum, GLintptr, GLsizeiptr, const void*);
using ClientWaitSync = GLenum (*)(GLsync, GLbitfield, GLuint64);
using Finish = void (*)();

struct Watched {
  const char* name;
  gpointer (*wrap)(const char* name, gpointer original);
};

template <int Index, typename Function>
gpointer wrap(const char* name, gpointer original) {
  using Entry = Wrapper<Index, Function>;
  Entry::name = name;
  Entry::original = reinterpret_cast<Function>(original);
  return reinterpret_cast<gpointer>(&Entry::call);
}

constexpr Watched kWatched[] = {
    {"glTexImage2D", wrap<0, TexImage2D>},          {"glTexImage3D", wrap<1, TexImage3D>},
    {"glTexSubImage2D", wrap<2, TexSubImage2D>},    {"glTexSubImage3D", wrap<3, TexSubImage3D>},
    {"glReadPixels", wrap<4, ReadPixels>},          {"glReadnPixels", wrap<5, ReadnPixels>},
    {"glGetTexImage", wrap<6, GetTexImage>},        {"glMapBuffer", wrap<7, MapBuffer>},
    {"glMapBufferOES", wrap<8, MapBuffer>},         {"glMapBufferRange", wrap<9, MapBufferRange>},
    {"glBufferData", wrap<10, BufferData>},         {"glBufferSubData", wrap<11, BufferSubData>},
    {"glClientWaitSync", wrap<12, ClientWaitSync>}, {"glFinish", wrap<13, Finish>},
};

gpointer (*original_get_proc_address)(GstGLAPI, const gchar*) = nullptr;

gpointer counting_get_proc_address(GstGLAPI api, const gchar* name) {
  const gpointer original = original_get_proc_address(api, name);
  if (original == nullptr) return nullptr;
  for (const Watched& watched : kWatched) {
    if (std::string_view(watched.name) == name) return watched.wrap(watched.name, original);
  }
  return original;
}

// CPU maps: those of GL memory without GST_MAP_GL.
template <int Index>
struct MapWrapper {
  static inline GstMemoryMapFullFunction original = nullptr;
  static gpointer call(GstMemory* memory, GstMapInfo* info, gsize size) {
    guint flags = 0;  // copied: GStreamer sets bits that the enumeration does not define
    std::memcpy(&flags, &info->flags, sizeof flags);
    if ((flags & GST_MAP_GL) == 0) count("CPU map of GL memory");
    return original(memory, info, size);
  }
};

template <int Index>
void wrap_allocator(const char* name) {
  GstAllocator* allocator = gst_allocator_find(name);
  if (allocator == nullptr) g_error("allocator %s not found", name);
  MapWrapper<Index>::original = allocator->mem_map_full;
  allocator->mem_map_full = MapWrapper<Index>::call;
  gst_object_unref(allocator);
}

GstPadProbeReturn on_enter(GstPad*, GstPadProbeInfo*, gpointer) {
  counting = true;
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn on_leave(GstPad*, GstPadProbeInfo*, gpointer) {
  count("frames");
  counting = false;
  return GST_PAD_PROBE_OK;
}

}  // namespace

void install_transfer_counter() {
  // Future contexts have the same class as any context of this display.
  GstGLDisplay* display = gst_gl_display_new();
  GstGLContext* context = nullptr;
  GError* error = nullptr;
  if (!gst_gl_display_create_context(display, nullptr, &context, &error)) g_error("%s", error->message);
  GstGLContextClass* context_class = GST_GL_CONTEXT_GET_CLASS(context);
  original_get_proc_address = context_class->get_proc_address;
  context_class->get_proc_address = counting_get_proc_address;
  gst_object_unref(context);
  gst_object_unref(display);
  gst_gl_memory_init_once();
  gst_gl_memory_pbo_init_once();
  wrap_allocator<0>(GST_GL_MEMORY_ALLOCATOR_NAME);
  wrap_allocator<1>(GST_GL_MEMORY_PBO_ALLOCATOR_NAME);
}

void count_between(GstPad* enter, GstPad* leave) {
  gst_pad_add_probe(enter, GST_PAD_PROBE_TYPE_BUFFER, on_enter, nullptr, nullptr);
  gst_pad_add_probe(leave, GST_PAD_PROBE_TYPE_BUFFER, on_leave, nullptr, nullptr);
}

std::map<std::string, int> transfer_counts() {
  const std::lock_guard lock(counts_mutex);
  return counts;
}

void reset_transfer_counts() {
  const std::lock_guard lock(counts_mutex);
  counts.clear();
}

}  // namespace sightglass::test
