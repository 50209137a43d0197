// The models of the whole-model tests, the meaning of their outputs, and the criteria for matching TensorFlow Lite.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/golden.h"
#include "sightglass/model.h"

namespace sightglass::test {

// The meaning of an output, beyond its values.
enum class Meaning {
  kMask,       // above `threshold`: foreground
  kClasses,    // scores per class along the last dimension, one winner per position
  kLabels,     // the winning class of each position
  kLandmarks,  // groups of `stride` values, which begin with x and y in pixels
  kPicture,    // an image
};

struct MeaningOfOutput {
  size_t output;
  Meaning meaning;
  float threshold = 0;
  size_t stride = 0;
};

enum class Numbers {
  kReal,
  kIntegers,  // quantized, or with float data and 8-bit weights
};

struct ModelCase {
  const char* model;
  Numbers numbers = Numbers::kReal;
  std::vector<MeaningOfOutput> meanings;
  // The model branches on its data, as with MaxPoolingWithArgmax2D: if two values are equal except for rounding,
  // another one may win here, and the values that follow from it differ.
  bool branches = false;
  double weight_ratio = 1.1;  // maximum bytes of weights on the GPU per byte of the file
};

std::span<const ModelCase> model_cases();

// The comparison of one output with its reference, as text, and whether it is good enough.
struct Verdict {
  bool good = true;
  std::string figures;
};

// `quantum` is that of a float32 output that is computed from integers; otherwise 0.
Verdict judge(const ModelCase& model, const GoldenCase& golden, const GoldenOutput& description, size_t output,
              const HostTensor& reference, const HostTensor& got, bool half_precision, double quantum);

}  // namespace sightglass::test
