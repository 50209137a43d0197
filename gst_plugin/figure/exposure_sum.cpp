#include "figure/exposure_sum.h"

#include <initializer_list>
#include <string>
#include <utility>

#include "figure/shaders.h"
#include "gl/texture_unit.h"

namespace sightglass::figure {

namespace {

GlFramebuffer make_framebuffer(const GlApi& gl) {
  GLuint id = 0;
  gl.GenFramebuffers(1, &id);
  return {gl, id};
}

void attach(const GlApi& gl, const GlFramebuffer& frame, std::initializer_list<GLuint> textures) {
  constexpr GLenum kBuffers[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
  gl.BindFramebuffer(GL_FRAMEBUFFER, frame.id());
  GLenum attachment = GL_COLOR_ATTACHMENT0;
  for (const GLuint texture : textures) {
    gl.FramebufferTexture2D(GL_FRAMEBUFFER, attachment++, GL_TEXTURE_2D, texture, 0);
  }
  gl.DrawBuffers(static_cast<GLsizei>(textures.size()), kBuffers);
}

}  // namespace

Result<ExposureSum> ExposureSum::create(const GlApi& gl, Programs programs, int32_t width, int32_t height,
                                        GLint samples, GLuint color, GLuint depth) {
  ExposureSum sum(gl, programs, width, height);
  SIGHTGLASS_RETURN_IF_ERROR(sum.allocate(samples, color, depth));
  return sum;
}

ExposureSum::ExposureSum(const GlApi& gl, Programs programs, int32_t width, int32_t height)
    : gl_(&gl),
      programs_(programs),
      width_(width),
      height_(height),
      first_location_(gl.GetUniformLocation(programs.add, "u_first")),
      output_location_(gl.GetUniformLocation(programs.show, "u_output")),
      scale_location_(gl.GetUniformLocation(programs.show, "u_scale")),
      exposure_frame_(make_framebuffer(gl)),
      rest_frame_(make_framebuffer(gl)),
      resolved_scene_frame_(make_framebuffer(gl)),
      resolved_rest_frame_(make_framebuffer(gl)),
      nearest_(make_sampler(gl, GL_NEAREST)) {
  for (Sums& sums : sums_) sums.frame = make_framebuffer(gl);
  GLuint id = 0;
  gl.GenVertexArrays(1, &id);
  no_attributes_ = {gl, id};
}

Status ExposureSum::allocate(GLint samples, GLuint color, GLuint depth) {
  const GlApi& gl = *gl_;
  clear_gl_errors(gl);
  GLuint id = 0;
  gl.GenRenderbuffers(1, &id);
  rest_ = {gl, id};
  gl.BindRenderbuffer(GL_RENDERBUFFER, id);
  gl.RenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_RGBA8, width_, height_);
  resolved_scene_ = make_texture(gl, GL_RGBA8, width_, height_);
  resolved_rest_ = make_texture(gl, GL_RGBA8, width_, height_);
  attach(gl, resolved_scene_frame_, {resolved_scene_.id()});
  attach(gl, resolved_rest_frame_, {resolved_rest_.id()});
  for (Sums& sums : sums_) {
    sums.scene = make_texture(gl, GL_RGBA16UI, width_, height_);
    sums.rest = make_texture(gl, GL_RGBA16UI, width_, height_);
    attach(gl, sums.frame, {sums.scene.id(), sums.rest.id()});
  }
  const GLenum summing = gl.CheckFramebufferStatus(GL_FRAMEBUFFER);
  // Blits read attachment 0, so the rest has its own framebuffer.
  gl.BindFramebuffer(GL_FRAMEBUFFER, rest_frame_.id());
  gl.FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, rest_.id());
  constexpr GLenum kBuffers[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
  gl.BindFramebuffer(GL_FRAMEBUFFER, exposure_frame_.id());
  gl.FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color);
  gl.FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, GL_RENDERBUFFER, rest_.id());
  gl.FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
  gl.DrawBuffers(2, kBuffers);
  const GLenum exposing = gl.CheckFramebufferStatus(GL_FRAMEBUFFER);
  gl.BindFramebuffer(GL_FRAMEBUFFER, 0);
  gl.BindRenderbuffer(GL_RENDERBUFFER, 0);
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(gl, "allocating the layers of a frame"));
  for (const GLenum completeness : {summing, exposing}) {
    if (completeness == GL_FRAMEBUFFER_COMPLETE) continue;
    return device_error("layers of " + std::to_string(width_) + "x" + std::to_string(height_) +
                        " cannot be drawn: framebuffer status " + std::to_string(completeness));
  }
  return {};
}

void ExposureSum::add(bool first) {
  const GlApi& gl = *gl_;
  const auto resolve = [&](const GlFramebuffer& from, const GlFramebuffer& to) {
    gl.BindFramebuffer(GL_READ_FRAMEBUFFER, from.id());
    gl.BindFramebuffer(GL_DRAW_FRAMEBUFFER, to.id());
    gl.BlitFramebuffer(0, 0, width_, height_, 0, 0, width_, height_, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  };
  resolve(exposure_frame_, resolved_scene_frame_);
  resolve(rest_frame_, resolved_rest_frame_);
  std::swap(sums_[0], sums_[1]);
  gl.BindFramebuffer(GL_FRAMEBUFFER, sums_[0].frame.id());
  bind_texture(gl, kSceneUnit, resolved_scene_.id(), nearest_.id());
  bind_texture(gl, kRestUnit, resolved_rest_.id(), nearest_.id());
  bind_texture(gl, kSceneSumUnit, sums_[1].scene.id(), nearest_.id());
  bind_texture(gl, kRestSumUnit, sums_[1].rest.id(), nearest_.id());
  gl.UseProgram(programs_.add);
  gl.Uniform1i(first_location_, first ? 1 : 0);
  gl.BindVertexArray(no_attributes_.id());
  gl.DrawArrays(GL_TRIANGLES, 0, 3);
  for (const GLuint unit : {kRestSumUnit, kSceneSumUnit, kRestUnit, kSceneUnit}) bind_texture(gl, unit, 0, 0);
}

void ExposureSum::show(Output output, int exposures) {
  const GlApi& gl = *gl_;
  bind_texture(gl, kSceneSumUnit, sums_[0].scene.id(), nearest_.id());
  bind_texture(gl, kRestSumUnit, sums_[0].rest.id(), nearest_.id());
  gl.UseProgram(programs_.show);
  gl.Uniform1i(output_location_, static_cast<GLint>(output));
  gl.Uniform1f(scale_location_, 1.0F / (255.0F * static_cast<float>(exposures)));
  gl.BindVertexArray(no_attributes_.id());
  gl.DrawArrays(GL_TRIANGLES, 0, 3);
  for (const GLuint unit : {kRestSumUnit, kSceneSumUnit}) bind_texture(gl, unit, 0, 0);
}

}  // namespace sightglass::figure
