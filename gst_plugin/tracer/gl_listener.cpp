#include "gl_listener.h"

#include <dlfcn.h>

#include "gl_watch/interface.h"
#include "gobject/guarded.h"
#include "scope.h"

namespace sightglass::zerocopy {

namespace {

void on_gl_call(int call, uint64_t bytes) {
  switch (static_cast<gl_watch::Call>(call)) {
    case gl_watch::Call::kReadback:
      return count_copy(nullptr, Copy::kReadback, bytes);
    case gl_watch::Call::kPixelUpload:
      return count_copy(nullptr, Copy::kPixelUpload, bytes);
    case gl_watch::Call::kBufferMap:
      return count_copy(nullptr, Copy::kBufferMap, bytes);
    case gl_watch::Call::kFinish:
      return count_copy(nullptr, Copy::kFinish, bytes);
  }
}

gl_watch::Listen find_library() {
  return reinterpret_cast<gl_watch::Listen>(dlsym(RTLD_DEFAULT, gl_watch::kListenName));
}

}  // namespace

void listen_to_gl() {
  if (const gl_watch::Listen listen = find_library()) listen(guarded<on_gl_call>);
}

bool is_gl_watched() { return find_library() != nullptr; }

}  // namespace sightglass::zerocopy
