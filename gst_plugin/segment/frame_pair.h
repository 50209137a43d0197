// The frame of a mask beside that of the previous mask, and the noise of both.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "gl/objects.h"
#include "sightglass/frame_ref.h"
#include "sightglass/gl_objects.h"
#include "sightglass/input_transform.h"
#include "sightglass/session.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"
#include "sightglass/texture_ref.h"

namespace sightglass {

// What the GPU knows about the frame of a mask. Valid until the next FramePair::see().
struct SeenFrame {
  TextureRef luma;            // of this frame in R, of the previous one in G, the absolute change in B: [0,1]
  BufferRange noise{};        // the block of shaders/segment/noise.glsl
  bool has_previous = false;  // otherwise, only R has a meaning
};

// All calls, including the destructor, need the context current, and leave GL state as sessions do.
class FramePair {
 public:
  // For masks of this size, and frames of that kind. Compiles the programs that the group does not have yet, and runs
  // them once, so that drivers finish compiling.
  static Result<FramePair> create(const std::shared_ptr<ShareGroup>& group, FrameKind kind, int32_t mask_width,
                                  int32_t mask_height);

  // Stores the luma of the frame for which a mask is computed now, and measures noise. `mask_to_stored` maps the mask
  // to the stored frame.
  void see(const FrameRef& frame, const InputTransform& mask_to_stored);
  // Call it when the mask of the frame of the last see() is complete. Empty if see() was not called since the last
  // call: the next frame then has no previous one.
  std::optional<SeenFrame> follow();
  // That of the last see().
  BufferRange noise() const;
  // That of the last complete mask.
  SeenFrame last() const;
  // The next frame is from another scene. No GL call.
  void reset() { has_seen_ = has_previous_ = false; }

 private:
  // The block of the shader.
  struct Block {
    std::array<float, 4> has_previous{};
    bool operator==(const Block&) const = default;
  };
  FramePair(const GlApi& gl, int32_t width, int32_t height, std::vector<SharedProgram> programs);

  const GlApi* gl_;
  int32_t width_, height_;               // of the luma
  std::vector<SharedProgram> programs_;  // luma, noise
  std::array<GlTexture, 2> lumas_;
  GlBuffer noise_;
  GlSampler linear_;
  UniformBlock<FrameBlock> frame_block_;
  UniformBlock<Block> block_;
  size_t current_ = 0;  // the luma of the last complete mask
  bool has_seen_ = false, has_previous_ = false;
};

}  // namespace sightglass
