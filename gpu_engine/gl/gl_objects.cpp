#include "sightglass/gl_objects.h"

#include <string>

#include "gpu_engine/exceptions.h"
#include "sightglass/device.h"

namespace sightglass {

GlTexture make_texture(const GlApi& gl, GLenum internal_format, GLsizei width, GLsizei height, GLsizei levels) {
  GLuint id = 0;
  gl.GenTextures(1, &id);
  gl.BindTexture(GL_TEXTURE_2D, id);
  gl.TexStorage2D(GL_TEXTURE_2D, levels, internal_format, width, height);
  gl.BindTexture(GL_TEXTURE_2D, 0);
  return {gl, id};
}

GlSampler make_sampler(const GlApi& gl, GLenum filter) {
  GLuint id = 0;
  gl.GenSamplers(1, &id);
  gl.SamplerParameteri(id, GL_TEXTURE_MIN_FILTER, static_cast<GLint>(filter));
  gl.SamplerParameteri(id, GL_TEXTURE_MAG_FILTER, static_cast<GLint>(filter));
  gl.SamplerParameteri(id, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  gl.SamplerParameteri(id, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  if (has_extension(gl, "GL_EXT_texture_sRGB_decode")) {
    gl.SamplerParameteri(id, GL_TEXTURE_SRGB_DECODE_EXT, GL_SKIP_DECODE_EXT);
  }
  return {gl, id};
}

// A lost context may report errors forever, so no loop relies on an empty queue.
constexpr int kMaxErrors = 32;

void clear_gl_errors(const GlApi& gl) {
  for (int i = 0; i < kMaxErrors && gl.GetError() != GL_NO_ERROR; ++i) {
  }
}

namespace {

const char* error_name(GLenum error) {
  switch (error) {
    case GL_INVALID_ENUM:
      return "GL_INVALID_ENUM";
    case GL_INVALID_VALUE:
      return "GL_INVALID_VALUE";
    case GL_INVALID_OPERATION:
      return "GL_INVALID_OPERATION";
    case GL_INVALID_FRAMEBUFFER_OPERATION:
      return "GL_INVALID_FRAMEBUFFER_OPERATION";
    case GL_OUT_OF_MEMORY:
      return "GL_OUT_OF_MEMORY";
    case GL_CONTEXT_LOST:
      return "GL_CONTEXT_LOST";
    default:
      return "an unknown GL error";
  }
}

}  // namespace

Status check_gl(const GlApi& gl, const char* what) try {
  const GLenum error = gl.GetError();
  if (error == GL_NO_ERROR) return {};
  clear_gl_errors(gl);
  const std::string message = std::string(what) + ": the GL driver reported " + error_name(error);
  return error == GL_OUT_OF_MEMORY ? resource_exhausted(message) : device_error(message);
} catch (...) {
  return status_of_exception("GL", "report an error");
}

Status wait_for_gpu(const GlApi& gl) try {
  constexpr GLuint64 kSecond = 1'000'000'000;
  constexpr int kPatience = 120;  // seconds; software renderers are slow
  const GLsync fence = gl.FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  GLenum state = GL_TIMEOUT_EXPIRED;
  for (int i = 0; i < kPatience && state == GL_TIMEOUT_EXPIRED; ++i) {
    state = gl.ClientWaitSync(fence, GL_SYNC_FLUSH_COMMANDS_BIT, kSecond);
  }
  gl.DeleteSync(fence);
  if (state == GL_TIMEOUT_EXPIRED) return device_error("the GPU did not finish within two minutes");
  if (state == GL_WAIT_FAILED) return device_error("cannot wait for the GPU: glClientWaitSync failed");
  return {};
} catch (...) {
  return status_of_exception("the GPU", "wait for it");
}

}  // namespace sightglass
