// The properties specific to glinfer.
#pragma once

#include <optional>
#include <string>

#include "element/model_settings.h"
#include "element/run_settings.h"
#include "gobject/properties.h"
#include "infer/decoder.h"
#include "infer/infer_model.h"
#include "results/delivery.h"
#include "sightglass/input_transform.h"

namespace sightglass {

// Size of output frames that show an image output by the model.
enum class OutputSize : uint8_t { kFrame, kModel };

struct InferSettings {
  // Read when the element starts.
  InferTask task = InferTask::kAuto;
  std::optional<std::string> labels, extra_inputs, detector;
  std::optional<double> output_scale, output_offset;  // unset: from the model
  bool attach_tensors = false;
  OutputSize output_size = OutputSize::kFrame;
  // Live.
  static constexpr int32_t kUsualResults = 10;
  std::optional<int32_t> max_results;  // unset: kUsualResults, or one face or hand
  InferLook look;                      // its max_results follows from the one above
  std::optional<Fit> fit;              // unset: chosen for the model
  RunSettings run;
  ResultsPolicy results;
};

const PropertyTable<InferSettings>& infer_properties();

}  // namespace sightglass
