#include "segment/frame_pair.h"

#include <utility>

#include "gl/compute.h"
#include "gl/pass.h"
#include "segment/mask_refiner.h"
#include "segment/shaders.h"

namespace sightglass {

Result<FramePair> FramePair::create(const std::shared_ptr<ShareGroup>& group, FrameKind kind, int32_t mask_width,
                                    int32_t mask_height) {
  const ProgramKey keys[] = {{luma_shader(kind)}, {noise_shader(kind)}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  clear_gl_errors(group->gl());
  // Masks of few pixels show too little of the frame.
  const MaskRefiner::Size size = MaskRefiner::size_for(mask_width, mask_height);
  FramePair pair(group->gl(), size.width, size.height, std::move(programs));
  const GlTexture black = make_texture(group->gl(), GL_RGBA8, 1, 1);
  FrameRef nothing(TextureRef{black.id(), GL_TEXTURE_2D, 1, 1});
  nothing.kind = kind;
  nothing.textures.fill(kind == FrameKind::kExternal ? 0 : black.id());
  pair.see(nothing, {});
  pair.reset();
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(group->gl(), "allocating the textures that compare frames"));
  return pair;
}

FramePair::FramePair(const GlApi& gl, int32_t width, int32_t height, std::vector<SharedProgram> programs)
    : gl_(&gl),
      width_(width),
      height_(height),
      programs_(std::move(programs)),
      linear_(make_sampler(gl, GL_LINEAR)),
      frame_block_(gl),
      block_(gl) {
  for (GlTexture& texture : lumas_) texture = make_texture(gl, GL_RGBA16F, width, height);
  const std::array<float, kNoiseFloats> zeros{};
  noise_ = make_storage(gl, sizeof zeros, zeros.data());
}

void FramePair::see(const FrameRef& frame, const InputTransform& mask_to_stored) {
  Pass pass(*gl_, linear_.id());
  pass.uniforms(kFrameBinding, frame_block_, frame_block(frame, mask_to_stored));
  pass.uniforms(kParamsBinding, block_, {{has_previous_ ? 1.0F : 0.0F}});
  pass.read(frame);
  pass.read(kLumaUnit, lumas_[current_].id());
  pass.write(0, lumas_[1 - current_].id(), GL_RGBA16F);
  pass.dispatch(programs_[0]->id(), groups_across(width_), groups_across(height_));
  pass.read(kLumaUnit, lumas_[1 - current_].id());
  pass.storage(kNoiseBlock, noise());
  pass.dispatch(programs_[1]->id());
  has_seen_ = true;
}

std::optional<SeenFrame> FramePair::follow() {
  if (!std::exchange(has_seen_, false)) {
    has_previous_ = false;  // the stored frame is not that of the mask
    return {};
  }
  current_ = 1 - current_;
  SeenFrame seen = last();
  seen.has_previous = std::exchange(has_previous_, true);
  return seen;
}

SeenFrame FramePair::last() const {
  return {{lumas_[current_].id(), GL_TEXTURE_2D, width_, height_}, noise(), has_previous_};
}

BufferRange FramePair::noise() const { return {noise_.id(), 0, kNoiseFloats * sizeof(float)}; }

}  // namespace sightglass
