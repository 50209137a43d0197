#include "gl/frame_reader.h"

#include <utility>

namespace sightglass {

Result<FrameReader> FrameReader::create(const std::shared_ptr<ShareGroup>& group, const DeviceInfo& device,
                                        FrameKind kind) {
  FrameReader reader;
  if (planned_kind(device, kind) == kind) return reader;
  SG_ASSIGN_OR_RETURN(ExternalCopy copy, ExternalCopy::create(group));
  reader.copy_.emplace(std::move(copy));
  return reader;
}

Result<FrameRef> FrameReader::readable(const FrameRef& frame) {
  if (!copy_) return frame;
  return copy_->copy(frame);
}

}  // namespace sightglass
