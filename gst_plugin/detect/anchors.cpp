#include "detect/anchors.h"

#include <cmath>

namespace sightglass {

namespace {

struct Form {
  float scale, ratio;
};

float scale_of_layer(const AnchorGrid& grid, size_t layer) {
  const size_t layers = grid.strides.size();
  if (layers == 1) return (grid.least_scale + grid.greatest_scale) / 2;
  return grid.least_scale +
         (grid.greatest_scale - grid.least_scale) * static_cast<float>(layer) / static_cast<float>(layers - 1);
}

void add_forms(const AnchorGrid& grid, size_t layer, std::vector<Form>& forms) {
  const float scale = scale_of_layer(grid, layer);
  if (layer == 0 && grid.three_in_lowest_layer) {
    forms.insert(forms.end(), {{0.1f, 1.0f}, {scale, 2.0f}, {scale, 0.5f}});
    return;
  }
  for (const float ratio : grid.aspect_ratios) forms.push_back({scale, ratio});
  if (grid.interpolated_aspect_ratio > 0) {
    const float next = layer + 1 == grid.strides.size() ? 1 : scale_of_layer(grid, layer + 1);
    forms.push_back({std::sqrt(scale * next), grid.interpolated_aspect_ratio});
  }
}

}  // namespace

std::vector<Anchor> make_anchors(const AnchorGrid& grid) {
  std::vector<Anchor> anchors;
  for (size_t layer = 0; layer < grid.strides.size();) {
    const int32_t stride = grid.strides[layer];
    std::vector<Form> forms;
    for (; layer < grid.strides.size() && grid.strides[layer] == stride; ++layer) add_forms(grid, layer, forms);
    const int32_t columns = (grid.input_width + stride - 1) / stride, rows = (grid.input_height + stride - 1) / stride;
    for (int32_t y = 0; y < rows; ++y) {
      for (int32_t x = 0; x < columns; ++x) {
        for (const auto& [scale, ratio] : forms) {
          Anchor anchor{(static_cast<float>(x) + 0.5f) / static_cast<float>(columns),
                        (static_cast<float>(y) + 0.5f) / static_cast<float>(rows)};
          if (!grid.unit_sizes) {
            anchor.width = scale * std::sqrt(ratio);
            anchor.height = scale / std::sqrt(ratio);
          }
          anchors.push_back(anchor);
        }
      }
    }
  }
  return anchors;
}

}  // namespace sightglass
