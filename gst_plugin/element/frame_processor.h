// The interface that draws an element's frames on one GL context, and the loaded model that creates it.
#pragma once

#include <gst/gl/gl.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "element/element_stats.h"
#include "element/model_run.h"
#include "element/model_settings.h"
#include "element/shared_model.h"
#include "gl/frame_format.h"
#include "results/readback.h"
#include "sightglass/device.h"
#include "sightglass/plan.h"
#include "sightglass/share_group.h"
#include "sightglass/tuner.h"

namespace sightglass {

// Where to create an element's GL objects. Valid for one call.
struct GlTarget {
  GstGLContext* context;
  std::shared_ptr<ShareGroup> group;
  const DeviceInfo& device;
  FrameKind frame;  // of incoming frames
  TuningMode tuning;
  std::string cache_folder;
  bool ahead = false;        // nothing waits for the processor: also do the work that drivers defer to a first run
  ModelTimes model_times{};  // if measured; otherwise 0

  // The model's plan for this device, tuned according to the element's settings. Needs the context current.
  Result<std::shared_ptr<const Plan>> plan(SharedModel& model, PlanOptions options) const;
};

// One frame. Its buffers are mapped and the input is synchronized. The sync point of the output covers the commands
// issued until process() returns.
struct FrameJob {
  UprightFrame frame;
  GLuint output = 0;  // RGBA texture of the upright frame size, or of the element's own size
  GstBuffer* input = nullptr;
  GstBuffer* output_buffer = nullptr;
  uint64_t number = 0;          // counted since the element started
  Status failure;               // set by the processor: the reason, if the frame can be shown despite a failure
  bool awaits_results = false;  // set by the processor: results() will return this frame's results
};

// The part of an element that exists on one GL context. All calls except forget() need that context current.
class FrameProcessor {
 public:
  virtual ~FrameProcessor() = default;
  // Allocates for upright frames of that size, and forgets previous frames but not their results.
  virtual Status resize(const FrameSize& size) = 0;
  // Streaming thread, no GL: the next frame is from another scene. Pending results belong to frames that were shown,
  // and are kept.
  virtual void forget() = 0;
  // Issues the work for one frame and returns without waiting.
  virtual Status process(FrameJob& job) = 0;
  // Call after a successful process(): the output is now writable, and metadata may be attached.
  virtual Status annotate(FrameJob& /*job*/) { return {}; }
  // Call after that, once the output's sync point is set: readers of the output do not wait for this work. It must not
  // read the frame's textures.
  virtual Status finish(FrameJob& /*job*/) { return {}; }
  // Results of frames on their way to the application; null if it gets none.
  virtual ResultsReadback* results() { return nullptr; }
  // Number of completely issued model runs.
  virtual uint64_t inferences() const = 0;
  // How many of them the GPU skipped, as far as known. `wanted` requests that a later call count those up to now.
  virtual uint64_t skipped(bool /*wanted*/) { return 0; }
  // GPU time of the latest frame whose time became known since the last call.
  virtual std::optional<GpuTime> poll_time() = 0;
  // GPU times of model runs, if measured before the first frame.
  virtual ModelTimes model_times() const { return {}; }
};

// A model that an element has loaded. Any thread; processors keep it alive.
class LoadedModel : public std::enable_shared_from_this<LoadedModel> {
 public:
  virtual ~LoadedModel() = default;
  // Creates the processor that draws frames with it, on the GL thread of the target's context.
  virtual Result<std::unique_ptr<FrameProcessor>> create(const GlTarget& target) const = 0;
  // Creates the processor that draws frames, without results, until another thread has prepared that of create(). Null
  // if frames wait for create() instead.
  virtual Result<std::unique_ptr<FrameProcessor>> create_interim(const GlTarget& /*target*/) const {
    return std::unique_ptr<FrameProcessor>();
  }
  // Warnings for the application, such as settings that have no effect.
  virtual std::vector<std::string> warnings() const = 0;
};

// A model file and the element's description of it.
// `Description` has `PlanOptions plan_options`, whose first input is the frame. A default-constructed object has no
// model. Any thread.
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
    options.inputs[0].frame = read;
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
