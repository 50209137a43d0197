// The watched GL functions, and the bytes that each of them transfers.
#define GL_GLES_PROTOTYPES 0
#include <GLES3/gl32.h>

#include <cstdio>
#include <cstdlib>

#include "entry.h"

using namespace sightglass::gl_watch;

namespace {

// Constants of desktop GL.
constexpr GLenum kTextureWidth = 0x1000, kTextureHeight = 0x1001, kTextureDepth = 0x8071;

constinit thread_local int depth = 0;

// Drivers may call watched functions within watched functions; those calls are not the program's.
struct Inside {
  Inside() { ++depth; }
  ~Inside() { --depth; }
};

template <typename Function>
Function function_behind(Entry& entry, Function) {
  void* original = original_of(entry);
  if (original == nullptr) {  // called, but not found: no sensible result is possible
    std::fprintf(stderr, "gl-watch: %s not found in this process\n", entry.name);
    std::abort();
  }
  return reinterpret_cast<Function>(original);
}

void see_readback(GLenum format, GLenum type, int64_t width, int64_t height, int64_t depth = 1) {
  count(Call::kReadback, pixel_bytes(format, type, width, height, depth));
}

// `get_parameter` is one of the two functions that query a texture level.
template <typename Name>
void see_texture_readback(const char* get_parameter, Name texture, GLint level, GLenum format, GLenum type) {
  using Get = void (*)(Name, GLint, GLenum, GLint*);
  const auto get = reinterpret_cast<Get>(find_function(get_parameter));
  GLint width = 0, height = 0, layers = 0;
  if (get != nullptr) {
    get(texture, level, kTextureWidth, &width);
    get(texture, level, kTextureHeight, &height);
    get(texture, level, kTextureDepth, &layers);
  }
  see_readback(format, type, width, height, layers);
}

// Pixels in a buffer object were transferred earlier; an image without pixels is only allocated.
void see_upload(const void* pixels, uint64_t bytes) {
  if (has_unpack_buffer() || pixels == nullptr) return;
  count(Call::kPixelUpload, bytes);
}

void see_upload(const void* pixels, GLenum format, GLenum type, int64_t width, int64_t height = 1, int64_t depth = 1) {
  see_upload(pixels, pixel_bytes(format, type, width, height, depth));
}

void see_buffer_data(GLenum target, GLsizeiptr size, const void* data) {
  if (target == GL_PIXEL_UNPACK_BUFFER && data != nullptr) count(Call::kPixelUpload, static_cast<uint64_t>(size));
}

void see_map(GLenum target) {
  const auto get = reinterpret_cast<PFNGLGETBUFFERPARAMETERIVPROC>(find_function("glGetBufferParameteriv"));
  GLint size = 0;
  if (get != nullptr) get(target, GL_BUFFER_SIZE, &size);
  count(Call::kBufferMap, static_cast<uint64_t>(size));
}

void see_range_map(GLsizeiptr length) { count(Call::kBufferMap, static_cast<uint64_t>(length)); }

}  // namespace

