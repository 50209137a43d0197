// A frame as models and painters use it: upright, wherever it is in its textures.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "sightglass/frame_ref.h"
#include "sightglass/input_transform.h"

namespace sightglass {

// Size of upright frames in pixels. Pixels need not be square: `pixel_aspect` is the width of one by its height, as
// shown.
struct FrameSize {
  int32_t width = 0, height = 0;
  float pixel_aspect = 1;

  // The width in pixel heights. Shapes are laid out in shown_width × height, where circles are round.
  int32_t shown_width() const {
    return std::max(1, static_cast<int32_t>(std::lround(static_cast<float>(width) * pixel_aspect)));
  }
  bool operator==(const FrameSize&) const = default;
};

// Width and height of the upright frame are in pixels.
struct UprightFrame {
  FrameRef stored;
  InputTransform upright_to_stored;  // from the upright frame to its position in `stored`
  int32_t width = 0, height = 0;
  float pixel_aspect = 1;  // FrameSize

  int32_t shown_width() const { return FrameSize{width, height, pixel_aspect}.shown_width(); }
  // Map coordinates of a model input of that size to the upright frame, and to the stored one.
  InputTransform input_to_upright(int32_t input_width, int32_t input_height, Fit fit) const {
    return make_input_transform(shown_width(), height, input_width, input_height, fit);
  }
  InputTransform input_to_stored(int32_t input_width, int32_t input_height, Fit fit) const {
    return input_to_upright(input_width, input_height, fit).then(upright_to_stored);
  }
};

}  // namespace sightglass
