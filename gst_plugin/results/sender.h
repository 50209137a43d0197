// An element's results, from the GPU to applications, while somebody wants them.
#pragma once

#include <gst/gst.h>

#include <memory>
#include <utility>

#include "gpu_engine/session.h"
#include "gpu_engine/share_group.h"
#include "gpu_engine/status.h"
#include "results/delivery.h"
#include "results/results_path.h"

namespace sightglass {

// For each frame deliver(), then request() if the model has run. All calls but forget(), the destructor included, need
// the context current.
class ResultsSender {
 public:
  // `element` outlives this; `group` is the context's.
  ResultsSender(GstElement* element, std::shared_ptr<ShareGroup> group, ResultsPath::Decode decode)
      : element_(element), group_(std::move(group)), decode_(std::move(decode)) {}

  // Delivers with `output`, an upright picture of width × height pixels, what has arrived until now; never waits. What
  // request() will be given has at most `most_bytes`.
  Status deliver(GstBuffer* output, ResultsMode mode, GLsizeiptr most_bytes, int32_t width, int32_t height);
  // Has what was found in `input` brought here, unless nobody wants it.
  void request(const GstBuffer* input, const BufferRange& found);
  // All that is still on its way, waiting for it: at the end of a stream.
  void finish();
  // What is on its way.
  void forget() {
    if (path_) path_->forget();
  }

 private:
  GstElement* const element_;
  const std::shared_ptr<ShareGroup> group_;
  const ResultsPath::Decode decode_;
  std::unique_ptr<ResultsPath> path_;  // while somebody wants results
  ResultsMode mode_ = ResultsMode::kNone;
  int32_t width_ = 0, height_ = 0;  // of the latest frame
  uint64_t frames_ = 0;
};

}  // namespace sightglass
