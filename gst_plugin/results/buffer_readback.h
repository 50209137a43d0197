// Reads small results back to the CPU without waiting: copies them into a ring of buffers at the end of a frame, and
// reads them when a later frame finds the copy complete.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "meta/inference_results.h"
#include "sightglass/gl_objects.h"

namespace sightglass {

// All calls except forget(), including the destructor, need the context current and restore GL state.
class BufferReadback {
 public:
  static constexpr size_t kSlots = 16;  // frames in flight: files play as fast as the decoder runs
  // In nanoseconds: a model may take seconds per frame; a GPU that takes longer than this is lost.
  static constexpr uint64_t kPatience = 30'000'000'000;
  struct Reading {
    FrameStamp frame;
    std::vector<std::byte> bytes;
  };

  // For readings of at most `most_bytes`.
  BufferReadback(const GlApi& gl, GLsizeiptr most_bytes);
  ~BufferReadback();
  BufferReadback(const BufferReadback&) = delete;
  BufferReadback& operator=(const BufferReadback&) = delete;

  // Copies `size` bytes from `offset` of `buffer` on the GPU, after all previously issued commands. The caller needs no
  // barrier for shader writes. If kSlots readings are already pending, drops the oldest.
  void request(GLuint buffer, GLintptr offset, GLsizeiptr size, const FrameStamp& frame);
  // The oldest complete reading; nothing if there is none yet. Never waits.
  std::optional<Reading> poll();
  // The same, but waits up to kPatience for a pending one. For the end or a change of the stream, not for each frame.
  std::optional<Reading> wait();
  // Forgets pending readings, for example after a flush. Makes no GL calls: the next call deletes the GL objects.
  void forget() { forgotten_ = true; }
  // Number of dropped readings so far.
  uint64_t dropped() const { return dropped_; }
  // Number of pending readings.
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
  bool forgotten_ = false;  // whether all pending readings are forgotten
};

}  // namespace sightglass
