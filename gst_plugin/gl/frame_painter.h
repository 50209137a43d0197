// Draws a frame, whatever its planes and orientation, into a texture of colours: what elements hand on, and draw over.
#pragma once

#include "gl/draw_target.h"
#include "gl/uniform_block.h"
#include "gpu_engine/frame_ref.h"
#include "gpu_engine/gl_objects.h"
#include "gpu_engine/share_group.h"
#include "gpu_engine/status.h"
#include "gpu_engine/texture_ref.h"

namespace sightglass {

// All calls, the destructor included, need the context current. GL state after every call is as the engine's sessions
// leave it (gpu_engine/session.h); what drawing changes besides is as found.
class FramePainter {
 public:
  // For frames of that kind. Compiles what no other holder in the group has compiled yet, and draws once, so that
  // drivers finish doing so.
  static Result<FramePainter> create(const std::shared_ptr<ShareGroup>& group, FrameKind kind);

  // Fills `picture`, a texture that can be drawn into. `picture_to_frame` leads from it to where that lies in `frame`;
  // beyond the frame its border goes on.
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
