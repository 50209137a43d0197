#include "segment/feedback_input.h"

#include <array>
#include <utility>
#include <vector>

#include "gl/compute.h"
#include "gl/texture_unit.h"
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
  gl.BindTexture(GL_TEXTURE_2D, no_mask_.id());
  gl.TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, kZeros.data());
  gl.BindTexture(GL_TEXTURE_2D, 0);
  linear_ = make_sampler(gl, GL_LINEAR);
}

void FeedbackInput::run(const FrameRef& frame, const InputTransform& input_to_stored, const TextureRef* mask) {
  gl_->UseProgram(program_->id());
  block_.bind(kFrameBinding, frame_block(frame, input_to_stored));
  bind_texture(*gl_, kMaskUnit, mask != nullptr ? mask->id : no_mask_.id(), linear_.id());
  bind_frame(*gl_, frame, linear_.id(), linear_.id());
  gl_->BindImageTexture(0, texture_.id(), 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA8);
  gl_->DispatchCompute(groups_across(width_), groups_across(height_), 1);
  gl_->MemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT | GL_SHADER_IMAGE_ACCESS_BARRIER_BIT);
  gl_->BindImageTexture(0, 0, 0, GL_FALSE, 0, GL_READ_ONLY, GL_R32UI);
  bind_texture(*gl_, kMaskUnit, 0, 0);
  unbind_frame(*gl_, kind_);
  gl_->BindBufferBase(GL_UNIFORM_BUFFER, kFrameBinding, 0);
  gl_->UseProgram(0);
}

}  // namespace sightglass
