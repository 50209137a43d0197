// What glpose keeps from frame to frame.
#pragma once

#include <memory>
#include <string>

#include "model_runtime.h"
#include "pose/pose_model.h"
#include "pose_properties.h"

namespace sightglass {

class PoseRuntime : public ModelRuntime {
 public:
  // `element` gets the messages with results, and outlives this.
  explicit PoseRuntime(GstElement* element) : element_(element) {}

  Status before_frame() override;
  std::string warning() const override;

 private:
  // A model, as it was loaded for the element.
  struct Loaded {
    std::shared_ptr<SharedModel> model;
    PoseModel pose;
    std::shared_ptr<const Plan> plan;  // for the least of devices
  };

  bool set_own_property(guint id, const GValue* value) override;
  bool get_own_property(guint id, GValue* value) const override;
  Status load(const ModelSettings& settings) override;
  void unload() override;
  Result<std::unique_ptr<FrameProcessor>> create(const GlTarget& target) override;
  Result<Loaded> load_model(const std::string& file, const ModelSettings& settings, bool mask) const;
  PoseSettings snapshot() const;

  GstElement* const element_;
  PoseSettings settings_;  // guarded by settings_mutex()
  // From load() to unload().
  Loaded model_, detector_;  // the second one for BlazePose
  PoseSettings loaded_with_;
  // What the processor draws frames with: the streaming thread sets it, and waits while the GL thread reads it.
  PoseSettings current_;
};

}  // namespace sightglass
