// What elements that run models on frames keep from frame to frame, and the threads that may touch it.
#pragma once

#include <gst/gl/gl.h>
#include <gst/video/video.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "frame_caps.h"
#include "frame_format.h"
#include "gpu_engine/device.h"
#include "latency_meter.h"
#include "model_hud.h"
#include "model_settings.h"
#include "orientation.h"
#include "percentiles.h"
#include "render/gpu_timer.h"
#include "sharing.h"

namespace sightglass {

struct ModelStats {
  uint64_t frames = 0, inferences = 0, dropped = 0;
  uint64_t skipped = 0;                         // of the inferences, those that the GPU left out, as far as is known
  uint64_t failures = 0;                        // frames that were shown without what the model should have given
  double model_ns = 0, gpu_ns = 0, cpu_ns = 0;  // moving averages; 0: unknown
  uint64_t gpu_p50_ns = 0, gpu_p95_ns = 0;      // of recent frames; 0: unknown
  uint64_t latency_ns = 0;                      // what is reported
  uint64_t start_ns = 0;
};

// Where an element's GL objects are to live. Good for one call.
struct GlTarget {
  GstGLContext* context;
  std::shared_ptr<ShareGroup> group;
  const DeviceInfo& device;
  FrameKind frame;  // of what comes
  TuningMode tuning;
  std::string cache_folder;

  // The model's plan for this device, tuned as the element's settings say. Needs the context current.
  Result<std::shared_ptr<const Plan>> plan(SharedModel& model, PlanOptions options) const;
};

// One frame. Its buffers are mapped, what was issued for the input before has been waited for, and the output will be
// marked as made by what has been issued until process() returns.
struct FrameJob {
  FrameRef frame;
  InputTransform upright_to_stored;  // from the upright frame to where it lies in `frame`
  GLuint output = 0;                 // RGBA texture of the upright frame's size, or the element's own
  GstBuffer* input = nullptr;
  GstBuffer* output_buffer = nullptr;
  Status failure;  // set by the processor: what went wrong, where the frame can be shown all the same
};

struct GpuTime {
  double model_ns = 0;    // of one run of the model, averaged; 0: unknown
  uint64_t frame_ns = 0;  // of all that was done for one frame
  uint64_t late_ns = 0;   // what of that the frame waited for
};

// The GPU's times where frames wait for the model, which runs to its end in a frame or not at all.
class GpuTimes {
 public:
  std::optional<GpuTime> add(const std::optional<GpuTimer::Sample>& sample);

 private:
  double model_ns_ = 0;
};

// An element's part that lives on one GL context. Everything but forget() needs that current.
class FrameProcessor {
 public:
  virtual ~FrameProcessor() = default;
  // Allocates for upright frames of width × height pixels, and forgets what was before.
  virtual Status resize(int32_t width, int32_t height) = 0;
  // Streaming thread, no GL: what comes next is another scene.
  virtual void forget() = 0;
  // Issues the work for one frame and returns without waiting.
  virtual Status process(FrameJob& job) = 0;
  // After a process() that did not fail: the output is writable now, and may be given metadata.
  virtual Status annotate(FrameJob& /*job*/) { return {}; }
  // After that, behind what tells the reader of the output that it is complete. The frame's
  // textures are not to be read any more.
  virtual Status finish(FrameJob& /*job*/) { return {}; }
  // The stream is at its end: what is on its way to applications may be waited for.
  virtual void end_of_stream() {}
  // Runs of the model that have been issued to their end.
  virtual uint64_t inferences() const = 0;
  // How many of them the GPU left out, as far as is known. With `wanted` a later call is to know of those up to now.
  virtual uint64_t skipped(bool /*wanted*/) { return 0; }
  // The time of the latest frame that has become known since the last call.
  virtual std::optional<GpuTime> poll_time() = 0;
};

// A model that is loaded lives from start() to stop(); what lives on a GL context, from attach() to detach(). Between
// these two, contexts may come and go.
class ModelRuntime {
 public:
  virtual ~ModelRuntime() = default;

  // Any thread.
  ModelSettings settings() const;
  bool set_property(guint id, const GValue* value);  // false: there is no such property
  bool get_property(guint id, GValue* value) const;
  ModelStats stats() const;
  Orientation orientation() const;
  // The size of the pictures that leave, where that is not the upright frame's.
  virtual std::optional<OwnSize> own_size() const { return {}; }
  // Streaming thread: what the stream's tags say of its frames' orientation. read_tags() is true when the frames that
  // leave are upright by it.
  void forget_tags();
  bool read_tags(const GstTagList* tags);

