// The mask and its mapping for shaders: shaders/segment/matte.glsl.
#pragma once

#include <array>

#include "sightglass/input_transform.h"
#include "sightglass/texture_ref.h"

namespace sightglass {

struct Matte {
  TextureRef mask;               // probability in R
  InputTransform mask_to_frame;  // upright
  float lower = 0, upper = 1;    // probabilities <= lower are background, >= upper foreground

  // The first six vectors of the uniform block SegmentLook.
  struct Block {
    std::array<float, 8> to_mask{}, from_mask{};
    std::array<float, 4> mask_bounds{}, range{};
    bool operator==(const Block&) const = default;
  };
  Block block() const;
};

}  // namespace sightglass
