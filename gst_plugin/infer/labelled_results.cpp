#include "infer/labelled_results.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gl/compute.h"
#include "gl/pass.h"
#include "infer/shaders.h"

namespace sightglass {

Result<LabelledResults> LabelledResults::create(const std::shared_ptr<ShareGroup>& group, const ShaderKey& shader,
                                                std::span<const std::string> labels) {
  const std::array<ProgramKey, 1> keys{ProgramKey{shader}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  return LabelledResults(group, std::move(programs[0]), LabelTable(group->gl(), labels), shader == kDrawClassesShader);
}

LabelledResults::LabelledResults(std::shared_ptr<ShareGroup> group, SharedProgram program, LabelTable labels,
                                 bool are_classes)
    : group_(std::move(group)),
      program_(std::move(program)),
      labels_(std::move(labels)),
      are_classes_(are_classes),
      of_each_(are_classes ? kLabelledScore : kLabelledBox + kMaxDetectionPoints),
      primitives_(group_->gl(), of_each_ * kMaxDetections),
      block_(group_->gl()) {}

PrimitiveRange LabelledResults::primitives(const BufferRange& detections, int32_t width, int32_t height,
                                           const InferLook& look) {
  const int32_t room = std::clamp(look.max_results, 1, kMaxDetections);
  constexpr float kBest = 1.6f;  // line size of the best class relative to the others
  const float text_height = text_height_in(height, look) * (are_classes_ ? kBest : 1);
  labels_.set_height(std::max(1, static_cast<int32_t>(std::lround(text_height))));
  PrimitiveRange range = primitives_.range();
  range.count = room * of_each_;
  range.text = labels_.texture();
  Block block;
  block.picture = {static_cast<float>(width), static_cast<float>(height), 1.5f * line_width_in(height, look),
                   1 / kBest};
  block.counts = {room, 0, 0, 0};
  Pass pass(group_->gl());
  pass.uniforms(kParamsBinding, block_, block);
  pass.storage({detections, primitives_.storage(range.count), labels_.block()});
  pass.dispatch(program_->id(), groups_of(range.count));
  return range;
}

}  // namespace sightglass
