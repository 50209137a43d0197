#include "segment/mask_smoother.h"

#include "gl/compute.h"
#include "gl/texture_unit.h"
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
  gl_->UseProgram(programs_[motion ? 1 : 0]->id());
  block_.bind(kParamsBinding, {{share}});
  if (motion) {
    bind_texture(*gl_, kLumaUnit, motion->luma.id, linear_.id());
    bind_texture(*gl_, kMotionUnit, motion->blocks.id, 0);
  }
  // Without a previous mask, the mask is mixed with itself, so that the uniform block stays the same.
  bind_texture(*gl_, kBeforeUnit, has_before_ ? masks_[next_].id() : mask.id, linear_.id());
  bind_texture(*gl_, 0, mask.id, linear_.id());
  gl_->BindImageTexture(0, target.id(), 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA16F);
  gl_->DispatchCompute(groups_across(width_), groups_across(height_), 1);
  gl_->MemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT | GL_SHADER_IMAGE_ACCESS_BARRIER_BIT);
  gl_->BindImageTexture(0, 0, 0, GL_FALSE, 0, GL_READ_ONLY, GL_R32UI);
  if (motion) {
    bind_texture(*gl_, kMotionUnit, 0, 0);
    bind_texture(*gl_, kLumaUnit, 0, 0);
  }
  bind_texture(*gl_, kBeforeUnit, 0, 0);
  bind_texture(*gl_, 0, 0, 0);
  gl_->BindBufferBase(GL_UNIFORM_BUFFER, kParamsBinding, 0);
  gl_->UseProgram(0);
  has_before_ = true;
  return {target.id(), GL_TEXTURE_2D, width_, height_};
}

void MaskSmoother::warm_up(const TextureRef& mask) {
  run(mask, 0, {});
  run(mask, 0, MotionField::Motion{mask, mask});
  reset();
}

}  // namespace sightglass
