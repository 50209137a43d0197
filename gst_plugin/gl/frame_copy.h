// Copies frames on the GPU, for readers that cannot use the frame's textures or need them longer than the frame lives.
#pragma once

#include <array>
#include <memory>
#include <utility>

#include "gl/frame_painter.h"
#include "sightglass/frame_ref.h"
#include "sightglass/gl_objects.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"

namespace sightglass {

// All calls, including the destructor, need the context current and leave GL state as FramePainter does.
class FrameCopy {
 public:
  // For frames of that kind, like FramePainter::create().
  static Result<FrameCopy> create(const std::shared_ptr<ShareGroup>& group, FrameKind kind);

  // Copies plane by plane to the same kind with the same samples; external textures become 2D RGBA textures. The copy
  // is valid until the next call. Allocates when the size changes.
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
