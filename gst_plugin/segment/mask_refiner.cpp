#include "segment/mask_refiner.h"

#include <algorithm>
#include <utility>

#include "gl/compute.h"
#include "gl/texture_unit.h"
#include "segment/shaders.h"

namespace sightglass {

Result<MaskRefiner> MaskRefiner::create(const std::shared_ptr<ShareGroup>& group, FrameKind kind, Refine refine) {
  std::vector<ProgramKey> keys;
  if (refine != Refine::kNone) keys.push_back({guide_shader(kind)});
  if (refine == Refine::kGuided) {
    keys.push_back({kGuidedFitShader});
    keys.push_back({kGuidedMeanShader});
  }
  SG_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  return MaskRefiner(group->gl(), refine, std::move(programs));
}

MaskRefiner::Size MaskRefiner::size_for(int32_t width, int32_t height) {
  // Below this the guide shows too little of the frame; far above the mask's own size there is nothing to gain.
  constexpr int32_t kLeast = 128, kMostTimes = 4;
  const int32_t longer = std::max({width, height, 1});
  const int32_t times = std::clamp((kLeast + longer - 1) / longer, 1, kMostTimes);
  return {width * times, height * times};
}

Status MaskRefiner::resize(const TextureRef& mask) {
  const Size size = size_for(mask.width, mask.height);
  if (refine_ == Refine::kNone || size == size_) return {};
  clear_gl_errors(*gl_);
  guide_ = make_texture(*gl_, GL_RGBA8, size.width, size.height);
  surroundings_ = make_texture(*gl_, GL_RGBA16F, size.width, size.height);
  if (refine_ == Refine::kGuided) {
    fit_ = make_texture(*gl_, GL_RGBA16F, size.width, size.height);
    mean_ = make_texture(*gl_, GL_RGBA16F, size.width, size.height);
  }
  SG_RETURN_IF_ERROR(check_gl(*gl_, "allocating what refines the mask"));
  size_ = size;
  return {};
}

void MaskRefiner::dispatch(const SharedProgram& program, const GlTexture& target, GLenum format) const {
  gl_->UseProgram(program->id());
  gl_->BindImageTexture(0, target.id(), 0, GL_FALSE, 0, GL_WRITE_ONLY, format);
  gl_->DispatchCompute(groups_across(size_.width), groups_across(size_.height), 1);
  gl_->MemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT | GL_SHADER_IMAGE_ACCESS_BARRIER_BIT);
}

TextureRef MaskRefiner::run(GLuint linear) {
  gl_->BindImageTexture(1, surroundings_.id(), 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA16F);
  dispatch(programs_[0], guide_, GL_RGBA8);
  bind_texture(*gl_, kSurroundingsUnit, surroundings_.id(), linear);
  gl_->ActiveTexture(GL_TEXTURE0);
  GLuint result = guide_.id();
  if (refine_ == Refine::kGuided) {
    gl_->BindTexture(GL_TEXTURE_2D, guide_.id());
    dispatch(programs_[1], fit_, GL_RGBA16F);
    gl_->BindTexture(GL_TEXTURE_2D, fit_.id());
    dispatch(programs_[2], mean_, GL_RGBA16F);
    result = mean_.id();
  }
  return {result, GL_TEXTURE_2D, size_.width, size_.height};
}

}  // namespace sightglass
