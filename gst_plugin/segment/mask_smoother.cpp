#include "segment/mask_smoother.h"

#include <vector>

#include "gl/compute.h"
#include "gl/texture_unit.h"
#include "segment/shaders.h"

namespace sightglass {

Result<MaskSmoother> MaskSmoother::create(const std::shared_ptr<ShareGroup>& group, const TextureRef& mask) {
  const ProgramKey keys[] = {{kSmoothShader}};
  SG_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  clear_gl_errors(group->gl());
  MaskSmoother smoother(group->gl(), std::move(programs[0]), mask);
  SG_RETURN_IF_ERROR(check_gl(group->gl(), "allocating what smooths the mask"));
  return smoother;
}

MaskSmoother::MaskSmoother(const GlApi& gl, SharedProgram program, const TextureRef& mask)
    : gl_(&gl), program_(std::move(program)), mask_(mask), block_(gl) {
  for (GlTexture& texture : masks_) texture = make_texture(gl, GL_RGBA16F, mask.width, mask.height);
}

TextureRef MaskSmoother::run(float share) {
  const GlTexture& target = masks_[next_];
  next_ = 1 - next_;
  gl_->UseProgram(program_->id());
  block_.bind(kParamsBinding, {{share}});
  // Without one before, the mask is averaged with itself: the block stays as it is.
  bind_texture(*gl_, kBeforeUnit, has_before_ ? masks_[next_].id() : mask_.id, 0);
  bind_texture(*gl_, 0, mask_.id, 0);
  gl_->BindImageTexture(0, target.id(), 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA16F);
  gl_->DispatchCompute(groups_across(mask_.width), groups_across(mask_.height), 1);
  gl_->MemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT | GL_SHADER_IMAGE_ACCESS_BARRIER_BIT);
  gl_->BindImageTexture(0, 0, 0, GL_FALSE, 0, GL_READ_ONLY, GL_R32UI);
  bind_texture(*gl_, kBeforeUnit, 0, 0);
  bind_texture(*gl_, 0, 0, 0);
  gl_->BindBufferBase(GL_UNIFORM_BUFFER, kParamsBinding, 0);
  gl_->UseProgram(0);
  has_before_ = true;
  return {target.id(), GL_TEXTURE_2D, mask_.width, mask_.height};
}

}  // namespace sightglass
