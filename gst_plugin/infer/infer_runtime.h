// The state that glinfer keeps from frame to frame.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "element/model_runtime.h"
#include "infer/infer_model.h"
#include "infer/infer_properties.h"

namespace sightglass {

class InferModels;

class InferRuntime : public ModelRuntime {
 public:
  // `element` posts the messages with results; it must outlive this.
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
  std::optional<OwnSize> own_size_;                             // of the loaded model; the seen size is its input
  std::shared_ptr<const InferModels> model_;                    // streaming thread only
  InferSettings loaded_with_;                                   // set by begin()
  bool told_of_max_results_ = false, told_of_results_ = false;  // whether warned that they have no effect
  // The settings that the processor uses. The streaming thread writes them, and waits while the GL thread reads them.
  InferSettings current_;
};

}  // namespace sightglass
