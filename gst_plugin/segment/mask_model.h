// How to use a model as a segmenter: which output is the mask, and how to convert it to probabilities. No GL.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "detect/yolo_decoder.h"
#include "element/model_picture.h"
#include "known_models.h"
#include "sightglass/model.h"
#include "sightglass/plan.h"

namespace sightglass {

struct MaskModelOptions {
  std::vector<int32_t> classes;  // foreground channels of the output; empty: those of a known model, otherwise
                                 // all but channel 0, or the only one
  int32_t output = -1;           // index of the output; -1: the first image
  std::optional<OutputActivation> activation;  // to apply; unset: by the range that the operators prove
  InputNormalization normalization;
  ModelNotes notes;  // of the file next to the model; the fields above precede it
};

// How the output of a model with several classes encodes the class of a pixel.

inline constexpr int32_t kMaxMaskClasses = 256;  // also for shaders

using ClassBits = std::array<uint32_t, kMaxMaskClasses / 32>;  // class c: bit c % 32 of element c / 32

struct ClassLayout {
  int32_t width = 0, height = 0;                          // of the output
  int32_t channels = 0;                                   // scores per pixel; 0: the output is the class index
  float scale = 1, offset = 0;                            // of scores, before the activation
  OutputActivation activation = OutputActivation::kNone;  // to apply to scores
  std::vector<int32_t> foreground;                        // classes
  std::vector<int32_t> shown;                             // shown in color by an overlay; never 0
  std::vector<std::string> names;  // by index; may be shorter than the classes, or have empty names
};

struct MaskModel {
  PlanOptions plan_options;  // inputs and outputs
  size_t output = 0;         // of YOLO: the prototypes
  // For YOLO segmentation models: the masks of objects of these classes are the foreground.
  struct Objects {
    YoloModel yolo;
    std::vector<int32_t> classes;
  };
  std::optional<Objects> objects;
  // For models with three or more classes: their output is planned as a buffer. Otherwise the output is a texture of
  // probabilities.
  std::optional<ClassLayout> classes;
  int32_t width = 0, height = 0;  // of the model input, in pixels
  size_t frame_input = 0;         // index of the model input that is the frame
  bool previous_mask = false;     // the fourth input channel is the previous mask
  bool recurrent = false;         // other inputs are outputs of the previous run
  // Index of an input with the factor by which the model shrinks the frame at first (Robust Video Matting).
  std::optional<size_t> ratio_input;
  MaskDefaults defaults;
};

// `known` is the entry in the catalog; without one, the model is guessed. If the model is not a segmenter, the error
// names the file, the tensor and the requirement.
Result<MaskModel> describe_mask_model(const Model& model, const std::optional<KnownModel>& known,
                                      const MaskModelOptions& options);

// For an input of that size: the model then looks for people in an image of at most 512 pixels.
float downsample_ratio(const MaskModel& model);

// "15" or "1, 2": channel numbers, separated by commas; empty is the default choice.
Result<std::vector<int32_t>> parse_classes(const std::string& text);

}  // namespace sightglass
