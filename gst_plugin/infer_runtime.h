// What glinfer keeps from frame to frame.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "infer/infer_model.h"
#include "infer_properties.h"
#include "model_runtime.h"

namespace sightglass {

class InferRuntime : public ModelRuntime {
 public:
  // `element` gets the messages with results, and outlives this.
  explicit InferRuntime(GstElement* element) : element_(element) {}

  std::optional<OwnSize> own_size() const override;

  Status before_frame() override;
  std::string warning() const override;

 private:
  Status load_detector(const ModelSettings& settings);
  Status choose_size();
  bool set_own_property(guint id, const GValue* value) override;
  bool get_own_property(guint id, GValue* value) const override;
  Status load(const ModelSettings& settings) override;
  void unload() override;
  Result<std::unique_ptr<FrameProcessor>> create(const GlTarget& target) override;
  InferSettings snapshot() const;

  GstElement* const element_;
  InferSettings settings_;  // guarded by settings_mutex(), like the next two
  bool is_loaded_ = false;
  std::optional<OwnSize> own_size_;  // of the model that is loaded; seen is its input
  // From load() to unload().
  std::shared_ptr<SharedModel> model_, detector_model_;  // the second one where there is a detector
  InferModel infer_, detector_;
  std::shared_ptr<const Plan> plan_;                  // for the least of devices
  std::vector<std::vector<std::byte>> extra_inputs_;  // by input, from the second one on; empty: zeros
  bool attach_tensors_ = false;
  // What the processor works with: the streaming thread sets it, and waits while the GL thread reads it.
  InferSettings current_;
};

}  // namespace sightglass
