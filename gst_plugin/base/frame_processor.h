// What draws an element's frames on one GL context, and the model that it is made from.
#pragma once

#include <gst/gl/gl.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/model_figures.h"
#include "base/model_pace.h"
#include "base/shared_model.h"
#include "gl/frame_format.h"
#include "gl/upright_frame.h"
#include "gpu_engine/device.h"
#include "gpu_engine/plan.h"
#include "gpu_engine/share_group.h"
#include "gpu_engine/tuner.h"
#include "results/results_readback.h"

namespace sightglass {

// Where an element's GL objects are to live. Good for one call.
struct GlTarget {
  GstGLContext* context;
  std::shared_ptr<ShareGroup> group;
  const DeviceInfo& device;
  FrameKind frame;  // of what comes
  TuningMode tuning;
  std::string cache_folder;
  bool ahead = false;        // nothing waits for it: whatever drivers leave to a first run is run as well
  ModelTimes model_times{};  // where they have been measured

  // The model's plan for this device, tuned as the element's settings say. Needs the context current.
  Result<std::shared_ptr<const Plan>> plan(SharedModel& model, PlanOptions options) const;
};

// Pixels of upright frames.
struct FrameSize {
  int32_t width = 0, height = 0;
  bool operator==(const FrameSize&) const = default;
};

// One frame. Its buffers are mapped, what was issued for the input before has been waited for, and the output will be
// marked as made by what has been issued until process() returns.
struct FrameJob {
  UprightFrame frame;
  GLuint output = 0;  // RGBA texture of the upright frame's size, or the element's own
  GstBuffer* input = nullptr;
  GstBuffer* output_buffer = nullptr;
  uint64_t number = 0;          // counted since the element started
  Status failure;               // set by the processor: what went wrong, where the frame can be shown all the same
  bool awaits_results = false;  // set by the processor: results() will have what was found in it
};

// An element's part that lives on one GL context. Everything but forget() needs that current.
class FrameProcessor {
 public:
  virtual ~FrameProcessor() = default;
  // Allocates for upright frames of width × height pixels, and forgets what was before, but for results.
  virtual Status resize(int32_t width, int32_t height) = 0;
  // Streaming thread, no GL: what comes next is another scene. Results on their way are those of frames that were
  // shown, and stay.
  virtual void forget() = 0;
  // Issues the work for one frame and returns without waiting.
  virtual Status process(FrameJob& job) = 0;
  // After a process() that did not fail: the output is writable now, and may be given metadata.
  virtual Status annotate(FrameJob& /*job*/) { return {}; }
  // After that, behind what tells the reader of the output that it is complete. The frame's
  // textures are not to be read any more.
  virtual Status finish(FrameJob& /*job*/) { return {}; }
  // What was found in frames, on its way to applications; null where they are told nothing.
  virtual ResultsReadback* results() { return nullptr; }
  // Runs of the model that have been issued to their end.
  virtual uint64_t inferences() const = 0;
  // How many of them the GPU left out, as far as is known. With `wanted` a later call is to know of those up to now.
  virtual uint64_t skipped(bool /*wanted*/) { return 0; }
  // The time of the latest frame that has become known since the last call.
  virtual std::optional<GpuTime> poll_time() = 0;
  // The GPU's times for runs of the models, where they were measured before any frame.
  virtual ModelTimes model_times() const { return {}; }
};

// A model as an element has loaded it. Any thread; processors keep it alive.
class LoadedModel : public std::enable_shared_from_this<LoadedModel> {
 public:
  virtual ~LoadedModel() = default;
  // What draws frames with it, on the GL thread of the target's context.
  virtual Result<std::unique_ptr<FrameProcessor>> create(const GlTarget& target) const = 0;
  // What the application should know of it, such as settings that have no effect.
  virtual std::vector<std::string> warnings() const = 0;
};

}  // namespace sightglass
