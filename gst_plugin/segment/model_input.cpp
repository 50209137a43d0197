#include "segment/model_input.h"

#include <array>
#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "gl/compute.h"
#include "gl/objects.h"
#include "gl/pass.h"
#include "gobject/log.h"
#include "segment/shaders.h"
#include "sightglass/empty_frame.h"

#define GST_CAT_DEFAULT sightglass::segment_log()

namespace sightglass {

Status write_ratio(Session& session, const MaskModel& mask) {
  if (!mask.ratio_input) return {};
  const float ratio = downsample_ratio(mask);
  return session.write_input(*mask.ratio_input, std::as_bytes(std::span(&ratio, 1)));
}

Result<FeedbackInput> FeedbackInput::create(const std::shared_ptr<ShareGroup>& group, FrameKind kind, int32_t width,
                                            int32_t height) {
  const ProgramKey keys[] = {{feedback_shader(kind)}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  clear_gl_errors(group->gl());
  FeedbackInput input(group->gl(), kind, width, height, std::move(programs[0]));
  input.run(EmptyFrame(group->gl(), kind).ref(), {}, nullptr);
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

namespace {

constexpr GLintptr kFlagStride = GLintptr{kFlagWords} * 4, kSkippedOffset = GLintptr{kSkippedWord} * 4;
constexpr GLsizeiptr kBufferBytes = kSkippedOffset + kFlagStride;

int32_t still_blocks(int32_t size) { return (size + kStillBlock - 1) / kStillBlock; }

}  // namespace

Result<std::unique_ptr<StillWatcher>> StillWatcher::create(const std::shared_ptr<ShareGroup>& group, FrameKind kind,
                                                           int32_t width, int32_t height) {
  const ProgramKey keys[] = {{still_watch_shader(kind)}, {kStillKeepShader}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  clear_gl_errors(group->gl());
  std::unique_ptr<StillWatcher> result(new StillWatcher(group->gl(), width, height, std::move(programs)));
  result->watch(EmptyFrame(group->gl(), kind).ref(), {}, 0, true);
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(group->gl(), "allocating what watches for still pictures"));
  return result;
}

StillWatcher::StillWatcher(const GlApi& gl, int32_t width, int32_t height, std::vector<SharedProgram> programs)
    : gl_(&gl),
      width_(width),
      height_(height),
      blocks_x_(still_blocks(width)),
      blocks_y_(still_blocks(height)),
      programs_(std::move(programs)),
      blocks_{UniformBlock<Block>(gl), UniformBlock<Block>(gl)},
      frame_block_(gl),
      reader_(gl, sizeof(uint32_t)) {
  now_ = make_texture(gl, GL_RGBA16F, blocks_x_, blocks_y_);
  before_ = make_texture(gl, GL_RGBA16F, blocks_x_, blocks_y_);
  linear_ = make_sampler(gl, GL_LINEAR);
  const std::array<std::byte, kBufferBytes> zeros{};
  flags_ = make_storage(gl, kBufferBytes, zeros.data());
}

BufferRange StillWatcher::watch(const FrameRef& frame, const InputTransform& input_to_stored, float threshold,
                                bool force) {
  const size_t which = which_;
  which_ = 1 - which_;
  GST_TRACE_OBJECT(log_object(), "pass: comparing with the last input%s", force ? ", but the model runs anyway" : "");
  Pass pass(*gl_, linear_.id());
  pass.uniforms(kParamsBinding, blocks_[which],
                {{threshold, 0, static_cast<float>(width_), static_cast<float>(height_)},
                 {static_cast<int32_t>(which), force ? 1 : 0, 0, 0}});
  pass.uniforms(kFrameBinding, frame_block_, frame_block(frame, input_to_stored));
  pass.storage(kFlagsBlock, {flags_.id(), 0, kBufferBytes});
  pass.read(frame);
  const GLuint across = groups_across(blocks_x_), down = groups_across(blocks_y_);
  pass.read(kBeforeUnit, before_.id());
  pass.write(0, now_.id(), GL_RGBA16F);
  pass.dispatch(programs_[0]->id(), across, down);
  pass.read(kBeforeUnit, now_.id());
  pass.write(0, before_.id(), GL_RGBA16F);
  pass.dispatch(programs_[1]->id(), across, down);
  return {flags_.id(), static_cast<GLintptr>(which) * kFlagStride, sizeof(uint32_t)};
}

void StillWatcher::ask_for_skipped() { reader_.request(flags_.id(), kSkippedOffset, sizeof(uint32_t), {}); }

uint64_t StillWatcher::skipped() {
  while (const std::optional<BufferReadback::Reading> reading = reader_.poll()) {
    uint32_t count = 0;
    std::memcpy(&count, reading->bytes.data(), sizeof count);
    skipped_ += count - std::exchange(last_reading_, count);  // the count on the GPU may overflow
    GST_LOG_OBJECT(log_object(), "the GPU has skipped %" G_GUINT64_FORMAT " runs so far", skipped_);
  }
  return skipped_;
}

}  // namespace sightglass
