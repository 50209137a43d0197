// glpose's own properties.
#pragma once

#include <optional>
#include <string>

#include "base/model_settings.h"
#include "base/run_settings.h"
#include "gobject/properties.h"
#include "pose/pose_estimator.h"
#include "results/delivery.h"

namespace sightglass {

struct PoseSettings {
  // Taken over when the element starts.
  std::optional<std::string> detector;  // of BlazePose; unset or empty: what lies beside the model, or the stored one
  bool attach_mask = false;
  // Live.
  static constexpr float kUnsetScore = -1;
  float person_threshold = kUnsetScore;  // as set; look.person_score is what it means
  PoseLook look;
  ResultsPolicy results;
  RunSettings run;
};

const PropertyTable<PoseSettings>& pose_properties();

}  // namespace sightglass
