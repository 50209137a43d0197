// A frame as models and painters use it: upright, wherever it is in its textures.
#pragma once

#include <cstdint>

#include "sightglass/frame_ref.h"
#include "sightglass/input_transform.h"

namespace sightglass {

// Width and height of the upright frame are in pixels.
struct UprightFrame {
  FrameRef stored;
  InputTransform upright_to_stored;  // from the upright frame to its position in `stored`
  int32_t width = 0, height = 0;

  // Map coordinates of a model input of that size to the upright frame, and to the stored one.
  InputTransform input_to_upright(int32_t input_width, int32_t input_height, Fit fit) const {
    return make_input_transform(width, height, input_width, input_height, fit);
  }
  InputTransform input_to_stored(int32_t input_width, int32_t input_height, Fit fit) const {
    return input_to_upright(input_width, input_height, fit).then(upright_to_stored);
  }
};

}  // namespace sightglass