// Defines the function that programs get: it evaluates `seen`, unless within another such function, and then calls the
// GL function.
#define WATCH(result, function, parameters, arguments, seen)            \
  SIGHTGLASS_EXPORTED result function parameters;                       \
  SIGHTGLASS_ENTRY(function);                                           \
  SIGHTGLASS_EXPORTED result function parameters {                      \
    const auto original = function_behind(entry_##function, &function); \
    const Inside inside;                                                \
    if (depth == 1) seen;                                               \
    return original arguments;                                          \
  }

// clang-format off
#define READ_PIXELS(function) \
  WATCH(void, function, (GLint x, GLint y, GLsizei width, GLsizei height, GLenum format, GLenum type, GLsizei size, void* data), \
        (x, y, width, height, format, type, size, data), see_readback(format, type, width, height))
WATCH(void, glReadPixels, (GLint x, GLint y, GLsizei width, GLsizei height, GLenum format, GLenum type, void* data),
      (x, y, width, height, format, type, data), see_readback(format, type, width, height))
READ_PIXELS(glReadnPixels)
READ_PIXELS(glReadnPixelsARB)
READ_PIXELS(glReadnPixelsEXT)
READ_PIXELS(glReadnPixelsKHR)
WATCH(void, glGetTexImage, (GLenum target, GLint level, GLenum format, GLenum type, void* pixels),
      (target, level, format, type, pixels),
      see_texture_readback("glGetTexLevelParameteriv", target, level, format, type))
WATCH(void, glGetnTexImage, (GLenum target, GLint level, GLenum format, GLenum type, GLsizei size, void* pixels),
      (target, level, format, type, size, pixels),
      see_texture_readback("glGetTexLevelParameteriv", target, level, format, type))
WATCH(void, glGetTextureImage, (GLuint texture, GLint level, GLenum format, GLenum type, GLsizei size, void* pixels),
      (texture, level, format, type, size, pixels),
      see_texture_readback("glGetTextureLevelParameteriv", texture, level, format, type))
WATCH(void, glGetTextureSubImage,
      (GLuint texture, GLint level, GLint x, GLint y, GLint z, GLsizei width, GLsizei height, GLsizei layers, GLenum format,
       GLenum type, GLsizei size, void* pixels),
      (texture, level, x, y, z, width, height, layers, format, type, size, pixels),
      see_readback(format, type, width, height, layers))
WATCH(void, glGetBufferSubData, (GLenum target, GLintptr offset, GLsizeiptr size, void* data),
      (target, offset, size, data), count(Call::kReadback, static_cast<uint64_t>(size)))
WATCH(void, glGetNamedBufferSubData, (GLuint buffer, GLintptr offset, GLsizeiptr size, void* data),
      (buffer, offset, size, data), count(Call::kReadback, static_cast<uint64_t>(size)))

WATCH(void, glTexImage1D, (GLenum target, GLint level, GLint inner, GLsizei width, GLint border, GLenum format, GLenum type, const void* pixels),
      (target, level, inner, width, border, format, type, pixels), see_upload(pixels, format, type, width))
WATCH(void, glTexImage2D,
      (GLenum target, GLint level, GLint inner, GLsizei width, GLsizei height, GLint border, GLenum format, GLenum type,
       const void* pixels),
      (target, level, inner, width, height, border, format, type, pixels),
      see_upload(pixels, format, type, width, height))
#define TEX_IMAGE_3D(function, Inner) \
  WATCH(void, function, \
        (GLenum target, GLint level, Inner inner, GLsizei width, GLsizei height, GLsizei layers, GLint border, GLenum format, \
         GLenum type, const void* pixels), \
        (target, level, inner, width, height, layers, border, format, type, pixels), \
        see_upload(pixels, format, type, width, height, layers))
TEX_IMAGE_3D(glTexImage3D, GLint)
TEX_IMAGE_3D(glTexImage3DOES, GLenum)
// By target and, in desktop GL, by texture name.
#define TEX_SUB_IMAGE_1D(function, Name) \
  WATCH(void, function, (Name name, GLint level, GLint x, GLsizei width, GLenum format, GLenum type, const void* pixels), \
        (name, level, x, width, format, type, pixels), see_upload(pixels, format, type, width))
TEX_SUB_IMAGE_1D(glTexSubImage1D, GLenum)
TEX_SUB_IMAGE_1D(glTextureSubImage1D, GLuint)
#define TEX_SUB_IMAGE_2D(function, Name) \
  WATCH(void, function, \
        (Name name, GLint level, GLint x, GLint y, GLsizei width, GLsizei height, GLenum format, GLenum type, \
         const void* pixels), \
        (name, level, x, y, width, height, format, type, pixels), see_upload(pixels, format, type, width, height))
TEX_SUB_IMAGE_2D(glTexSubImage2D, GLenum)
TEX_SUB_IMAGE_2D(glTextureSubImage2D, GLuint)
#define TEX_SUB_IMAGE_3D(function, Name) \
  WATCH(void, function, \
        (Name name, GLint level, GLint x, GLint y, GLint z, GLsizei width, GLsizei height, GLsizei layers, GLenum format, \
         GLenum type, const void* pixels), \
        (name, level, x, y, z, width, height, layers, format, type, pixels), \
        see_upload(pixels, format, type, width, height, layers))
TEX_SUB_IMAGE_3D(glTexSubImage3D, GLenum)
TEX_SUB_IMAGE_3D(glTexSubImage3DOES, GLenum)
TEX_SUB_IMAGE_3D(glTextureSubImage3D, GLuint)
WATCH(void, glCompressedTexImage2D,
      (GLenum target, GLint level, GLenum inner, GLsizei width, GLsizei height, GLint border, GLsizei size, const void* data),
      (target, level, inner, width, height, border, size, data), see_upload(data, static_cast<uint64_t>(size)))
WATCH(void, glCompressedTexImage3D,
      (GLenum target, GLint level, GLenum inner, GLsizei width, GLsizei height, GLsizei layers, GLint border, GLsizei size,
       const void* data),
      (target, level, inner, width, height, layers, border, size, data), see_upload(data, static_cast<uint64_t>(size)))
WATCH(void, glCompressedTexSubImage2D,
      (GLenum target, GLint level, GLint x, GLint y, GLsizei width, GLsizei height, GLenum format, GLsizei size,
       const void* data),
      (target, level, x, y, width, height, format, size, data), see_upload(data, static_cast<uint64_t>(size)))
WATCH(void, glCompressedTexSubImage3D,
      (GLenum target, GLint level, GLint x, GLint y, GLint z, GLsizei width, GLsizei height, GLsizei layers, GLenum format,
       GLsizei size, const void* data),
      (target, level, x, y, z, width, height, layers, format, size, data), see_upload(data, static_cast<uint64_t>(size)))
WATCH(void, glBufferData, (GLenum target, GLsizeiptr size, const void* data, GLenum usage), (target, size, data, usage),
      see_buffer_data(target, size, data))
WATCH(void, glBufferSubData, (GLenum target, GLintptr offset, GLsizeiptr size, const void* data),
      (target, offset, size, data), see_buffer_data(target, size, data))
#define BUFFER_STORAGE(function) \
  WATCH(void, function, (GLenum target, GLsizeiptr size, const void* data, GLbitfield flags), (target, size, data, flags), \
        see_buffer_data(target, size, data))
BUFFER_STORAGE(glBufferStorage)
BUFFER_STORAGE(glBufferStorageEXT)

#define MAP_BUFFER(function) \
  WATCH(void*, function, (GLenum target, GLenum access), (target, access), see_map(target))
MAP_BUFFER(glMapBuffer)
MAP_BUFFER(glMapBufferARB)
MAP_BUFFER(glMapBufferOES)
#define MAP_BUFFER_RANGE(function, Name) \
  WATCH(void*, function, (Name name, GLintptr offset, GLsizeiptr length, GLbitfield access), (name, offset, length, access), \
        see_range_map(length))
MAP_BUFFER_RANGE(glMapBufferRange, GLenum)
MAP_BUFFER_RANGE(glMapBufferRangeEXT, GLenum)
MAP_BUFFER_RANGE(glMapNamedBufferRange, GLuint)
WATCH(void*, glMapNamedBuffer, (GLuint buffer, GLenum access), (buffer, access), count(Call::kBufferMap, 0))

WATCH(void, glFinish, (), (), count(Call::kFinish, 0))

// Not transfers, but they determine whether other calls are.
WATCH(void, glBindBuffer, (GLenum target, GLuint buffer), (target, buffer),
      if (target == GL_PIXEL_UNPACK_BUFFER) bind_unpack_buffer(buffer))
WATCH(void, glDeleteBuffers, (GLsizei number, const GLuint* buffers), (number, buffers), delete_buffers(number, buffers))
// clang-format on
