// What glinfer keeps from frame to frame.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/model_runtime.h"
#include "infer/infer_model.h"
#include "infer/infer_properties.h"

namespace sightglass {

class InferModels;

class InferRuntime : public ModelRuntime {
 public:
  // `element` gets the messages with results, and outlives this.
  explicit InferRuntime(GstElement* element) : element_(element) {}

  std::optional<OwnSize> own_size() const override;

  Status before_frame() override;
  ResultsPolicy results_policy() const override;

 private:
  Status set_own_property(guint id, const GValue* value) override;
  bool get_own_property(guint id, GValue* value) const override;
  Status begin() override;
  Result<std::shared_ptr<const LoadedModel>> load(const ModelSettings& settings) const override;
  void adopt(const std::shared_ptr<const LoadedModel>& model) override;
  InferSettings snapshot() const;

  GstElement* const element_;
  InferSettings settings_;  // guarded by settings_mutex(), like the next two
  bool is_loaded_ = false;
  std::optional<OwnSize> own_size_;                             // of the model that is loaded; seen is its input
  std::shared_ptr<const InferModels> model_;                    // the streaming thread's
  InferSettings loaded_with_;                                   // at begin()
  bool told_of_max_results_ = false, told_of_results_ = false;  // that they have no effect
  // What the processor works with: the streaming thread sets it, and waits while the GL thread reads it.
  InferSettings current_;
};

}  // namespace sightglass
