// Owners of GL objects. Move-only. Destruction requires the context to be current. The GlApi must outlive them.
#pragma once

#include <utility>

#include "sightglass/gl_api.h"

namespace sightglass {

// `Delete` is a function (const GlApi&, GLuint) that deletes the name.
template <auto Delete>
class GlObject {
 public:
  GlObject() = default;
  GlObject(const GlApi& gl, GLuint id) : gl_(&gl), id_(id) {}
  GlObject(GlObject&& other) noexcept : gl_(other.gl_), id_(std::exchange(other.id_, 0)) {}
  GlObject& operator=(GlObject&& other) noexcept {
    if (this != &other) {
      reset();
      gl_ = other.gl_;
      id_ = std::exchange(other.id_, 0);
    }
    return *this;
  }
  GlObject(const GlObject&) = delete;
  GlObject& operator=(const GlObject&) = delete;
  ~GlObject() { reset(); }

  GLuint id() const { return id_; }
  explicit operator bool() const { return id_ != 0; }
  // Deletes the object now.
  void reset() {
    if (id_ != 0) Delete(*gl_, std::exchange(id_, 0));
  }
  // Releases the name without deleting it, for a lost context.
  void abandon() { id_ = 0; }

 private:
  const GlApi* gl_ = nullptr;
  GLuint id_ = 0;
};

namespace gl_detail {
inline void delete_buffer(const GlApi& gl, GLuint id) { gl.DeleteBuffers(1, &id); }
inline void delete_texture(const GlApi& gl, GLuint id) { gl.DeleteTextures(1, &id); }
inline void delete_sampler(const GlApi& gl, GLuint id) { gl.DeleteSamplers(1, &id); }
inline void delete_framebuffer(const GlApi& gl, GLuint id) { gl.DeleteFramebuffers(1, &id); }
inline void delete_renderbuffer(const GlApi& gl, GLuint id) { gl.DeleteRenderbuffers(1, &id); }
inline void delete_vertex_array(const GlApi& gl, GLuint id) { gl.DeleteVertexArrays(1, &id); }
inline void delete_shader(const GlApi& gl, GLuint id) { gl.DeleteShader(id); }
inline void delete_program(const GlApi& gl, GLuint id) { gl.DeleteProgram(id); }
}  // namespace gl_detail

using GlBuffer = GlObject<gl_detail::delete_buffer>;
using GlTexture = GlObject<gl_detail::delete_texture>;
using GlSampler = GlObject<gl_detail::delete_sampler>;
using GlFramebuffer = GlObject<gl_detail::delete_framebuffer>;
using GlRenderbuffer = GlObject<gl_detail::delete_renderbuffer>;
using GlVertexArray = GlObject<gl_detail::delete_vertex_array>;
using GlShader = GlObject<gl_detail::delete_shader>;
using GlProgram = GlObject<gl_detail::delete_program>;

// An immutable texture (glTexStorage2D). Leaves the 2D binding of the active unit at 0.
GlTexture make_texture(const GlApi& gl, GLenum internal_format, GLsizei width, GLsizei height, GLsizei levels = 1);
// A sampler with the same filter for minification and magnification, clamping to the edge. It returns the stored values
// of sRGB textures, nonlinear colors, if the context has GL_EXT_texture_sRGB_decode.
GlSampler make_sampler(const GlApi& gl, GLenum filter);

// Clears pending GL errors; call it before a group of calls to detect only their errors.
void clear_gl_errors(const GlApi& gl);
// Ok, or a device error that names the GL error and the operation `what`.
Status check_gl(const GlApi& gl, const char* what);
// Ok if the driver can draw into the framebuffer that is bound; otherwise, an error that names `what` and the reason.
Status check_framebuffer(const GlApi& gl, const char* what);
// Waits until the GPU has finished all submitted work. For measurements only, never in the frame path.
Status wait_for_gpu(const GlApi& gl);

}  // namespace sightglass
