#include "gl/counting_gl.h"

namespace sightglass::test {

namespace {

struct Failure {
  std::string name;
  int nth = 0;
  bool pending = false;
} failure;

// Whether this call has to fail.
bool count(const char* name) {
  const int calls = ++gl_calls()[name];
  if (failure.name != name || calls != failure.nth) return false;
  failure.pending = true;
  return true;
}

// One wrapper a table entry; the tag tells entries of the same type apart.
template <typename Tag, typename Function>
struct Counted;

template <typename Tag, typename R, typename... Args>
struct Counted<Tag, R (*)(Args...)> {
  static inline R (*real)(Args...) = nullptr;
  static R call(Args... args) {
    if (count(Tag::kName)) return R();
    return real(args...);
  }
};

#define SIGHTGLASS_TAG(name)                    \
  struct Tag##name {                            \
    static constexpr const char* kName = #name; \
  };
SIGHTGLASS_GL_FUNCTIONS(SIGHTGLASS_TAG)
#undef SIGHTGLASS_TAG

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
  GlApi counted = gl;
#define SIGHTGLASS_COUNT(name)                               \
  Counted<Tag##name, decltype(GlApi::name)>::real = gl.name; \
  counted.name = Counted<Tag##name, decltype(GlApi::name)>::call;
  SIGHTGLASS_GL_FUNCTIONS(SIGHTGLASS_COUNT)
#undef SIGHTGLASS_COUNT
  real_get_error = gl.GetError;
  counted.GetError = get_error;
  return counted;
}

}  // namespace sightglass::test
