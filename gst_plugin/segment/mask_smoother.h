// Averages masks over time where nothing changes: shaders/segment/smooth.comp.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "gl/uniform_block.h"
#include "segment/motion_field.h"
#include "sightglass/gl_objects.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"
#include "sightglass/texture_ref.h"

namespace sightglass {

class MaskSmoother {
 public:
  // For masks of this size.
  static Result<MaskSmoother> create(const std::shared_ptr<ShareGroup>& group, int32_t width, int32_t height);

  // Returns `mask`, a 2D texture with the probability in R, mixed with the share `share`, in [0,1), of the previous
  // result where both nearly agree. With `motion`, the previous result is first moved accordingly. The texture has the
  // size of the mask, with the probability in R, and is valid until the call after the next. Leaves GL state as
  // sessions do.
  TextureRef run(const TextureRef& mask, float share, const std::optional<MotionField::Motion>& motion);
  // The next mask is of another scene.
  void reset() { has_before_ = false; }
  // Runs every program once, so that drivers finish compiling.
  void warm_up(const TextureRef& mask);

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
