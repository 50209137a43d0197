// Copies of frames on the GPU, for readers that the textures of a frame do not suit or that outlive it.
#pragma once

#include <array>
#include <memory>
#include <utility>

#include "gl/frame_painter.h"
#include "gpu_engine/frame_ref.h"
#include "gpu_engine/gl_objects.h"
#include "gpu_engine/share_group.h"
#include "gpu_engine/status.h"

namespace sightglass {

// All calls, the destructor included, need the context current. GL state after every call is as FramePainter leaves it.
class FrameCopy {
 public:
  // For frames of that kind. As FramePainter::create().
  static Result<FrameCopy> create(const std::shared_ptr<ShareGroup>& group, FrameKind kind);

  // The copy is of the same kind, plane by plane, with the same samples; external textures become 2D textures of RGBA.
  // Good until the next call. Allocates when the size changes.
  Result<FrameRef> copy(const FrameRef& frame);

 private:
  struct Plane {
    GlTexture texture;
    int32_t width = 0, height = 0;
  };
  FrameCopy(const GlApi& gl, FramePainter painter) : gl_(&gl), painter_(std::move(painter)) {}
  Status copy_plane(const FrameRef& from, Plane& to);

  const GlApi* gl_;
  FramePainter painter_;
  std::array<Plane, 3> planes_;
};

}  // namespace sightglass
