#include "segment/region.h"

#include <utility>

#include "gl/compute.h"
#include "gl/pass.h"
#include "segment/shaders.h"

namespace sightglass {

namespace {

constexpr GLsizeiptr kWord = sizeof(uint32_t);
constexpr GLsizeiptr kStateBytes = (kRegionFlagWord + 4) * kWord;  // REGION in std430 layout, with padding

// The parameters of segment/region_place.comp, by PersonRegion::kRegion to kSecond.
constexpr std::array<std::array<float, 4>, 4> kStages{{{0, 1, 1, 0}, {1, 0, 1, 1}, {1, 1, 1, 0}, {0, 1, 0, 1}}};

}  // namespace

Result<PersonRegion> PersonRegion::create(const std::shared_ptr<ShareGroup>& group, const TextureRef& mask,
                                          int32_t input_width, int32_t input_height) {
  const ProgramKey keys[] = {{kRegionPlaceShader}, {kRegionFindShader}, {kRegionPasteShader}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  clear_gl_errors(group->gl());
  PersonRegion region(group->gl(), std::move(programs), mask, input_width, input_height);
  FrameRef nothing(TextureRef{mask.id, GL_TEXTURE_2D, 1, 1});
  region.begin(0, nothing, {}, region.state(), {});
  region.end(0, 1, 1);
  region.paste();
  region.forget();
  {
    Pass pass(group->gl());  // uploads all of them, so that frames do not
    for (size_t i = 0; i < kStages.size(); ++i) pass.uniforms(kParamsBinding, region.params_.at(i), {kStages.at(i)});
  }
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(group->gl(), "allocating what follows the region of people"));
  return region;
}

PersonRegion::PersonRegion(const GlApi& gl, std::vector<SharedProgram> programs, const TextureRef& mask,
                           int32_t input_width, int32_t input_height)
    : gl_(&gl),
      programs_(std::move(programs)),
      model_mask_(mask),
      input_width_(static_cast<float>(input_width)),
      input_height_(static_cast<float>(input_height)),
      whole_(make_texture(gl, GL_RGBA8, mask.width, mask.height)),
      place_(make_storage(gl, sizeof(FrameBlock))),
      linear_(make_sampler(gl, GL_LINEAR)),
      frame_block_(gl),
      params_{UniformBlock<Params>(gl), UniformBlock<Params>(gl), UniformBlock<Params>(gl), UniformBlock<Params>(gl),
              UniformBlock<Params>(gl)} {
  const std::array<float, kStateBytes / sizeof(float)> whole{0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1};
  state_ = make_storage(gl, sizeof whole, whole.data());
  const std::array<uint32_t, kFlagBytes / sizeof(uint32_t)> ones{1, 1, 1, 1};
  always_ = make_storage(gl, sizeof ones, ones.data());
}

BufferRange PersonRegion::state() const { return {state_.id(), 0, kStateBytes}; }

void PersonRegion::plan(bool one_stage) {
  if (running_) return;
  const bool looks = runs_ == 0 || runs_ >= kRegionInterval;
  looks_first_ = looks && !one_stage;
  looks_ = looks && one_stage;
}

void PersonRegion::forget() {
  running_ = false;
  runs_ = 0;
}

BufferRange PersonRegion::begin(size_t stage, const FrameRef& frame, const InputTransform& whole_to_stored,
                                const BufferRange& noise, const BufferRange& wanted) {
  running_ = true;
  const bool looks = looks_ || (looks_first_ && stage == 0);
  const bool may_skip = looks_first_ && stage == 0 && runs_ > 0;  // if the region is the whole frame
  Pass pass(*gl_);
  pass.uniforms(kFrameBinding, frame_block_, frame_block(frame, whole_to_stored));
  const size_t block = stage > 0 ? kSecond : may_skip ? kLook : looks ? kWhole : kRegion;
  pass.uniforms(kParamsBinding, params_.at(block), {kStages.at(block)});
  pass.storage(kRegionBlock, state());
  pass.storage(kRegionPlaceBlock, {place_.id(), 0, sizeof(FrameBlock)});
  pass.storage(kRegionNoiseBlock, noise);
  pass.storage(kRegionWantedBlock, wanted.buffer != 0 ? wanted : BufferRange{always_.id(), 0, sizeof(uint32_t)});
  pass.dispatch(programs_[0]->id());
  return may_skip || wanted.buffer != 0 ? BufferRange{state_.id(), kRegionFlagWord * kWord, kWord} : BufferRange{};
}

void PersonRegion::end(size_t stage, float width, float height) {
  Pass pass(*gl_);
  pass.uniforms(kParamsBinding, params_[kEnd], {{width, height, input_width_, input_height_}});
  pass.storage(kRegionBlock, state());
  pass.read(kMaskUnit, model_mask_.id, linear_.id());
  pass.dispatch(programs_[1]->id());
  if (stage + 1 < stages()) {
    paste();  // in case that the mask of the next stage is not trusted
    return;
  }
  running_ = false;
  runs_ = runs_ < kRegionInterval ? runs_ + 1 : 1;
}

TextureRef PersonRegion::paste() {
  Pass pass(*gl_);
  pass.storage(kRegionBlock, state());
  pass.read(kMaskUnit, model_mask_.id, linear_.id());
  pass.write(0, whole_.id(), GL_RGBA8);
  pass.dispatch(programs_[2]->id(), groups_across(model_mask_.width), groups_across(model_mask_.height));
  return mask();
}

}  // namespace sightglass
