// Frames of one kind as shaders can read them on every driver, and as long as they need.
#pragma once

#include <memory>
#include <optional>

#include "gl/frame_copy.h"
#include "gpu_engine/device.h"
#include "gpu_engine/frame_ref.h"
#include "gpu_engine/share_group.h"
#include "gpu_engine/status.h"

namespace sightglass {

// How long readers need a frame: until the element pushes it, or until a later frame is kept.
enum class FrameLife : uint8_t { kOneFrame, kKept };

// Frames as they come, or copied on the GPU: external textures for Mesa, whose compute shaders get the samples of YUV
// and not its colors, and where frames are kept. All calls, the destructor included, need the context current. GL state
// after every call is as FramePainter leaves it.
class FrameReader {
 public:
  // What readers, and the model's input, are to be made for where frames are of that kind.
  static FrameKind planned_kind(const DeviceInfo& device, FrameKind kind, FrameLife life = FrameLife::kOneFrame);
  static Result<FrameReader> create(const std::shared_ptr<ShareGroup>& group, const DeviceInfo& device, FrameKind kind,
                                    FrameLife life = FrameLife::kOneFrame);

  // Good until the next call, and as long as the frame's own textures.
  Result<FrameRef> readable(const FrameRef& frame);
  // What readable() returned, good until the next call of this function. For FrameLife::kKept.
  Result<FrameRef> kept(const FrameRef& readable) { return kept_->copy(readable); }

 private:
  std::optional<FrameCopy> copy_, kept_;
};

}  // namespace sightglass
