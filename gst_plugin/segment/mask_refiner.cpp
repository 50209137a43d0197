#include "segment/mask_refiner.h"

#include <algorithm>
#include <utility>

#include "gl/compute.h"
#include "gl/texture_unit.h"
#include "segment/shaders.h"

namespace sightglass {

std::vector<ProgramKey> MaskRefiner::programs(FrameKind kind, Refine refine) {
  std::vector<ProgramKey> keys;
  if (refine != Refine::kNone) keys.push_back({guide_shader(kind)});
  if (refine == Refine::kGuided) {
    for (const ShaderKey& key : {kCloseFitShader, kWideFitShader, kGuidedMeanShader, kGuidedBoundsShader}) {
      keys.push_back({key});
    }
  }
  return keys;
}

Result<MaskRefiner> MaskRefiner::create(const std::shared_ptr<ShareGroup>& group, FrameKind kind, Refine refine) {
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs,
                              group->programs(MaskRefiner::programs(kind, refine)));
  return MaskRefiner(group->gl(), refine, std::move(programs));
}

MaskRefiner::Size MaskRefiner::size_for(int32_t width, int32_t height) {
  // A smaller guide shows too little of the frame; one far larger than the mask gains nothing.
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
    const Size functions = functions_of(size);
    fit_ = make_texture(*gl_, GL_RGBA16F, functions.width, functions.height);
    mean_ = make_texture(*gl_, GL_RGBA16F, functions.width, functions.height);
    trust_ = make_texture(*gl_, GL_RGBA16F, functions.width, functions.height);
    mean_trust_ = make_texture(*gl_, GL_RGBA16F, functions.width, functions.height);
    bounds_ = make_texture(*gl_, GL_RGBA8, size.width, size.height);
  }
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(*gl_, "allocating the textures that refine the mask"));
  size_ = size;
  return {};
}

MaskRefiner::Size MaskRefiner::functions_of(const Size& size) { return {(size.width + 1) / 2, (size.height + 1) / 2}; }

void MaskRefiner::dispatch(const SharedProgram& program, const Size& size) const {
  gl_->UseProgram(program->id());
  gl_->DispatchCompute(groups_across(size.width), groups_across(size.height), 1);
  gl_->MemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT | GL_SHADER_IMAGE_ACCESS_BARRIER_BIT);
}

void MaskRefiner::write(GLuint unit, const GlTexture& target, GLenum format) const {
  gl_->BindImageTexture(unit, target.id(), 0, GL_FALSE, 0, GL_WRITE_ONLY, format);
}

TextureRef MaskRefiner::run(GLuint linear) {
  write(0, guide_, GL_RGBA8);
  write(1, surroundings_, GL_RGBA16F);
  dispatch(programs_[0], size_);
  bind_texture(*gl_, kSurroundingsUnit, surroundings_.id(), linear);
  gl_->ActiveTexture(GL_TEXTURE0);
  if (refine_ != Refine::kGuided) return {guide_.id(), GL_TEXTURE_2D, size_.width, size_.height};
  const Size functions = functions_of(size_);
  const Size groups{(functions.width + kFunctionsPerInvocation - 1) / kFunctionsPerInvocation, functions.height};
  gl_->BindTexture(GL_TEXTURE_2D, guide_.id());
  write(0, mean_, GL_RGBA16F);
  write(1, mean_trust_, GL_RGBA16F);
  dispatch(programs_[1], groups);
  bind_texture(*gl_, kCloseUnit, mean_.id(), 0);
  bind_texture(*gl_, kCloseTrustUnit, mean_trust_.id(), 0);
  write(0, fit_, GL_RGBA16F);
  write(1, trust_, GL_RGBA16F);
  dispatch(programs_[2], groups);
  bind_texture(*gl_, kCloseUnit, 0, 0);
  bind_texture(*gl_, kCloseTrustUnit, 0, 0);
  bind_texture(*gl_, kSurroundingsUnit, trust_.id(), linear);
  gl_->ActiveTexture(GL_TEXTURE0);
  gl_->BindTexture(GL_TEXTURE_2D, fit_.id());
  write(0, mean_, GL_RGBA16F);
  write(1, mean_trust_, GL_RGBA16F);
  dispatch(programs_[3], functions);
  bind_texture(*gl_, kSurroundingsUnit, mean_trust_.id(), linear);
  gl_->ActiveTexture(GL_TEXTURE0);
  gl_->BindTexture(GL_TEXTURE_2D, surroundings_.id());
  write(0, bounds_, GL_RGBA8);
  dispatch(programs_[4], size_);
  bind_texture(*gl_, kSurroundingsUnit, bounds_.id(), linear);
  gl_->ActiveTexture(GL_TEXTURE0);
  return {mean_.id(), GL_TEXTURE_2D, functions.width, functions.height};
}

}  // namespace sightglass
