// A model that an element has loaded, and the creation of its effect on a GL context.
#pragma once

#include <gst/gl/gl.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "element/effect.h"
#include "element/element_settings.h"
#include "element/model_pace.h"
#include "element/shared_model.h"
#include "sightglass/device.h"
#include "sightglass/plan.h"
#include "sightglass/share_group.h"
#include "sightglass/tuner.h"

namespace sightglass {

// Where to create an element's GL objects. Valid for one call.
struct GlTarget {
  GstGLContext* context;  // null outside of pipelines
  std::shared_ptr<ShareGroup> group;
  const DeviceInfo& device;
  FrameKind frame;  // of incoming frames
  TuningMode tuning;
  std::string cache_folder;
  bool ahead = false;        // nothing waits for the effect: also do the work that drivers defer to a first run
  ModelTimes model_times{};  // if measured; otherwise 0

  // The model's plan for this device, tuned according to the element's settings. Needs the context current.
  Result<std::shared_ptr<const Plan>> plan(SharedModel& model, PlanOptions options) const;
};

// Any thread. Effects do not refer to it.
class LoadedModel {
 public:
  virtual ~LoadedModel() = default;
  // Creates the effect that draws frames with it, on the GL thread of the target's context.
  virtual Result<std::unique_ptr<Effect>> create(const GlTarget& target) const = 0;
  // Creates the effect that draws frames, without results, until another thread has prepared that of create(). Null if
  // frames wait for create() instead.
  virtual Result<std::unique_ptr<Effect>> create_interim(const GlTarget& /*target*/) const {
    return std::unique_ptr<Effect>();
  }
  // Warnings for the application, such as settings that have no effect.
  virtual std::vector<std::string> warnings() const = 0;
};

// A model file and the element's description of it.
// `Description` has `PlanOptions plan_options`, whose inputs as textures are the frame. A default-constructed object
// has no model. Any thread.
template <typename Description>
class DescribedModel {
 public:
  // Opens `file`, describes it with `describe(const SharedModel&)`, which returns Result<Description>, and plans it.
  // Fails, naming the file, if it cannot be read, if `describe` fails, or if an operator is unsupported.
  template <typename Describe>
  static Result<DescribedModel> load(const std::string& file, const ModelSettings& settings, Describe describe,
                                     ImageOrder order = ImageOrder::kArranged) {
    DescribedModel loaded;
    SIGHTGLASS_ASSIGN_OR_RETURN(ModelOptions model_options, settings.model_options());
    model_options.image_order = order;
    SIGHTGLASS_ASSIGN_OR_RETURN(loaded.shared_, SharedModel::load(file, model_options));
    SIGHTGLASS_ASSIGN_OR_RETURN(loaded.description_, describe(*loaded.shared_));
    settings.apply_to(loaded.description_.plan_options);
    // The device is not known yet, but every device can do what the minimum limits allow.
    SIGHTGLASS_ASSIGN_OR_RETURN(loaded.plan_, loaded.shared_->plan(DeviceLimits(), loaded.description_.plan_options));
    return loaded;
  }

  explicit operator bool() const { return shared_ != nullptr; }
  const Description& operator*() const { return description_; }
  const Description* operator->() const { return &description_; }

  // For the target's device; `read` is the kind of frame that the model samples.
  Result<std::shared_ptr<const Plan>> plan(const GlTarget& target, FrameKind read) const {
    PlanOptions options = description_.plan_options;
    for (InputSpec& input : options.inputs) input.frame = read;
    return target.plan(*shared_, std::move(options));
  }
  // Appends a warning if operators run on the CPU.
  void add_warnings(std::vector<std::string>& warnings) const {
    if (plan_ != nullptr && !plan_->fallback().operators.empty()) warnings.push_back(plan_->fallback().warning());
  }

 private:
  std::shared_ptr<SharedModel> shared_;
  Description description_;
  std::shared_ptr<const Plan> plan_;  // for the minimum limits
};

}  // namespace sightglass
