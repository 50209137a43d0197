#include "results/results_readback.h"

#include <gst/base/gstbasetransform.h>

#include "gobject/log.h"

#define GST_CAT_DEFAULT sightglass::results_log()

namespace sightglass {

FrameStamp ResultsReadback::stamp(const GstBuffer* input, uint64_t number, int32_t width, int32_t height) const {
  return frame_stamp(input, GST_BASE_TRANSFORM(element_)->segment, number, width, height);
}

bool ResultsReadback::request(const FrameStamp& frame, const BufferRange& found, ResultsMode mode) {
  if (mode == ResultsMode::kNone) {
    readback_.reset();  // pending results would be too old for the next request
    return false;
  }
  GST_LOG_OBJECT(element_, "reading back %" G_GSSIZE_FORMAT " bytes of frame %" G_GUINT64_FORMAT,
                 static_cast<gssize>(found.size), frame.number);
  if (!readback_) readback_ = std::make_unique<BufferReadback>(group_->gl(), found.size);
  readback_->request(found.buffer, found.offset, found.size, frame);
  return true;
}

std::vector<SharedResults> ResultsReadback::collect() {
  std::vector<SharedResults> arrived;
  if (!readback_) return arrived;
  while (const auto reading = readback_->poll()) arrived.push_back(results_of(*reading));
  return arrived;
}

std::vector<SharedResults> ResultsReadback::wait() {
  std::vector<SharedResults> arrived;
  if (!readback_) return arrived;
  if (const auto reading = readback_->wait()) arrived.push_back(results_of(*reading));
  for (SharedResults& results : collect()) arrived.push_back(std::move(results));
  return arrived;
}

std::vector<SharedResults> ResultsReadback::finish() {
  std::vector<SharedResults> arrived;
  if (!readback_) return arrived;
  while (const auto reading = readback_->wait()) arrived.push_back(results_of(*reading));
  if (readback_->pending() > 0) {
    GST_WARNING_OBJECT(element_, "dropping the results of %" G_GSIZE_FORMAT " frames: the GPU took more than %d s",
                       readback_->pending(), static_cast<int>(BufferReadback::kPatience / GST_SECOND));
    readback_->forget();
  }
  return arrived;
}

SharedResults ResultsReadback::results_of(const BufferReadback::Reading& reading) const {
  InferenceResults results = decode_(reading.bytes);
  results.frame = reading.frame;
  GST_LOG_OBJECT(element_, "frame %" G_GUINT64_FORMAT ": %" G_GSIZE_FORMAT " objects, %" G_GSIZE_FORMAT " classes",
                 results.frame.number, results.objects.size(), results.classifications.size());
  return std::make_shared<const InferenceResults>(std::move(results));
}

}  // namespace sightglass
