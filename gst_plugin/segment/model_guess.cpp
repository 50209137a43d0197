#include "segment/model_guess.h"

#include <array>

namespace sightglass {

namespace {

constexpr std::array<float, 4> kTwice{2, 2, 2, 2}, kMinusOne{-1, -1, -1, -1};

// DeepLab v3 as published by TensorFlow: the classes of PASCAL VOC at the input size or a fraction of it.
bool is_deeplab(const TensorInfo& input, const TensorInfo& output) {
  constexpr int32_t kClasses = 21;
  return input.shape.dim(3) == 3 && output.shape.rank() == 4 && output.shape.dim(3) == kClasses;
}

// Its output is called "segments" in all conversions.
bool is_body_pix(const TensorInfo& output) {
  return output.shape.rank() == 4 && output.shape.dim(3) == 1 &&
         output.name.find("float_segments") != std::string::npos;
}

// MediaPipe hair segmentation: input colors and previous mask, output background and hair.
bool is_hair(const TensorInfo& input, const TensorInfo& output) {
  return input.shape.dim(3) == 4 && output.shape.rank() == 4 && output.shape.dim(3) == 2 &&
         output.shape.dim(1) == input.shape.dim(1) && output.shape.dim(2) == input.shape.dim(2);
}

}  // namespace

std::optional<KnownModel> guess_mask_model(const Model& model, size_t output) {
  const TensorInfo &in = model.inputs()[0], &out = model.outputs()[output];
  KnownModel guess{};
  guess.task = Task::kSegmentation;
  if (is_hair(in, out)) {
    guess.title = "a hair segmenter";
    guess.classes = "1";
    guess.labels = "background,hair";
    guess.previous_mask = true;
  } else if (is_body_pix(out)) {
    guess.title = "BodyPix";
    guess.scale = kTwice;
    guess.offset = kMinusOne;
  } else if (is_deeplab(in, out)) {
    guess.title = "DeepLab v3";
    guess.scale = kTwice;
    guess.offset = kMinusOne;
    guess.classes = "15";
    guess.labels = kPascalVocLabels;
  } else {
    return std::nullopt;
  }
  return guess;
}

}  // namespace sightglass
