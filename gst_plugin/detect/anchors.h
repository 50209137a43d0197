// The anchors to which single-shot detectors relate their boxes, in the layout of MediaPipe's SSD anchor calculator.
#pragma once

#include <cstdint>
#include <vector>

namespace sightglass {

// Center and size in fractions of the model input.
struct Anchor {
  float x = 0, y = 0, width = 1, height = 1;
  bool operator==(const Anchor&) const = default;
};

struct AnchorGrid {
  int32_t input_width = 0, input_height = 0;  // pixels
  // One per layer of anchors, finest first; consecutive layers of equal stride share their positions.
  std::vector<int32_t> strides;
  std::vector<float> aspect_ratios{1};  // width / height
  // Of an additional anchor between the scales of this layer and the next; 0: no such anchor.
  float interpolated_aspect_ratio = 1;
  float least_scale = 0, greatest_scale = 0;  // of the first and the last layer; linear in between
  bool unit_sizes = true;                     // all anchors have the size of the input: the model outputs sizes
  bool three_in_lowest_layer = false;         // the first layer has only anchors of ratio 1 (scale 0.1), 2 and 1/2
};

// Ordered by layer, then row; at each position in the order of the ratios.
std::vector<Anchor> make_anchors(const AnchorGrid& grid);

}  // namespace sightglass
