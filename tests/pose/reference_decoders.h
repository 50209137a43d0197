// What decoders of poses should find, computed plainly on the CPU from a model's outputs.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "gpu_engine/tensor.h"

namespace sightglass::test {

struct ReferencePoint {
  float x = 0, y = 0;  // pixels of the model's input, counted by their centers
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
// As `quantization` says, where there is one.
std::vector<float> real_numbers(const HostTensor& tensor, const Quantization& quantization);
Grid grid_of(const HostTensor& tensor, const Quantization& quantization);

// What TensorFlow Lite recorded for a picture, of a model of ../shared/models/pose: real numbers.
struct Golden {
  std::string picture;
  std::vector<std::vector<float>> outputs;
  std::vector<Grid> grids;  // those of rank 4
};
Golden golden_of(const std::string& model);

// PoseNet: scores are logits, offsets in pixels; `stride` is from cell to cell.
ReferencePerson best_of_cells(const Grid& scores, const Grid& offsets, float stride);
// The method of PoseNet's multi-person decoder: up to `persons`, roots from a score of 0.5 on, 20 pixels apart.
std::vector<ReferencePerson> grow_persons(const Grid& scores, const Grid& offsets, const Grid& forward,
                                          const Grid& backward, float stride, size_t persons);

}  // namespace sightglass::test
