// The properties of glpose, and its state from frame to frame.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "element/model_runtime.h"
#include "element/model_settings.h"
#include "element/run_settings.h"
#include "gobject/properties.h"
#include "pose/pose_estimator.h"
#include "pose/pose_model.h"
#include "results/delivery.h"

namespace sightglass {

// The properties specific to glpose.
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

// The state that glpose keeps from frame to frame.
class PoseRuntime : public ModelRuntime {
 public:
  // `element` posts the messages with results; it must outlive this.
  explicit PoseRuntime(GstElement* element) : element_(element) {}

  Status before_frame() override;
  ResultsPolicy results_policy() const override;

 private:
  Status set_own_property(guint id, const GValue* value) override;
  bool get_own_property(guint id, GValue* value) const override;
  Status begin() override;
  Result<std::shared_ptr<const LoadedModel>> load(const ModelSettings& settings) const override;
  PoseSettings snapshot() const;

  GstElement* const element_;
  PoseSettings settings_;     // guarded by settings_mutex()
  PoseSettings loaded_with_;  // set by begin()
  // The settings that the processor uses. The streaming thread writes them, and waits while the GL thread reads them.
  PoseSettings current_;
};

}  // namespace sightglass
