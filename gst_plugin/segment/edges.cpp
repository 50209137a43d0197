#include "segment/edges.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "gl/compute.h"
#include "gl/pass.h"
#include "segment/shaders.h"

namespace sightglass {

EdgeShape EdgeShape::of(float feather, float edge_offset) {
  if (feather >= 0) return {edge_offset, feather};
  // The blur is centered in the strip that it fills. At half the frame size, it cannot be narrower.
  const float radius = std::max(-0.5F * feather, BlurRecipe::kLeastRadius);
  return {edge_offset - radius, radius};
}

std::vector<ProgramKey> EdgeShaper::programs() { return {{kShiftEdgeShader}}; }

Result<EdgeShaper> EdgeShaper::create(const std::shared_ptr<ShareGroup>& group) {
  SIGHTGLASS_ASSIGN_OR_RETURN(Blur blur, Blur::create(group));
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(EdgeShaper::programs()));
  return EdgeShaper(group->gl(), std::move(blur), std::move(programs[0]));
}

TextureRef EdgeShaper::run(Pass& pass, const SharedProgram& first, const EdgeShape& shape) {
  blur_.begin(pass, first);
  const float texels = 0.5F * std::abs(shape.offset);
  constexpr float kMostTexels = 4;  // per pass
  const float passes = std::ceil(texels / kMostTexels);
  if (passes > 0) pass.uniforms(kParamsBinding, shift_, {{texels / passes, shape.offset > 0 ? 1.0F : -1.0F}});
  for (float i = 0; i < passes; ++i) blur_.apply(pass, program_);
  return blur_.finish(pass, BlurRecipe::for_radius(shape.radius));
}

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

TextureRef ForegroundColors::run(Pass& pass) {
  const GLuint across = groups_across(width_), down = groups_across(height_);
  pass.write(0, front_.id(), GL_RGBA16F);
  pass.write(1, behind_.id(), GL_RGBA16F);
  pass.dispatch(programs_[0]->id(), across, down);

  const TextureRef behind = wide_behind_.run(pass, behind_, recipe_);
  const TextureRef front = wide_front_.run(pass, front_, recipe_);

  pass.read(kBehindColorsUnit, behind.id);
  pass.read(kFrontColorsUnit, front.id);
  pass.read(0, front_.id());
  pass.write(0, colors_.id(), GL_RGBA16F);
  pass.load(1, behind_.id(), GL_RGBA16F);
  pass.dispatch(programs_[1]->id(), across, down);
  return {colors_.id(), GL_TEXTURE_2D, width_, height_};
}

}  // namespace sightglass
