// What happens to the mask of the model: islands are removed, and it is smoothed over time, by its frame beside that of
// the previous mask.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
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

// Removes uncertain foreground that is far from every region that the model is sure of, and fills uncertain holes in
// such regions.
class MaskCleaner {
 public:
  // For the mask `mask` of the model: a 2D texture with the probability in R, which outlives this object.
  static Result<MaskCleaner> create(const std::shared_ptr<ShareGroup>& group, const TextureRef& mask);

  struct Parts {
    bool islands = false, holes = false;  // are removed, are filled
    bool operator==(const Parts&) const = default;
  };
  // Returns the mask without these, in a texture of the same size that is valid until the next call. Every step depends
  // continuously on the mask, so that nothing switches from frame to frame. Leaves GL state as sessions do.
  TextureRef run(const Parts& parts);

 private:
  // The blocks of the shaders.
  struct Reach {
    std::array<float, 4> step_and_reach{};
    bool operator==(const Reach&) const = default;
  };
  struct Cleaning {
    std::array<float, 4> parts{};
    bool operator==(const Cleaning&) const = default;
  };
  MaskCleaner(const GlApi& gl, std::vector<SharedProgram> programs, const TextureRef& mask);

  const GlApi* gl_;
  std::vector<SharedProgram> programs_;  // core, reach, keep, hole reach
  TextureRef mask_;
  int32_t cells_x_, cells_y_;
  float reach_, hole_reach_;  // in cells
  std::array<GlTexture, 2> cells_;
  GlTexture enclosed_;
  GlTexture kept_;
  GlSampler linear_;
  std::array<UniformBlock<Reach>, 3> blocks_;
  UniformBlock<Cleaning> cleaning_;
};

// Motion of blocks between the frames of two masks, computed on the GPU at the size of the mask.
// All calls, including the destructor, need the context current, and leave GL state as sessions do.
class MotionField {
 public:
  // For masks of this size. Compiles the program if the group does not have it yet, and runs it once, so that drivers
  // finish compiling.
  static Result<MotionField> create(const std::shared_ptr<ShareGroup>& group, int32_t mask_width, int32_t mask_height);

  // Returns the motion from the previous frame to this one; there must be one. One texel per block, to be added to a
  // position to find it in the previous frame: x and y in fractions in R and G. Valid until the next call.
  TextureRef match(const SeenFrame& seen);

 private:
  MotionField(const GlApi& gl, int32_t blocks_x, int32_t blocks_y, SharedProgram program);

  const GlApi* gl_;
  int32_t blocks_x_, blocks_y_;
  SharedProgram program_;
  GlTexture blocks_;
};

// Averages masks over time where nothing changes: shaders/segment/smooth.comp.
class MaskSmoother {
 public:
  // For masks of this size.
  static Result<MaskSmoother> create(const std::shared_ptr<ShareGroup>& group, int32_t width, int32_t height);

  // Returns `mask`, a 2D texture with the probability in R, mixed with the share `share`, in [0,1), of the previous
  // result where the frame is still or both nearly agree. With `motion`, of MotionField, the previous result is first
  // moved accordingly. The texture has the size of the mask, with the probability in R, and in G how far it is that of
  // before because the frame is still. It is valid until the call after the next. Leaves GL state as sessions do.
  TextureRef run(const TextureRef& mask, float share, const SeenFrame& seen, const std::optional<TextureRef>& motion);
  // The next mask is of another scene.
  void reset() { has_before_ = false; }
  // Runs every program as the first frames do, so that drivers finish compiling. Returns a texture like those of run().
  TextureRef warm_up(const TextureRef& mask, SeenFrame seen);

 private:
  struct Block {
    std::array<float, 4> share{};
    bool operator==(const Block&) const = default;
  };
  MaskSmoother(const GlApi& gl, std::vector<SharedProgram> programs, int32_t width, int32_t height);

  const GlApi* gl_;
  std::vector<SharedProgram> programs_;  // without and with motion
  int32_t width_, height_;
  std::array<GlTexture, 2> masks_;  // the previous and the next, in turn
  GlSampler linear_;
  size_t next_ = 0;
  bool has_before_ = false;
  UniformBlock<Block> block_;
};

}  // namespace sightglass
