// The results of an element's frames, from the GPU to the CPU, a frame or more behind the picture.
#pragma once

#include <gst/gst.h>

#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "gpu_engine/session.h"
#include "gpu_engine/share_group.h"
#include "results/buffer_readback.h"
#include "results/delivery.h"

namespace sightglass {

// For each frame collect(), then request() if the model has run. All calls but forget(), the destructor included, need
// the context current.
class ResultsReadback {
 public:
  // What the bytes mean. It gets as many as were requested; the frame is filled in behind it.
  using Decode = std::function<InferenceResults(std::span<const std::byte> bytes)>;

  // `element` outlives this; `group` is the context's.
  ResultsReadback(GstElement* element, std::shared_ptr<ShareGroup> group, Decode decode)
      : element_(element), group_(std::move(group)), decode_(std::move(decode)) {}

  // Of frame `number`, that of `input`; the upright frame has width × height pixels.
  FrameStamp stamp(const GstBuffer* input, uint64_t number, int32_t width, int32_t height) const;
  // Has what was found in `frame` brought here, unless nobody wants it; whether it is. `found` is of the same size
  // every time.
  bool request(const FrameStamp& frame, const BufferRange& found, ResultsMode mode);
  // All that has arrived since the last call, oldest first; mostly one, of the frame before. Never waits.
  std::vector<SharedResults> collect();
  // The same, waiting for the oldest that is on its way.
  std::vector<SharedResults> wait();
  // All that is still on its way, waiting for it: where a stream ends or changes.
  std::vector<SharedResults> finish();
  // What is on its way.
  void forget() {
    if (readback_) readback_->forget();
  }

 private:
  SharedResults results_of(const BufferReadback::Reading& reading) const;

  GstElement* const element_;
  const std::shared_ptr<ShareGroup> group_;
  const Decode decode_;
  std::unique_ptr<BufferReadback> readback_;  // while somebody wants results
};

}  // namespace sightglass
