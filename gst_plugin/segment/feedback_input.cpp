#include "segment/feedback_input.h"

#include <array>
#include <utility>
#include <vector>

#include "gl/compute.h"
#include "gl/objects.h"
#include "gl/pass.h"
#include "segment/shaders.h"

namespace sightglass {

Result<FeedbackInput> FeedbackInput::create(const std::shared_ptr<ShareGroup>& group, FrameKind kind, int32_t width,
                                            int32_t height) {
  const ProgramKey keys[] = {{feedback_shader(kind)}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  clear_gl_errors(group->gl());
  FeedbackInput input(group->gl(), kind, width, height, std::move(programs[0]));
  FrameRef nothing(TextureRef{input.no_mask_.id(), GL_TEXTURE_2D, 1, 1});
  nothing.kind = kind;
  nothing.textures.fill(kind == FrameKind::kExternal ? 0 : input.no_mask_.id());
  input.run(nothing, {}, nullptr);
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(group->gl(), "allocating a model's input with the mask before"));
  return input;
}

FeedbackInput::FeedbackInput(const GlApi& gl, FrameKind kind, int32_t width, int32_t height, SharedProgram program)
    : gl_(&gl), kind_(kind), width_(width), height_(height), program_(std::move(program)), block_(gl) {
  texture_ = make_texture(gl, GL_RGBA8, width, height);
  no_mask_ = make_texture(gl, GL_RGBA8, 1, 1);
  constexpr std::array<uint8_t, 4> kZeros{};
  fill_texture(gl, {no_mask_.id(), GL_TEXTURE_2D, 1, 1}, GL_RGBA, kZeros.data());
  linear_ = make_sampler(gl, GL_LINEAR);
}

void FeedbackInput::run(const FrameRef& frame, const InputTransform& input_to_stored, const TextureRef* mask) {
  Pass pass(*gl_, linear_.id());
  pass.uniforms(kFrameBinding, block_, frame_block(frame, input_to_stored));
  pass.read(kMaskUnit, mask != nullptr ? mask->id : no_mask_.id());
  pass.read(frame);
  pass.write(0, texture_.id(), GL_RGBA8);
  pass.dispatch(program_->id(), groups_across(width_), groups_across(height_));
}

}  // namespace sightglass
