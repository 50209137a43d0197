// Segmentation models small enough to reason about, made in place.
#pragma once

#include <string>

namespace sightglass::test {

enum class Head {
  kSigmoid,       // 1 channel, LOGISTIC
  kLogit,         // 1 channel, as the convolution gives it
  kTwoSoftmax,    // 2 channels, SOFTMAX: background, foreground
  kThreeLogits,   // 3 channels, as the convolution gives them: background, foreground, a class that never wins
  kGreyInput,     // like kSigmoid, but with a one-channel input
  kVector,        // no picture comes out: a mean over height and width
  kList,          // a mask, as 1 x 32 x 8 numbers: a list of boxes has such a shape
  kUnknownOp,     // with a custom operator that nobody knows
  kFourClasses,   // 4 channels of logits: 1 where it is red, 2 green, 3 blue, 0 where it is none of them
  kClassNumbers,  // the same, as numbers of classes, whole ones
  kRemembers,     // 4 channels in, 2 logits out: foreground is what is red, or has an A above a half
  kCpuOnly,  // like kSigmoid, with a TRANSPOSE_CONV of computed weights, which the GPU cannot run, that changes nothing
};

// The path of a model of 16 x 16 pixels that takes what is redder than half for foreground, nearly without doubt.
// Written to the scratch folder, one file for each head.
std::string red_model(Head head = Head::kSigmoid);

// The path of a model that takes height × width pixels of so many channels and gives `classes` numbers for each, all
// the same. For what can be told by shapes and names alone.
struct ModelShape {
  int32_t height, width, channels, classes;
  const char* output = "output";
};
std::string shaped_model(const ModelShape& shape);

// The path of a model that makes a picture of twice the width and height of its input's: each pixel becomes four, its
// colour times these, row by row.
inline constexpr float kEnlarged[4] = {1, 0.75F, 0.5F, 0.25F};
std::string enlarging_model(int32_t height, int32_t width);

}  // namespace sightglass::test
