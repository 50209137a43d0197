// Segmentation models that are small enough to reason about, created on the fly.
#pragma once

#include <cstdint>
#include <string>

namespace sightglass::test {

enum class Head {
  kSigmoid,        // 1 channel, LOGISTIC
  kLogit,          // 1 channel, the convolution output
  kTwoSoftmax,     // 2 channels, SOFTMAX: background, foreground
  kThreeLogits,    // 3 channels of convolution outputs: background, foreground, a class that never wins
  kGrayInput,      // like kSigmoid, but with a one-channel input
  kVector,         // the output is not an image: a mean over height and width
  kList,           // a mask as 1 x 32 x 8 values, the shape of a list of boxes
  kUnknownOp,      // with an unknown custom operator
  kFourClasses,    // 4 channels of logits: class 1 for red pixels, 2 for green, 3 for blue, 0 for all others
  kClassNumbers,   // the same, as integer class numbers
  kSamples,        // LOGISTIC times 255
  kHardSigmoid,    // RELU6 / 6
  kFlipped,        // 1 - (1 - LOGISTIC)
  kChannelsFirst,  // like kTwoSoftmax, as 1 x 2 x 16 x 16
  kFlat,           // like kSigmoid, as 1 x 256
  kFloatNumbers,   // like kClassNumbers, as float32 in 1 x 16 x 16 x 1
  kByteNumbers,    // the same, as uint8 in 1 x 16 x 16
  kRemembers,      // 4 channels in, 2 logits out: foreground is red pixels, or pixels with A above one half
  kCpuOnly,        // like kSigmoid, with an identity TRANSPOSE_CONV of computed weights, which the GPU cannot run
};

// The path of a model of 16 x 16 pixels whose foreground is pixels with R above one half, with high confidence. Written
// to the scratch folder, one file per head. kVector also takes a batch; 0 leaves it open.
std::string red_model(Head head = Head::kSigmoid, int32_t batch = 1);

// The path of a model with inputs and outputs like those of Robust Video Matting, in the order of their names: two
// states of 1 x 16 x 16 x 2, a factor, and the frame; the colors, the states, and the alpha, which is red pixels of
// this frame and of the one before the last.
std::string matting_model();

// The path of a model with two inputs of 16 x 16 pixels, the second one of which is the frame. With one channel, the
// first one is the previous mask, and the mask is its maximum with red pixels. With three channels, it is another
// image.
std::string two_input_model(int32_t channels);

// The path of a model of side × side pixels whose probability of foreground is 1/2 for an R of one half, and 0.0003 and
// 0.9997 for R of 0 and 1.
std::string unsure_model(int32_t side);

// The path of a model that takes height × width pixels of `channels` channels and outputs `classes` equal values for
// each. For tests that need only shapes and names.
struct ModelShape {
  int32_t height, width, channels, classes;
  const char* output = "output";
};
std::string shaped_model(const ModelShape& shape);

// The path of a YOLO model of 32 x 32 pixels with boxes of two classes. Red frames have an object of class 0 in their
// left half, which two boxes describe, with kYoloScores; green frames have one of class 1 in their right half.
struct YoloFile {
  enum class Rows { kBoxesLast, kBoxesFirst, kObjectness, kRanked, kRotatedLast, kRotatedFirst, kRankedRotated };
  Rows rows = Rows::kBoxesLast;
  bool in_pixels = false;
  int32_t points = 0;        // of 3 values, on the diagonal of the box, all of score 0.9; then class 0 is the only one
  int32_t coefficients = 0;  // of masks, with prototypes of 8 x 8 pixels: an object is where the frame has its color
  bool bytes = false;        // the boxes are int8, with a scale and a zero point
  bool odd = false;          // with two rows more than the input has cells
};
inline constexpr float kYoloBoxes[2][4] = {{0.25F, 0.5F, 0.4F, 0.6F}, {0.75F, 0.5F, 0.3F, 0.4F}};  // center, size
inline constexpr float kYoloScores[2] = {0.9F, 0.8F};
inline constexpr float kYoloAngles[2] = {0.5F, 2};  // of rotated boxes
std::string yolo_model(const YoloFile& file);

// The path of a model whose output image has twice the width and height of its input: each pixel becomes four, its
// color times these factors, row by row.
inline constexpr float kEnlarged[4] = {1, 0.75F, 0.5F, 0.25F};
std::string enlarging_model(int32_t height, int32_t width);

}  // namespace sightglass::test
