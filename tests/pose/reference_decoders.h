// Plain CPU decoders of pose model outputs, for comparison.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "sightglass/tensor.h"

namespace sightglass::test {

struct ReferencePoint {
  float x = 0, y = 0;  // pixels of the model input, counted by their centers
  float score = 0;
};
struct ReferencePerson {
  std::vector<ReferencePoint> points;
  float score = 0;
};

// A tensor 1 x rows x columns x channels of real numbers.
struct Grid {
  int rows = 0, columns = 0, channels = 0;
  std::vector<float> numbers;
  float at(int row, int column, int channel) const {
    return numbers[static_cast<size_t>((row * columns + column) * channels + channel)];
  }
};
// Dequantized according to `quantization`, if it is set.
std::vector<float> real_numbers(const HostTensor& tensor, const Quantization& quantization);
Grid grid_of(const HostTensor& tensor, const Quantization& quantization);

// TensorFlow Lite outputs for an image, from a model in ../shared/models/pose, as real numbers.
struct Golden {
  std::string picture;
  std::vector<std::vector<float>> outputs;
  std::vector<Grid> grids;  // outputs of rank 4
};
Golden golden_of(const std::string& model);

// PoseNet: scores are logits, offsets are in pixels, and `stride` is the distance between cells.
ReferencePerson best_of_cells(const Grid& scores, const Grid& offsets, float stride);
// Heatmaps of an input of width × height pixels: scores are probabilities, and cells are areas. The peak of a parabola
// through the score of the best cell and those of its neighbors, except at the border.
ReferencePerson best_of_heatmaps(const Grid& scores, int width, int height);
// SimCC: scores by point and column, and by point and row, of an input of width × height pixels.
ReferencePerson best_of_simcc(const std::vector<float>& columns, const std::vector<float>& rows, size_t points,
                              int width, int height);
// The multi-person PoseNet decoder: up to `persons` people, with root scores of at least 0.5, at least 20 pixels apart.
std::vector<ReferencePerson> grow_persons(const Grid& scores, const Grid& offsets, const Grid& forward,
                                          const Grid& backward, float stride, size_t persons);

}  // namespace sightglass::test
