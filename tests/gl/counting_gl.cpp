#include "gl/counting_gl.h"

#include "common/hooked_gl.h"

namespace sightglass::test {

namespace {

struct Failure {
  std::string name;
  int nth = 0;
  bool pending = false;
} failure;

// Whether this call is forwarded.
bool count(const char* name) {
  const int calls = ++gl_calls()[name];
  if (failure.name != name || calls != failure.nth) return true;
  failure.pending = true;
  return false;
}

GLenum (*real_get_error)() = nullptr;
GLenum get_error() {
  ++gl_calls()["GetError"];
  if (failure.pending) {
    failure.pending = false;
    return GL_OUT_OF_MEMORY;
  }
  return real_get_error();
}

}  // namespace

std::map<std::string, int>& gl_calls() {
  static std::map<std::string, int> calls;
  return calls;
}

void fail_gl_call(const std::string& name, int nth) {
  gl_calls().clear();
  failure = {name, nth, false};
}

GlApi counting_gl(const GlApi& gl) {
  GlApi counted = hooked_gl<count>(gl);
  real_get_error = gl.GetError;
  counted.GetError = get_error;
  return counted;
}

}  // namespace sightglass::test
