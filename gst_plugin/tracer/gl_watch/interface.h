// What libsightglass-gl-watch.so, the preload library, tells of GL calls. A C interface, found by name: neither the
// tracer nor the library needs the other.
#pragma once

#include <cstdint>

namespace sightglass::gl_watch {

enum class Call : int {
  kReadback,     // glReadPixels, glGetTexImage, glGetBufferSubData and their kin, also into a pixel buffer object
  kPixelUpload,  // glTexImage, glTexSubImage and their kin with pixels from memory; glBufferData and its kin into a
                 // pixel unpack buffer
  kBufferMap,    // glMapBuffer and its kin
  kFinish,       // glFinish
};

// Called in the thread that makes the call. `bytes` are those of tightly packed pixels; 0 where that is unknown.
using Listener = void (*)(int call, uint64_t bytes);

// The library's only function, "sightglass_gl_watch_listen": calls are told to `listener` from now on, and no longer
// counted by the library itself.
using Listen = void (*)(Listener listener);
constexpr const char* kListenName = "sightglass_gl_watch_listen";

}  // namespace sightglass::gl_watch
