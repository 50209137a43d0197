// Draws and copies frames: for readers that cannot use the frame itself, and as the image that elements draw over.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "gl/objects.h"
#include "gl/pass.h"
#include "sightglass/device.h"
#include "sightglass/frame_ref.h"
#include "sightglass/gl_objects.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"
#include "sightglass/texture_ref.h"

namespace sightglass {

// Draws a frame of any plane layout and orientation into an RGBA texture, which elements draw over and push.

// All calls, including the destructor, need the context current. They leave GL state as the engine's sessions do
// (sightglass/session.h) and restore other state that drawing changes.
class FramePainter {
 public:
  // For frames of that kind. Compiles the programs that the share group does not have yet, and draws once, so that
  // drivers finish compiling.
  static Result<FramePainter> create(const std::shared_ptr<ShareGroup>& group, FrameKind kind);

  // Fills `picture`, which must be renderable. `picture_to_frame` maps its coordinates to those of `frame`; samples
  // outside the frame are clamped to its edge.
  Status draw(const FrameRef& frame, const InputTransform& picture_to_frame, const TextureRef& picture);

 private:
  FramePainter(const GlApi& gl, SharedProgram program);

  const GlApi* gl_;
  Painting<FrameBlock> painting_;
};

// Provides frames of one kind so that shaders can read them on every driver, and as long as they need.

// Copies frames on the GPU, for readers that cannot use the frame's textures or need them longer than the frame lives.
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
