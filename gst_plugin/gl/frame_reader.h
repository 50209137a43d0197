// Provides frames of one kind so that shaders can read them on every driver, and as long as they need.
#pragma once

#include <memory>
#include <optional>

#include "gl/frame_copy.h"
#include "sightglass/device.h"
#include "sightglass/frame_ref.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"

namespace sightglass {

// How long readers need a frame: until the element pushes it, or until a later frame is kept.
enum class FrameLife : uint8_t { kOneFrame, kKept };

// Returns frames as received, or copied on the GPU. It copies external textures if frames are kept, and on Mesa, where
// compute shaders read YUV samples from them instead of colors. All calls, including the destructor, need the context
// current and leave GL state as FramePainter does.
class FrameReader {
 public:
  // The kind of frames that readers and the model input must support if incoming frames are of `kind`.
  static FrameKind planned_kind(const DeviceInfo& device, FrameKind kind, FrameLife life = FrameLife::kOneFrame);
  static Result<FrameReader> create(const std::shared_ptr<ShareGroup>& group, const DeviceInfo& device, FrameKind kind,
                                    FrameLife life = FrameLife::kOneFrame);

  // Valid until the next call, and no longer than the frame's own textures.
  Result<FrameRef> readable(const FrameRef& frame);
  // Copies the result of readable(). Valid until the next call of this function. For FrameLife::kKept.
  Result<FrameRef> kept(const FrameRef& readable) { return kept_->copy(readable); }

 private:
  std::optional<FrameCopy> copy_, kept_;
};

}  // namespace sightglass
