// The anchors that single-shot detectors count their boxes from, as MediaPipe's SSD anchor calculator lays them out.
#pragma once

#include <cstdint>
#include <vector>

namespace sightglass {

// Middle and size, in fractions of the model's input.
struct Anchor {
  float x = 0, y = 0, width = 1, height = 1;
  bool operator==(const Anchor&) const = default;
};

struct AnchorGrid {
  int32_t input_width = 0, input_height = 0;  // pixels
  // A layer of anchors each, from the finest; layers of one stride that follow each other share their places.
  std::vector<int32_t> strides;
  std::vector<float> aspect_ratios{1};  // width / height
  // Of an anchor between this layer's scale and the next one's; 0: there is none.
  float interpolated_aspect_ratio = 1;
  float least_scale = 0, greatest_scale = 0;  // of the first layer and the last one; between them they grow evenly
  bool unit_sizes = true;                     // all anchors are as large as the input: models say sizes themselves
  bool three_in_lowest_layer = false;  // the first layer has anchors of ratio 1, at a tenth, 2 and 1/2, and no others
};

// Layer by layer, row by row; at every place as the ratios are listed.
std::vector<Anchor> make_anchors(const AnchorGrid& grid);

}  // namespace sightglass
