#include "segment/motion_field.h"

#include <utility>

#include "gl/compute.h"
#include "gl/pass.h"
#include "segment/mask_refiner.h"
#include "segment/motion.h"
#include "segment/shaders.h"

namespace sightglass {

namespace {

int32_t motion_blocks(int32_t pixels) { return (pixels + kMotionBlock - 1) / kMotionBlock; }

}  // namespace

Result<MotionField> MotionField::create(const std::shared_ptr<ShareGroup>& group, FrameKind kind, int32_t width,
                                        int32_t height) {
  const ProgramKey keys[] = {{luma_shader(kind)}, {kMotionShader}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  clear_gl_errors(group->gl());
  // Masks of few pixels show too little of the frame.
  const MaskRefiner::Size size = MaskRefiner::size_for(width, height);
  MotionField field(group->gl(), size.width, size.height, std::move(programs));
  const GlTexture black = make_texture(group->gl(), GL_RGBA8, 1, 1);
  FrameRef nothing(TextureRef{black.id(), GL_TEXTURE_2D, 1, 1});
  nothing.kind = kind;
  nothing.textures.fill(kind == FrameKind::kExternal ? 0 : black.id());
  field.see(nothing, {});
  field.match();
  field.reset();
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(group->gl(), "allocating the textures that measure motion"));
  return field;
}

MotionField::MotionField(const GlApi& gl, int32_t width, int32_t height, std::vector<SharedProgram> programs)
    : gl_(&gl), width_(width), height_(height), programs_(std::move(programs)), frame_block_(gl) {
  for (GlTexture& texture : lumas_) texture = make_texture(gl, GL_RGBA8, width, height);
  blocks_ = make_texture(gl, GL_RGBA16F, motion_blocks(width), motion_blocks(height));
  linear_ = make_sampler(gl, GL_LINEAR);
}

void MotionField::see(const FrameRef& frame, const InputTransform& mask_to_stored) {
  Pass pass(*gl_, linear_.id());
  pass.uniforms(kFrameBinding, frame_block_, frame_block(frame, mask_to_stored));
  pass.read(kLumaUnit, lumas_[current_].id(), 0);
  pass.read(frame);
  pass.write(0, lumas_[1 - current_].id(), GL_RGBA8);
  pass.dispatch(programs_[0]->id(), groups_across(width_), groups_across(height_));
  has_seen_ = true;
}

std::optional<MotionField::Motion> MotionField::follow() {
  if (!std::exchange(has_seen_, false)) {
    has_previous_ = false;  // the stored frame is not that of the mask
    return {};
  }
  current_ = 1 - current_;
  if (!std::exchange(has_previous_, true)) return {};
  return match();
}

MotionField::Motion MotionField::match() {
  const GlTexture& luma = lumas_[current_];
  const int32_t across = motion_blocks(width_), down = motion_blocks(height_);
  Pass pass(*gl_);
  pass.read(0, luma.id());
  pass.write(0, blocks_.id(), GL_RGBA16F);
  pass.dispatch(programs_[1]->id(), static_cast<GLuint>(across), static_cast<GLuint>(down));
  return {{luma.id(), GL_TEXTURE_2D, width_, height_}, {blocks_.id(), GL_TEXTURE_2D, across, down}};
}

}  // namespace sightglass
