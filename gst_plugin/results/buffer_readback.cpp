#include "results/buffer_readback.h"

#include <algorithm>
#include <cstring>

namespace sightglass {

namespace {

// Restores the binding of a buffer target.
class BindingGuard {
 public:
  BindingGuard(const GlApi& gl, GLenum target) : gl_(gl), target_(target) {
    gl.GetIntegerv(target, &bound_);  // for the two targets used here, the query has the same name
  }
  ~BindingGuard() { gl_.BindBuffer(target_, static_cast<GLuint>(bound_)); }
  BindingGuard(const BindingGuard&) = delete;
  BindingGuard& operator=(const BindingGuard&) = delete;

 private:
  const GlApi& gl_;
  GLenum target_;
  GLint bound_ = 0;
};

}  // namespace

BufferReadback::BufferReadback(const GlApi& gl, GLsizeiptr most_bytes) : gl_(&gl), most_bytes_(most_bytes) {
  const BindingGuard guard(gl, GL_COPY_WRITE_BUFFER);
  for (Slot& slot : slots_) {
    GLuint id = 0;
    gl.GenBuffers(1, &id);
    slot.buffer = {gl, id};
    gl.BindBuffer(GL_COPY_WRITE_BUFFER, id);
    gl.BufferData(GL_COPY_WRITE_BUFFER, most_bytes, nullptr, GL_STREAM_READ);
  }
}

BufferReadback::~BufferReadback() {
  forget();
  drop_forgotten();
}

void BufferReadback::request(GLuint buffer, GLintptr offset, GLsizeiptr size, const FrameStamp& frame) {
  const GlApi& gl = *gl_;
  drop_forgotten();
  if (count_ == kSlots) {
    drop_oldest();
    ++dropped_;
  }
  Slot& slot = slots_[(oldest_ + count_) % kSlots];
  slot.size = std::min(size, most_bytes_);
  slot.frame = frame;
  const BindingGuard from(gl, GL_COPY_READ_BUFFER), to(gl, GL_COPY_WRITE_BUFFER);
  gl.BindBuffer(GL_COPY_READ_BUFFER, buffer);
  gl.BindBuffer(GL_COPY_WRITE_BUFFER, slot.buffer.id());
  gl.MemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
  gl.CopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, offset, 0, slot.size);
  slot.fence = gl.FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  ++count_;
}

std::optional<BufferReadback::Reading> BufferReadback::poll() { return take(0); }

std::optional<BufferReadback::Reading> BufferReadback::wait() { return take(kPatience); }

std::optional<BufferReadback::Reading> BufferReadback::take(GLuint64 patience_ns) {
  const GlApi& gl = *gl_;
  drop_forgotten();
  if (count_ == 0) return std::nullopt;
  const Slot& slot = slots_[oldest_];
  // The flush ensures that the fence is eventually signaled.
  const GLenum state = gl.ClientWaitSync(slot.fence, GL_SYNC_FLUSH_COMMANDS_BIT, patience_ns);
  if (state == GL_TIMEOUT_EXPIRED) return std::nullopt;
  std::optional<Reading> reading;
  if (state != GL_WAIT_FAILED) {
    const BindingGuard guard(gl, GL_COPY_READ_BUFFER);
    gl.BindBuffer(GL_COPY_READ_BUFFER, slot.buffer.id());
    if (const void* data = gl.MapBufferRange(GL_COPY_READ_BUFFER, 0, slot.size, GL_MAP_READ_BIT)) {
      reading = Reading{slot.frame, std::vector<std::byte>(static_cast<size_t>(slot.size))};
      std::memcpy(reading->bytes.data(), data, reading->bytes.size());
      gl.UnmapBuffer(GL_COPY_READ_BUFFER);
    }
  }
  drop_oldest();
  if (!reading) ++dropped_;
  return reading;
}

void BufferReadback::drop_oldest() {
  Slot& slot = slots_[oldest_];
  gl_->DeleteSync(slot.fence);
  slot.fence = nullptr;
  oldest_ = (oldest_ + 1) % kSlots;
  --count_;
}

void BufferReadback::drop_forgotten() {
  while (forgotten_ && count_ > 0) drop_oldest();
  forgotten_ = false;
}

}  // namespace sightglass
