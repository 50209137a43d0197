#include "figure/exposure_sum.h"

#include <utility>

#include "figure/shaders.h"
#include "gl/objects.h"

namespace sightglass::figure {

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
      nearest_(make_sampler(gl, GL_NEAREST)),
      no_attributes_(make_vertex_array(gl)) {}

Status ExposureSum::allocate(GLint samples, GLuint color, GLuint depth) {
  const GlApi& gl = *gl_;
  constexpr const char* kWhat = "the layers of a frame";
  clear_gl_errors(gl);
  rest_ = make_renderbuffer(gl, samples, GL_RGBA8, width_, height_);
  resolved_scene_ = make_texture(gl, GL_RGBA8, width_, height_);
  resolved_rest_ = make_texture(gl, GL_RGBA8, width_, height_);
  SIGHTGLASS_ASSIGN_OR_RETURN(resolved_scene_frame_, make_framebuffer(gl, kWhat, {{.texture = resolved_scene_.id()}}));
  SIGHTGLASS_ASSIGN_OR_RETURN(resolved_rest_frame_, make_framebuffer(gl, kWhat, {{.texture = resolved_rest_.id()}}));
  for (Sums& sums : sums_) {
    sums.scene = make_texture(gl, GL_RGBA16UI, width_, height_);
    sums.rest = make_texture(gl, GL_RGBA16UI, width_, height_);
    SIGHTGLASS_ASSIGN_OR_RETURN(
        sums.frame, make_framebuffer(gl, kWhat, {{.texture = sums.scene.id()}, {.texture = sums.rest.id()}}));
  }
  // Blits read attachment 0, so the rest has its own framebuffer.
  SIGHTGLASS_ASSIGN_OR_RETURN(rest_frame_, make_framebuffer(gl, kWhat, {{.renderbuffer = rest_.id()}}));
  SIGHTGLASS_ASSIGN_OR_RETURN(
      exposure_frame_, make_framebuffer(gl, kWhat, {{.renderbuffer = color}, {.renderbuffer = rest_.id()}}, depth));
  return check_gl(gl, "allocating the layers of a frame");
}

void ExposureSum::add(Pass& pass, bool first) {
  pass.blit(exposure_frame_.id(), resolved_scene_frame_.id(), width_, height_);
  pass.blit(rest_frame_.id(), resolved_rest_frame_.id(), width_, height_);
  std::swap(sums_[0], sums_[1]);
  pass.into(sums_[0].frame.id());
  pass.read(kSceneUnit, resolved_scene_.id(), nearest_.id());
  pass.read(kRestUnit, resolved_rest_.id(), nearest_.id());
  read_sums(pass, sums_[1]);
  pass.use(programs_.add, no_attributes_.id());
  gl_->Uniform1i(first_location_, first ? 1 : 0);
  pass.draw(programs_.add, no_attributes_.id());
}

void ExposureSum::show(Pass& pass, Output output, int exposures) {
  read_sums(pass, sums_[0]);
  pass.use(programs_.show, no_attributes_.id());
  gl_->Uniform1i(output_location_, static_cast<GLint>(output));
  gl_->Uniform1f(scale_location_, 1.0F / (255.0F * static_cast<float>(exposures)));
  pass.draw(programs_.show, no_attributes_.id());
}

void ExposureSum::read_sums(Pass& pass, const Sums& sums) const {
  pass.read(kSceneSumUnit, sums.scene.id(), nearest_.id());
  pass.read(kRestSumUnit, sums.rest.id(), nearest_.id());
}

}  // namespace sightglass::figure
