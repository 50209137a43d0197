#include "results/sender.h"

#include <gst/base/gstbasetransform.h>

namespace sightglass {

FrameStamp ResultsSender::stamp(const GstBuffer* input, uint64_t number, int32_t width, int32_t height) const {
  return frame_stamp(input, GST_BASE_TRANSFORM(element_)->segment, number, width, height);
}

bool ResultsSender::request(const FrameStamp& frame, const BufferRange& found, ResultsMode mode) {
  if (mode == ResultsMode::kNone) {
    path_.reset();  // what is on its way is too old for whoever asks next
    return false;
  }
  if (!path_) path_ = std::make_unique<ResultsPath>(group_->gl(), found.size, decode_);
  path_->request(found.buffer, found.offset, found.size, frame);
  return true;
}

std::vector<SharedResults> ResultsSender::collect() { return path_ ? path_->collect() : std::vector<SharedResults>(); }

std::vector<SharedResults> ResultsSender::wait() { return path_ ? path_->wait() : std::vector<SharedResults>(); }

std::vector<SharedResults> ResultsSender::finish() {
  if (!path_) return {};
  std::vector<SharedResults> arrived = path_->finish();
  if (path_->pending() > 0) {
    GST_WARNING_OBJECT(element_, "giving up on the results of %" G_GSIZE_FORMAT " frames: the GPU is not done in %d s",
                       path_->pending(), static_cast<int>(BufferReadback::kPatience / GST_SECOND));
    path_->forget();
  }
  return arrived;
}

}  // namespace sightglass
