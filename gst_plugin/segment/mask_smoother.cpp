#include "segment/mask_smoother.h"

#include "gl/compute.h"
#include "gl/pass.h"
#include "segment/shaders.h"

namespace sightglass {

Result<MaskSmoother> MaskSmoother::create(const std::shared_ptr<ShareGroup>& group, int32_t width, int32_t height) {
  const ProgramKey keys[] = {{smooth_shader(false)}, {smooth_shader(true)}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  clear_gl_errors(group->gl());
  MaskSmoother smoother(group->gl(), std::move(programs), width, height);
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(group->gl(), "allocating the textures that smooth the mask"));
  return smoother;
}

MaskSmoother::MaskSmoother(const GlApi& gl, std::vector<SharedProgram> programs, int32_t width, int32_t height)
    : gl_(&gl), programs_(std::move(programs)), width_(width), height_(height), block_(gl) {
  for (GlTexture& texture : masks_) texture = make_texture(gl, GL_RGBA16F, width, height);
  linear_ = make_sampler(gl, GL_LINEAR);
}

TextureRef MaskSmoother::run(const TextureRef& mask, float share, const std::optional<MotionField::Motion>& motion) {
  const GlTexture& target = masks_[next_];
  next_ = 1 - next_;
  Pass pass(*gl_);
  pass.uniforms(kParamsBinding, block_, {{share}});
  if (motion) {
    pass.read(kLumaUnit, motion->luma.id, linear_.id());
    pass.read(kMotionUnit, motion->blocks.id);
  }
  // Without a previous mask, the mask is mixed with itself, so that the uniform block stays the same.
  pass.read(kBeforeUnit, has_before_ ? masks_[next_].id() : mask.id, linear_.id());
  pass.read(0, mask.id, linear_.id());
  pass.write(0, target.id(), GL_RGBA16F);
  pass.dispatch(programs_[motion ? 1 : 0]->id(), groups_across(width_), groups_across(height_));
  has_before_ = true;
  return {target.id(), GL_TEXTURE_2D, width_, height_};
}

void MaskSmoother::warm_up(const TextureRef& mask) {
  run(mask, 0, {});
  run(mask, 0, MotionField::Motion{mask, mask});
  reset();
}

}  // namespace sightglass
