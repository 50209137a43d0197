#include "segment/mask_refiner.h"

#include <algorithm>
#include <utility>

#include "gl/compute.h"
#include "gl/objects.h"
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

MaskRefiner::MaskRefiner(const GlApi& gl, Refine refine, std::vector<SharedProgram> programs)
    : gl_(&gl), refine_(refine), programs_(std::move(programs)) {
  const std::array<float, kNoiseFloats> zeros{};
  if (refine == Refine::kGuided) no_noise_ = make_storage(gl, sizeof zeros, zeros.data());
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
  for (GlTexture& guide : guides_) guide = make_texture(*gl_, GL_RGBA8, size.width, size.height);
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

TextureRef MaskRefiner::run(Pass& pass, const BufferRange& noise) {
  const auto dispatch = [&](size_t program, const Size& size) {
    pass.dispatch(programs_[program]->id(), groups_across(size.width), groups_across(size.height));
  };
  const GlTexture& previous = guides_[guide_];
  guide_ = 1 - guide_;
  const GlTexture& guide = guides_[guide_];
  pass.read(kPreviousGuideUnit, previous.id());
  pass.write(0, guide.id(), GL_RGBA8);
  pass.write(1, surroundings_.id(), GL_RGBA16F);
  dispatch(0, size_);
  pass.read(kSurroundingsUnit, surroundings_.id());
  if (refine_ != Refine::kGuided) return {guide.id(), GL_TEXTURE_2D, size_.width, size_.height};
  pass.storage(kNoiseBlock, noise.size > 0 ? noise : BufferRange{no_noise_.id(), 0, kNoiseFloats * sizeof(float)});
  const Size functions = functions_of(size_);
  const Size groups{(functions.width + kFunctionsPerInvocation - 1) / kFunctionsPerInvocation, functions.height};
  pass.read(0, guide.id());
  pass.write(0, mean_.id(), GL_RGBA16F);
  pass.write(1, mean_trust_.id(), GL_RGBA16F);
  dispatch(1, groups);
  pass.read(kCloseUnit, mean_.id());
  pass.read(kCloseTrustUnit, mean_trust_.id());
  pass.write(0, fit_.id(), GL_RGBA16F);
  pass.write(1, trust_.id(), GL_RGBA16F);
  dispatch(2, groups);
  pass.read(kSurroundingsUnit, trust_.id());
  pass.read(0, fit_.id());
  pass.write(0, mean_.id(), GL_RGBA16F);
  pass.write(1, mean_trust_.id(), GL_RGBA16F);
  dispatch(3, functions);
  pass.read(kSurroundingsUnit, mean_trust_.id());
  pass.read(0, surroundings_.id());
  pass.write(0, bounds_.id(), GL_RGBA8);
  dispatch(4, size_);
  pass.read(kSurroundingsUnit, bounds_.id());
  return {mean_.id(), GL_TEXTURE_2D, functions.width, functions.height};
}

}  // namespace sightglass
