// The properties of glinfer, and its state from frame to frame.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "element/model_runtime.h"
#include "element/model_settings.h"
#include "element/run_settings.h"
#include "gobject/properties.h"
#include "infer/decoder.h"
#include "infer/infer_model.h"
#include "results/delivery.h"
#include "sightglass/input_transform.h"

namespace sightglass {

// The properties specific to glinfer.
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

// The state that glinfer keeps from frame to frame.
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
