#include "debug_messages.h"

#include <cstdio>

#include "fake_functions.h"

namespace sightglass::fake_driver {
namespace {

void GL_APIENTRY print_message(GLenum /*source*/, GLenum /*type*/, GLuint /*id*/, GLenum severity, GLsizei length,
                               const GLchar* text, const void* /*data*/) {
  if (severity != GL_DEBUG_SEVERITY_HIGH) return;
  std::fprintf(stderr, "fake driver: GL message of high severity: %.*s\n", static_cast<int>(length), text);
}

}  // namespace

void print_debug_messages() {
  if (REAL(glDebugMessageCallback) == nullptr) return;
  REAL(glEnable)(GL_DEBUG_OUTPUT);
  REAL(glEnable)(GL_DEBUG_OUTPUT_SYNCHRONOUS);
  REAL(glDebugMessageCallback)(print_message, nullptr);
}

}  // namespace sightglass::fake_driver
