// An element's results, from the GPU to applications, while somebody wants them.
#pragma once

#include <gst/gst.h>

#include <memory>
#include <utility>
#include <vector>

#include "gpu_engine/session.h"
#include "gpu_engine/share_group.h"
#include "results/delivery.h"
#include "results/results_path.h"

namespace sightglass {

// For each frame collect(), then request() if the model has run. All calls but forget(), the destructor included, need
// the context current.
class ResultsSender {
 public:
  // `element` outlives this; `group` is the context's.
  ResultsSender(GstElement* element, std::shared_ptr<ShareGroup> group, ResultsPath::Decode decode)
      : element_(element), group_(std::move(group)), decode_(std::move(decode)) {}

  // Of frame `number`, that of `input`; the upright frame has width × height pixels.
  FrameStamp stamp(const GstBuffer* input, uint64_t number, int32_t width, int32_t height) const;
  // Has what was found in `frame` brought here, unless nobody wants it; whether it is. `found` is of the same size
  // every time.
  bool request(const FrameStamp& frame, const BufferRange& found, ResultsMode mode);
  // As those of ResultsPath.
  std::vector<SharedResults> collect();
  std::vector<SharedResults> wait();
  std::vector<SharedResults> finish();
  // What is on its way.
  void forget() {
    if (path_) path_->forget();
  }

 private:
  GstElement* const element_;
  const std::shared_ptr<ShareGroup> group_;
  const ResultsPath::Decode decode_;
  std::unique_ptr<ResultsPath> path_;  // while somebody wants results
};

}  // namespace sightglass
