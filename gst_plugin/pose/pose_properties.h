// The properties specific to glpose.
#pragma once

#include <optional>
#include <string>

#include "element/model_settings.h"
#include "element/run_settings.h"
#include "gobject/properties.h"
#include "pose/pose_estimator.h"
#include "results/delivery.h"

namespace sightglass {

struct PoseSettings {
  // Read when the element starts.
  std::optional<std::string> detector;  // of BlazePose; unset or empty: in the directory of the model, or downloaded
  bool attach_mask = false;
  // Live.
  static constexpr float kUnsetScore = -1;
  float person_threshold = kUnsetScore;  // as set; look.person_score is the effective value
  PoseLook look;
  ResultsPolicy results;
  RunSettings run;
};

const PropertyTable<PoseSettings>& pose_properties();

}  // namespace sightglass