  // Streaming or application thread, no GL. Loads the model and checks that it can run. `element` is what the HUD
  // calls the element.
  Status start(const std::string& element);
  void stop();

  // On the GL thread of `context`. attach() compiles, or leaves that to set_caps() while frames are unknown or there is
  // no model: a stopped element may be given a context. detach() may be called from another context's thread.
  Status attach(GstGLContext* context);
  void detach();
  // On the GL thread of `context`: compiles and allocates for frames of this kind.
  Status set_caps(GstGLContext* context, const FrameFormat& input, const GstVideoInfo& output);

  // Streaming thread. What comes next is another scene.
  void forget();
  // Whether there is what process() needs: a GL context and caps that came after start().
  bool is_ready() const;
  // Streaming thread. One frame, issued on the GL thread of the context that attach() was given. An orientation that
  // does not fit the sizes of the caps waits for others.
  Status process(GstBuffer* input, GstBuffer* output);
  // Streaming thread. No frame comes any more, unless there is a flush.
  void end_of_stream();
  // Streaming thread. A frame came too late and was not processed.
  void note_dropped();
  // True once after the latency has changed.
  bool take_latency_change();
  // What went wrong, once where failures begin that the processor puts up with; empty otherwise.
  std::string take_failure();

  // Streaming thread, before process(). Brings what settings name up to date; what fails is a warning.
  virtual Status before_frame() { return {}; }
  // After start(): what people should know of it; empty when there is nothing.
  virtual std::string warning() const = 0;

 protected:
  // Properties from kFirstOwnProperty on, with settings_mutex() held.
  virtual bool set_own_property(guint id, const GValue* value) = 0;
  virtual bool get_own_property(guint id, GValue* value) const = 0;

  // From start() and stop().
  virtual Status load(const ModelSettings& settings) = 0;
  virtual void unload() = 0;
  // The next processor, on the GL thread of the target's context; between load() and unload().
  virtual Result<std::unique_ptr<FrameProcessor>> create(const GlTarget& target) = 0;

  // The file that settings.model names; an error that says what to set when it names none. `what` is the kind of model
  // that is needed: "segmentation".
  static Result<std::string> model_file(const ModelSettings& settings, const std::string& what);
  // Guards settings of derived classes as well.
  std::mutex& settings_mutex() const { return settings_mutex_; }

 private:
  struct Job;
  void run(Job& job);
  struct FrameSize {
    int32_t width = 0, height = 0;
    bool operator==(const FrameSize&) const = default;
  };
  FrameSize upright_size() const;
  Status follow_size();
  InputTransform upright_to_stored_in(GstBuffer* input, Orientation wanted);
  Status draw_hud(const FrameJob& job, uint64_t inferences);
  void note_work(const FrameJob& job, uint64_t inferences, uint64_t skipped, const std::optional<GpuTime>& time);
  bool takes_wish_for_skipped();
  ModelStats figures() const;  // stats(), without a wish to know more
  void note_times(uint64_t cpu_ns);

  mutable std::mutex settings_mutex_;
  ModelSettings settings_;
  OrientationTags tags_;

  // Guards what follows; held while a frame is issued.
  mutable std::mutex mutex_;
  std::string cache_folder_;
  GstGLContext* context_ = nullptr;    // owned reference; set exactly while processor_ is
  std::shared_ptr<ShareGroup> group_;  // of context_
  std::unique_ptr<FrameProcessor> processor_;
  std::unique_ptr<ModelHud> hud_;     // made when it is first asked for
  std::string title_;                 // of the HUD
  std::optional<FrameFormat> input_;  // unknown until there are caps
  GstVideoInfo output_{};
  bool loaded_ = false;
  TuningMode tuning_ = TuningMode::kCached;
  FrameKind built_for_ = FrameKind::kRgba;
  Orientation orientation_ = Orientation::kIdentity;  // of the last frame
  FrameSize sized_for_;                               // upright frames that processor_ is ready for

  mutable std::mutex stats_mutex_;  // apart, so that reading figures never waits for a frame
  ModelStats stats_;
  Percentiles gpu_times_;
  double late_ns_ = 0;  // moving average of what frames wait for
  LatencyMeter latency_;
  bool latency_changed_ = false;
  mutable bool wants_skipped_ = false;  // somebody has looked at the figures
  bool failing_ = false;
  std::string failure_;  // that nobody has been told of
};

}  // namespace sightglass
