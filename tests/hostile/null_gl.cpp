#include "null_gl.h"

#include <cstdlib>
#include <cstring>

namespace sightglass::test {
namespace {

int objects = 0;
GLuint last_name = 0;

template <typename Function>
struct Nothing;
template <typename R, typename... Arguments>
struct Nothing<R (*)(Arguments...)> {
  static R call(Arguments...) { return R(); }
};

void make(GLsizei count, GLuint* names) {
  for (GLsizei i = 0; i < count; ++i) names[i] = ++last_name;
  objects += count;
}
void drop(GLsizei count, const GLuint*) { objects -= count; }
GLuint make_one() {
  ++objects;
  return ++last_name;
}
void drop_one(GLuint) { --objects; }

void get_integer(GLenum name, GLint* value) { *value = name == GL_NUM_PROGRAM_BINARY_FORMATS ? 1 : 0; }

// Every query reports success.
void get_of_object(GLuint, GLenum name, GLint* value) {
  constexpr GLint kBinaryBytes = 64;
  *value = name == GL_PROGRAM_BINARY_LENGTH ? kBinaryBytes : GL_TRUE;
}

void get_binary(GLuint, GLsizei size, GLsizei* length, GLenum* format, void* binary) {
  std::memset(binary, 1, static_cast<size_t>(size));
  *length = size;
  *format = 1;
}

void* mapped = nullptr;
void* map(GLenum, GLintptr, GLsizeiptr size, GLbitfield) {
  std::free(mapped);
  mapped = std::calloc(1, static_cast<size_t>(size));
  return mapped;
}
GLboolean unmap(GLenum) { return GL_TRUE; }

GLsync fence(GLenum, GLbitfield) { return reinterpret_cast<GLsync>(&last_name); }
GLenum wait(GLsync, GLbitfield, GLuint64) { return GL_ALREADY_SIGNALED; }

const GLubyte* text(GLenum) { return reinterpret_cast<const GLubyte*>("none"); }
const GLubyte* text_of(GLenum, GLuint) { return text(0); }

}  // namespace

GlApi null_gl() {
  GlApi gl;
#define SIGHTGLASS_NOTHING(name) gl.name = Nothing<decltype(gl.name)>::call;
  SIGHTGLASS_GL_FUNCTIONS(SIGHTGLASS_NOTHING)
#undef SIGHTGLASS_NOTHING
  gl.GenBuffers = gl.GenFramebuffers = gl.GenRenderbuffers = gl.GenSamplers = gl.GenTextures = gl.GenVertexArrays =
      make;
  gl.DeleteBuffers = gl.DeleteFramebuffers = gl.DeleteRenderbuffers = gl.DeleteSamplers = gl.DeleteTextures =
      gl.DeleteVertexArrays = drop;
  gl.CreateProgram = make_one;
  gl.CreateShader = [](GLenum) { return make_one(); };
  gl.DeleteProgram = gl.DeleteShader = drop_one;
  gl.GetIntegerv = get_integer;
  gl.GetProgramiv = gl.GetShaderiv = get_of_object;
  gl.GetProgramBinary = get_binary;
  gl.MapBufferRange = map;
  gl.UnmapBuffer = unmap;
  gl.FenceSync = fence;
  gl.ClientWaitSync = wait;
  gl.GetString = text;
  gl.GetStringi = text_of;
  return gl;
}

int null_gl_objects() { return objects; }

}  // namespace sightglass::test
