// Draws a frame of any plane layout and orientation into an RGBA texture, which elements draw over and push.
#pragma once

#include "gl/draw_target.h"
#include "gl/uniform_block.h"
#include "sightglass/frame_ref.h"
#include "sightglass/gl_objects.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"
#include "sightglass/texture_ref.h"

namespace sightglass {

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
  SharedProgram program_;
  UniformBlock<FrameBlock> block_;
  GlVertexArray vertex_array_;
  DrawTarget target_;
  GlSampler sampler_;
};

}  // namespace sightglass
