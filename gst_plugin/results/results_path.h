// The way of an element's results from the GPU to applications, a frame or more behind the picture.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "results/buffer_readback.h"

namespace sightglass {

// For each frame, an element for which somebody has asked for results calls collect(), then request() if the model has
// run. All calls but forget() and pending(), the destructor included, need the context current.
class ResultsPath {
 public:
  // What the bytes mean. It gets as many as were requested; the frame is filled in behind it.
  using Decode = std::function<InferenceResults(std::span<const std::byte> bytes)>;

  ResultsPath(const GlApi& gl, GLsizeiptr most_bytes, Decode decode)
      : reader_(gl, most_bytes), decode_(std::move(decode)) {}

  // As BufferReadback::request().
  void request(GLuint buffer, GLintptr offset, GLsizeiptr size, const FrameStamp& frame) {
    reader_.request(buffer, offset, size, frame);
  }
  // All that has arrived since the last call, oldest first; mostly one, of the frame before. Never waits.
  std::vector<SharedResults> collect();
  // The same, waiting for the oldest that is on its way.
  std::vector<SharedResults> wait();
  // All that is still on its way, waiting for it: where a stream ends or changes.
  std::vector<SharedResults> finish();
  // What is on its way.
  void forget() { reader_.forget(); }
  uint64_t dropped() const { return reader_.dropped(); }
  size_t pending() const { return reader_.pending(); }

 private:
  SharedResults results_of(const BufferReadback::Reading& reading) const;

  BufferReadback reader_;
  Decode decode_;
};

}  // namespace sightglass
