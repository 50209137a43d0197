#include "infer/labelled_results.h"

#include <algorithm>
#include <utility>

#include "gl/compute.h"
#include "infer/shaders.h"

namespace sightglass {

namespace {

// As in shaders/draw/labels.glsl and the two shaders.
constexpr GLsizei kScoreCharacters = 5;
constexpr GLsizei kOfLabel = 1 + LabelTable::kMostCharacters + kScoreCharacters;
constexpr GLsizei kInvocations = 64;

}  // namespace

Result<LabelledResults> LabelledResults::create(const std::shared_ptr<ShareGroup>& group, const ShaderKey& shader,
                                                std::span<const std::string> labels) {
  const std::array<ProgramKey, 1> keys{ProgramKey{shader}};
  SG_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  SG_ASSIGN_OR_RETURN(LabelTable table, LabelTable::create(group->gl(), labels));
  // A box has its outline and points besides.
  const GLsizei of_each = shader == kDrawClassesShader ? kOfLabel : 1 + kOfLabel + kMaxDetectionPoints;
  return LabelledResults(group, std::move(programs[0]), std::move(table), of_each);
}

LabelledResults::LabelledResults(std::shared_ptr<ShareGroup> group, SharedProgram program, LabelTable labels,
                                 GLsizei of_each)
    : group_(std::move(group)),
      program_(std::move(program)),
      labels_(std::move(labels)),
      of_each_(of_each),
      primitives_(group_->gl(), of_each * kMaxDetections),
      block_(group_->gl()),
      sampler_(make_sampler(group_->gl(), GL_NEAREST)) {}

PrimitiveRange LabelledResults::primitives(const BufferRange& detections, int32_t width, int32_t height,
                                           const InferLook& look) {
  const GlApi& gl = group_->gl();
  const int32_t room = std::clamp(look.max_results, 1, kMaxDetections);
  PrimitiveRange range = primitives_.range();
  range.count = room * of_each_;
  Block block;
  block.picture = {static_cast<float>(width), static_cast<float>(height), text_height_in(height, look),
                   1.5f * line_width_in(height, look)};
  block.counts = {room, 0, 0, 0};
  block_.bind(kParamsBinding, block);
  gl.ActiveTexture(GL_TEXTURE0);
  gl.BindTexture(GL_TEXTURE_2D, labels_.texture());
  gl.BindSampler(0, sampler_.id());
  const BufferRange target{primitives_.id(), 0, range.count * static_cast<GLsizeiptr>(sizeof(Primitive))};
  dispatch(gl, program_->id(), {detections, target},
           static_cast<GLuint>((range.count + kInvocations - 1) / kInvocations));
  gl.BindTexture(GL_TEXTURE_2D, 0);
  gl.BindSampler(0, 0);
  return range;
}

}  // namespace sightglass
