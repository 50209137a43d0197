// Reads results back from the GPU without waiting: small buffers, the results of frames, and their conversion.
#pragma once

#include <gst/gst.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "meta/inference_results.h"
#include "results/delivery.h"
#include "sightglass/gl_objects.h"
#include "sightglass/session.h"
#include "sightglass/share_group.h"

namespace sightglass {

// Reads small results back to the CPU without waiting: copies them into a ring of buffers at the end of a frame, and
// reads them when a later frame finds the copy complete.
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

// Reads the results of an element's frames back to the CPU, one or more frames late.
// For each frame, call collect(), then request() if the model has run. All calls except forget(), including the
// destructor, need the context current.
class ResultsReadback {
 public:
  // Decodes as many bytes as were requested; the caller fills in the frame, which has this stamp.
  using Decode = std::function<InferenceResults(std::span<const std::byte> bytes, const FrameStamp& frame)>;

  // `element` must outlive this; `group` is the context's.
  ResultsReadback(GstElement* element, std::shared_ptr<ShareGroup> group, Decode decode)
      : element_(element), group_(std::move(group)), decode_(std::move(decode)) {}

  // The stamp of frame `number` in `input`; the upright frame has width × height pixels.
  FrameStamp stamp(const GstBuffer* input, uint64_t number, int32_t width, int32_t height) const;
  // Requests the results of `frame`, unless `mode` is kNone; returns whether it did. The size of `found` must not
  // change.
  bool request(const FrameStamp& frame, const BufferRange& found, ResultsMode mode);
  // All results that arrived since the last call, oldest first; usually one, of the previous frame. Never waits.
  std::vector<SharedResults> collect();
  // The same, waiting for the oldest pending one.
  std::vector<SharedResults> wait();
  // Waits for all pending results and returns them, at the end or a change of the stream.
  std::vector<SharedResults> finish();
  // Forgets pending results.
  void forget() {
    if (readback_) readback_->forget();
  }

 private:
  SharedResults results_of(const BufferReadback::Reading& reading) const;

  GstElement* const element_;
  const std::shared_ptr<ShareGroup> group_;
  const Decode decode_;
  std::unique_ptr<BufferReadback> readback_;  // while results are requested
};

// Converts the GPU buffers of decoders, after readback, to results.

// Returns "person" objects from the bytes of Persons (meta/persons.h); skips those without points. Clamps counts to the
// capacity; missing bytes at the end count as zero. `skeleton` must live as long as the process.
std::vector<ResultObject> persons_of(std::span<const std::byte> bytes, const Skeleton& skeleton);

// The same from the bytes of Detections (detect/detections.h). Classes beyond `labels` have no label. The score of the
// object is the visibility and presence of its points. The angle of a rotated box is that in pixels of `frame`.
std::vector<ResultObject> detections_of(std::span<const std::byte> bytes, std::span<const std::string> labels,
                                        const FrameStamp& frame);

}  // namespace sightglass
