// Frames of one kind as shaders can read them on every driver.
#pragma once

#include <memory>
#include <optional>

#include "gl/external_copy.h"
#include "gpu_engine/device.h"
#include "gpu_engine/frame_ref.h"
#include "gpu_engine/share_group.h"
#include "gpu_engine/status.h"

namespace sightglass {

// Frames of one kind as their readers can use them: as they come, or copied where that is needed.
class FrameReader {
 public:
  // What readers, and the model's input, are to be made for where frames are of that kind.
  static FrameKind planned_kind(const DeviceInfo& device, FrameKind kind) {
    return ExternalCopy::is_needed(device, kind) ? FrameKind::kRgba : kind;
  }
  static Result<FrameReader> create(const std::shared_ptr<ShareGroup>& group, const DeviceInfo& device, FrameKind kind);

  // Good until the next call.
  Result<FrameRef> readable(const FrameRef& frame);

 private:
  std::optional<ExternalCopy> copy_;
};

}  // namespace sightglass
