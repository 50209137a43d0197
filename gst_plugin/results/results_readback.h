// Reads the results of an element's frames back to the CPU, one or more frames late.
#pragma once

#include <gst/gst.h>

#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "results/buffer_readback.h"
#include "results/delivery.h"
#include "sightglass/session.h"
#include "sightglass/share_group.h"

namespace sightglass {

// For each frame, call collect(), then request() if the model has run. All calls except forget(), including the
// destructor, need the context current.
class ResultsReadback {
 public:
  // Decodes as many bytes as were requested; the caller fills in the frame.
  using Decode = std::function<InferenceResults(std::span<const std::byte> bytes)>;

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

}  // namespace sightglass
