// Motion of blocks between the frames of two masks, computed on the GPU at the size of the mask.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "gl/uniform_block.h"
#include "sightglass/frame_ref.h"
#include "sightglass/gl_objects.h"
#include "sightglass/input_transform.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"
#include "sightglass/texture_ref.h"

namespace sightglass {

// All calls, including the destructor, need the context current, and leave GL state as sessions do.
class MotionField {
 public:
  // For masks of this size, and frames of that kind. Compiles the programs that the group does not have yet, and runs
  // them once, so that drivers finish compiling.
  static Result<MotionField> create(const std::shared_ptr<ShareGroup>& group, FrameKind kind, int32_t width,
                                    int32_t height);

  // Stores the luma of the frame for which a mask is computed now. `mask_to_stored` maps the mask to the stored frame.
  void see(const FrameRef& frame, const InputTransform& mask_to_stored);
  struct Motion {
    TextureRef luma;    // of that frame in R, of the frame of the previous mask in G
    TextureRef blocks;  // one texel per block, to be added to a position to find it in the previous frame: x and y in
                        // fractions in R and G
  };
  // Call it when the mask of the frame of the last see() is complete. Empty if there is no frame of a previous mask, or
  // if see() was not called since the last call. Valid until the next see().
  std::optional<Motion> follow();
  // The next frame is from another scene. No GL call.
  void reset() { has_seen_ = has_previous_ = false; }

 private:
  MotionField(const GlApi& gl, int32_t width, int32_t height, std::vector<SharedProgram> programs);
  Motion match();

  const GlApi* gl_;
  int32_t width_, height_;               // of the luma
  std::vector<SharedProgram> programs_;  // luma, motion
  std::array<GlTexture, 2> lumas_;
  GlTexture blocks_;
  GlSampler linear_;
  UniformBlock<FrameBlock> frame_block_;
  size_t current_ = 0;  // the luma of the last complete mask
  bool has_seen_ = false, has_previous_ = false;
};

}  // namespace sightglass
