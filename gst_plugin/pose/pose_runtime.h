// The state that glpose keeps from frame to frame.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "element/model_runtime.h"
#include "pose/pose_model.h"
#include "pose/pose_properties.h"

namespace sightglass {

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
