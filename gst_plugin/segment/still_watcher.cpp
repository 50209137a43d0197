#include "segment/still_watcher.h"

#include <cstring>
#include <optional>
#include <utility>

#include "gl/compute.h"
#include "gl/texture_unit.h"
#include "segment/log.h"
#include "segment/shaders.h"

#define GST_CAT_DEFAULT sightglass::segment_log()

namespace sightglass {

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
  std::unique_ptr<StillWatcher> result(new StillWatcher(group->gl(), kind, width, height, std::move(programs)));
  FrameRef nothing(TextureRef{result->now_.id(), GL_TEXTURE_2D, 1, 1});
  nothing.kind = kind;
  nothing.textures.fill(kind == FrameKind::kExternal ? 0 : result->before_.id());
  result->watch(nothing, {}, 0, true);
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(group->gl(), "allocating what watches for still pictures"));
  return result;
}

StillWatcher::StillWatcher(const GlApi& gl, FrameKind kind, int32_t width, int32_t height,
                           std::vector<SharedProgram> programs)
    : gl_(&gl),
      kind_(kind),
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
  GLuint id = 0;
  gl.GenBuffers(1, &id);
  flags_ = {gl, id};
  const std::array<std::byte, kBufferBytes> zeros{};
  gl.BindBuffer(GL_SHADER_STORAGE_BUFFER, id);
  gl.BufferData(GL_SHADER_STORAGE_BUFFER, kBufferBytes, zeros.data(), GL_DYNAMIC_COPY);
  gl.BindBuffer(GL_SHADER_STORAGE_BUFFER, 0);
}

void StillWatcher::dispatch(const SharedProgram& program, const GlTexture& read, const GlTexture& written) {
  gl_->UseProgram(program->id());
  bind_texture(*gl_, kBeforeUnit, read.id(), linear_.id());
  gl_->BindImageTexture(0, written.id(), 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA16F);
  gl_->DispatchCompute(groups_across(blocks_x_), groups_across(blocks_y_), 1);
  gl_->MemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT | GL_SHADER_IMAGE_ACCESS_BARRIER_BIT | GL_SHADER_STORAGE_BARRIER_BIT);
}

BufferRange StillWatcher::watch(const FrameRef& frame, const InputTransform& input_to_stored, float threshold,
                                bool force) {
  const size_t which = which_;
  which_ = 1 - which_;
  GST_TRACE_OBJECT(log_object(), "pass: comparing with the last input%s", force ? ", but the model runs anyway" : "");
  blocks_[which].bind(kParamsBinding, {{threshold, 0, static_cast<float>(width_), static_cast<float>(height_)},
                                       {static_cast<int32_t>(which), force ? 1 : 0, 0, 0}});
  frame_block_.bind(kFrameBinding, frame_block(frame, input_to_stored));
  gl_->BindBufferBase(GL_SHADER_STORAGE_BUFFER, kFlagsBlock, flags_.id());
  bind_frame(*gl_, frame, linear_.id(), linear_.id());
  dispatch(programs_[0], before_, now_);
  dispatch(programs_[1], now_, before_);
  gl_->BindImageTexture(0, 0, 0, GL_FALSE, 0, GL_READ_ONLY, GL_R32UI);
  bind_texture(*gl_, kBeforeUnit, 0, 0);
  unbind_frame(*gl_, kind_);
  gl_->BindBufferBase(GL_SHADER_STORAGE_BUFFER, kFlagsBlock, 0);
  for (const GLuint binding : {kParamsBinding, kFrameBinding}) {
    gl_->BindBufferBase(GL_UNIFORM_BUFFER, binding, 0);
  }
  gl_->UseProgram(0);
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
