#include "results/sender.h"

#include <gst/base/gstbasetransform.h>

namespace sightglass {

Status ResultsSender::deliver(GstBuffer* output, ResultsMode mode, GLsizeiptr most_bytes, int32_t width,
                              int32_t height) {
  ++frames_;
  mode_ = mode;
  width_ = width;
  height_ = height;
  if (mode == ResultsMode::kNone) {
    path_.reset();  // what is on its way is too old for whoever asks next
    return {};
  }
  if (!path_) path_ = std::make_unique<ResultsPath>(group_->gl(), most_bytes, decode_);
  const bool delivered = deliver_results(element_, output, path_->collect(), mode, width, height);
  return delivered ? Status() : internal_error("the results' metadata cannot be added");
}

void ResultsSender::request(const GstBuffer* input, const BufferRange& found) {
  if (!path_) return;
  path_->request(found.buffer, found.offset, found.size,
                 frame_stamp(input, GST_BASE_TRANSFORM(element_)->segment, frames_ - 1, width_, height_));
}

void ResultsSender::finish() {
  if (path_) deliver_results(element_, nullptr, path_->finish(), mode_, width_, height_);
}

}  // namespace sightglass
