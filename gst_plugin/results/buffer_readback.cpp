#include "results/buffer_readback.h"

#include <algorithm>
#include <cstring>

#include "gl/objects.h"

namespace sightglass {

BufferReadback::BufferReadback(const GlApi& gl, GLsizeiptr most_bytes) : gl_(&gl), most_bytes_(most_bytes) {
  for (Slot& slot : slots_) slot.buffer = make_buffer(gl, most_bytes, nullptr, GL_STREAM_READ);
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
  gl.MemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
  copy_buffer(gl, {buffer, offset, slot.size}, slot.buffer.id());
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
    const BufferBinding bound(gl, GL_COPY_READ_BUFFER, slot.buffer.id());
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
