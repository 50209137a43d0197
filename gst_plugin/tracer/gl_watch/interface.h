// How the preload library libsightglass-gl-watch.so reports GL calls. A C interface, looked up by name: tracer and
// library do not depend on each other.
#pragma once

#include <cstdint>

namespace sightglass::gl_watch {

enum class Call : int {
  kReadback,     // glReadPixels, glGetTexImage, glGetBufferSubData and variants, also into a pixel buffer object
  kPixelUpload,  // glTexImage, glTexSubImage and variants with pixels from memory; glBufferData and variants into a
                 // pixel unpack buffer
  kBufferMap,    // glMapBuffer and variants
  kFinish,       // glFinish
};

// Called on the thread that makes the GL call. `bytes` assumes tightly packed pixels; 0 if unknown.
using Listener = void (*)(int call, uint64_t bytes);

// The only function of the library, "sightglass_gl_watch_listen": from now on, reports calls to `listener` instead of
// counting them.
using Listen = void (*)(Listener listener);
constexpr const char* kListenName = "sightglass_gl_watch_listen";

}  // namespace sightglass::gl_watch
