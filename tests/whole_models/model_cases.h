// The models that whole-model tests run, what their outputs mean, and when an answer counts as TensorFlow Lite's.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gpu_engine/model.h"
#include "harness/golden.h"

namespace sightglass::test {

// What an output means, beyond its numbers.
enum class Meaning {
  kMask,       // above `threshold`: foreground
  kClasses,    // scores by class along the last dimension, one winner per place
  kLabels,     // the winning class of each place
  kLandmarks,  // groups of `stride` numbers, which begin with x and y in pixels
  kPicture,    // numbers to look at
};

struct MeaningOfOutput {
  size_t output;
  Meaning meaning;
  float threshold = 0;
  size_t stride = 0;
};

enum class Numbers {
  kReal,
  kIntegers,  // quantized, or of float data and 8-bit weights
};

struct ModelCase {
  const char* model;
  Numbers numbers = Numbers::kReal;
  std::vector<MeaningOfOutput> meanings;
  // Real numbers go where comparisons say, as with MaxPoolingWithArgmax2D: where two are equal but for rounding,
  // another of them may win here, and the numbers that follow from it differ.
  bool branches = false;
  double weight_ratio = 1.1;  // the most bytes of weights on the GPU for each byte of the file
};

std::span<const ModelCase> model_cases();

// One output against its reference, in words, and whether it is good enough.
struct Verdict {
  bool good = true;
  std::string figures;
};

// `quantum` of a float32 output that is made from integers; 0 when it is not.
Verdict judge(const ModelCase& model, const GoldenCase& golden, const GoldenOutput& description, size_t output,
              const HostTensor& reference, const HostTensor& got, bool half_precision, double quantum);

}  // namespace sightglass::test
