// External textures as 2D textures, for drivers on which compute shaders do not see their colours: Mesa makes colours
// of YUV in fragment shaders alone, where the GPU cannot; compute shaders get the samples of its planes.
#pragma once

#include <memory>
#include <utility>

#include "gl/frame_painter.h"
#include "gpu_engine/device.h"
#include "gpu_engine/frame_ref.h"
#include "gpu_engine/gl_objects.h"
#include "gpu_engine/share_group.h"
#include "gpu_engine/status.h"

namespace sightglass {

// All calls, the destructor included, need the context current. GL state after every call is as FramePainter leaves it.
class ExternalCopy {
 public:
  static bool is_needed(const DeviceInfo& device, FrameKind kind);
  // As FramePainter::create().
  static Result<ExternalCopy> create(const std::shared_ptr<ShareGroup>& group);

  // Draws the frame, which is an external texture, and returns the copy, which is good until the next call. Allocates
  // when the size changes.
  Result<FrameRef> copy(const FrameRef& external);

 private:
  ExternalCopy(const GlApi& gl, FramePainter painter) : gl_(&gl), painter_(std::move(painter)) {}

  const GlApi* gl_;
  FramePainter painter_;
  GlTexture texture_;
  int32_t width_ = 0, height_ = 0;
};

}  // namespace sightglass
