// Brings small results from the GPU to the CPU without waiting: a copy into a ring of buffers at the end of a frame,
// which is read when a later frame finds it complete.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "gpu_engine/gl_objects.h"
#include "meta/inference_results.h"

namespace sightglass {

// All calls but forget(), the destructor included, need the context current. GL state is as found.
class BufferReadback {
 public:
  static constexpr size_t kSlots = 16;  // frames that may be on their way: files are read as fast as decoders go
  // Nanoseconds: a model may take seconds for a frame; a GPU that takes longer is lost.
  static constexpr uint64_t kPatience = 30'000'000'000;
  struct Reading {
    FrameStamp frame;
    std::vector<std::byte> bytes;
  };

  // For readings of up to `most_bytes`.
  BufferReadback(const GlApi& gl, GLsizeiptr most_bytes);
  ~BufferReadback();
  BufferReadback(const BufferReadback&) = delete;
  BufferReadback& operator=(const BufferReadback&) = delete;

  // Copies `size` bytes from `offset` of `buffer` on the GPU, behind everything that it was asked to do before;
  // shaders' writes need no barrier by the caller. Where kSlots readings are on their way already, the oldest is
  // dropped.
  void request(GLuint buffer, GLintptr offset, GLsizeiptr size, const FrameStamp& frame);
  // The oldest reading that is complete; nothing when there is none yet. Never waits.
  std::optional<Reading> poll();
  // The same, but waits up to kPatience for one that is on its way: where a stream ends or changes, off the way of
  // frames.
  std::optional<Reading> wait();
  // Forgets what is on its way, after a flush for example. Makes no GL call: what there is to delete, the next call
  // does.
  void forget() { forgotten_ = true; }
  // How many were dropped so far.
  uint64_t dropped() const { return dropped_; }
  // How many are on their way.
  size_t pending() const { return forgotten_ ? 0 : count_; }

 private:
  struct Slot {
    GlBuffer buffer;
    GLsync fence = nullptr;
    GLsizeiptr size = 0;
    FrameStamp frame;
  };
  std::optional<Reading> take(GLuint64 patience_ns);
  void drop_oldest();
  void drop_forgotten();

  const GlApi* gl_;
  GLsizeiptr most_bytes_;
  std::array<Slot, kSlots> slots_;
  size_t oldest_ = 0, count_ = 0;
  uint64_t dropped_ = 0;
  bool forgotten_ = false;  // all that is on its way
};

}  // namespace sightglass
