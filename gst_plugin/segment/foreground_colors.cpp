#include "segment/foreground_colors.h"

#include <algorithm>
#include <utility>

#include "gl/compute.h"
#include "gl/texture_unit.h"
#include "segment/shaders.h"

namespace sightglass {

namespace {

// For the shorter side of the frame: its maximum number of texels at the reduced size, and the radius of the wide blur
// as a fraction of it.
constexpr int32_t kMostTexels = 270;
constexpr float kWideShare = 1.0F / 12;

}  // namespace

std::vector<ProgramKey> ForegroundColors::programs(FrameKind kind, Refine refine) {
  return {{split_colors_shader(kind, refine)}, {kForegroundColorsShader}};
}

Result<ForegroundColors> ForegroundColors::create(const std::shared_ptr<ShareGroup>& group, FrameKind kind,
                                                  Refine refine) {
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs,
                              group->programs(ForegroundColors::programs(kind, refine)));
  SIGHTGLASS_ASSIGN_OR_RETURN(Blur wide_front, Blur::create(group));
  SIGHTGLASS_ASSIGN_OR_RETURN(Blur wide_behind, Blur::create(group));
  return ForegroundColors(group->gl(), std::move(programs), std::move(wide_front), std::move(wide_behind));
}

Status ForegroundColors::resize(int32_t width, int32_t height) {
  int32_t scale = 2;  // frame pixels per texel, along each axis
  while (std::min(width, height) > kMostTexels * scale) scale *= 2;
  width_ = (width + scale - 1) / scale;
  height_ = (height + scale - 1) / scale;
  recipe_ = BlurRecipe::for_radius(kWideShare * static_cast<float>(std::min(width_, height_)));
  SIGHTGLASS_RETURN_IF_ERROR(wide_front_.resize(width_, height_));
  SIGHTGLASS_RETURN_IF_ERROR(wide_behind_.resize(width_, height_));
  clear_gl_errors(*gl_);
  for (GlTexture* texture : {&front_, &behind_, &colors_}) {
    *texture = make_texture(*gl_, GL_RGBA16F, width_, height_);
  }
  Status allocated = check_gl(*gl_, "allocating the foreground's colors");
  if (!allocated.ok()) release();
  return allocated;
}

void ForegroundColors::release() {
  for (Blur* blur : {&wide_front_, &wide_behind_}) blur->release();
  for (GlTexture* texture : {&front_, &behind_, &colors_}) texture->reset();
}

void ForegroundColors::dispatch(const SharedProgram& program) const {
  gl_->UseProgram(program->id());
  gl_->DispatchCompute(groups_across(width_), groups_across(height_), 1);
  gl_->MemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT | GL_SHADER_IMAGE_ACCESS_BARRIER_BIT);
}

TextureRef ForegroundColors::run(GLuint linear) {
  const GlApi& gl = *gl_;
  const auto bind_image = [&](GLuint unit, const GlTexture& image, GLenum access) {
    gl.BindImageTexture(unit, image.id(), 0, GL_FALSE, 0, access, GL_RGBA16F);
  };
  bind_image(0, front_, GL_WRITE_ONLY);
  bind_image(1, behind_, GL_WRITE_ONLY);
  dispatch(programs_[0]);

  gl.BindTexture(GL_TEXTURE_2D, behind_.id());
  const TextureRef behind = wide_behind_.run(recipe_);
  gl.BindTexture(GL_TEXTURE_2D, front_.id());
  const TextureRef front = wide_front_.run(recipe_);

  bind_texture(gl, kBehindColorsUnit, behind.id, linear);
  bind_texture(gl, kFrontColorsUnit, front.id, linear);
  bind_texture(gl, 0, front_.id(), linear);
  bind_image(0, colors_, GL_WRITE_ONLY);
  bind_image(1, behind_, GL_READ_ONLY);
  dispatch(programs_[1]);
  return {colors_.id(), GL_TEXTURE_2D, width_, height_};
}

}  // namespace sightglass
