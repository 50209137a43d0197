// A model seen as a segmenter: which output is the mask, and how the engine turns it into probabilities. No GL.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/model_picture.h"
#include "gpu_engine/model.h"
#include "gpu_engine/plan.h"
#include "known_models.h"
#include "segment/class_layout.h"
#include "segment/matte_defaults.h"

namespace sightglass {

struct MaskModelOptions {
  std::vector<int32_t> classes;  // output channels that are foreground; empty: what is known of a published model, else
                                 // all but channel 0, or the only one
  int32_t output = -1;           // index of the output; -1: the first that is a picture
  std::optional<OutputActivation> activation;  // still to be applied; unset: by what the model ends in
  InputNormalisation normalisation;
};

struct MaskModel {
  PlanOptions plan_options;  // inputs and outputs
  size_t output = 0;
  // Of models of three classes and more, whose output is planned as a buffer. The others' is a texture of
  // probabilities.
  std::optional<ClassLayout> classes;
  int32_t width = 0, height = 0;  // of the model's input, in pixels
  bool previous_mask = false;     // the fourth channel of the input is the mask of the previous frame
  MatteDefaults defaults;
};

// `known` is the published model that it is; else that is guessed. Fails, naming the file, the tensor and what is
// needed, when the model is no segmenter.
Result<MaskModel> describe_mask_model(const Model& model, const std::optional<KnownModel>& known,
                                      const MaskModelOptions& options);

// "15" or "1, 2": channel numbers, separated by commas; empty is the default choice.
Result<std::vector<int32_t>> parse_classes(const std::string& text);

}  // namespace sightglass
