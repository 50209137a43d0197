// The part of an element that exists on a GL context: it processes the frames. Between start() and stop(), contexts may
// come and go.
#pragma once

#include <gst/gl/gl.h>
#include <gst/video/video.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "element/effect_runner.h"
#include "element/frame_placement.h"
#include "element/held_inputs.h"
#include "element/loaded_model.h"
#include "element/model_hud.h"
#include "gl/frame_format.h"
#include "gl/gl_bridge.h"
#include "gl/orientation.h"
#include "results/delivery.h"

namespace sightglass {

class ModelElement;

enum class ResultsWait : uint8_t { kNone, kOldest, kAll };

// Where frames are processed, for a model that is prepared on another thread.
struct FramePlace {
  ContextRef context;
  FrameKind kind = FrameKind::kRgba;
  FrameSize size;
  TuningMode tuning = TuningMode::kCached;
  std::string cache_folder;
  std::shared_ptr<const ElementSettings> settings;
  GstElement* element = nullptr;
};

// A model that can take over between two frames. Any thread except GL threads may destroy it.
struct ReadyModel {
  ReadyModel() = default;
  ReadyModel(ReadyModel&&) = default;
  ReadyModel& operator=(ReadyModel&&) = delete;
  ~ReadyModel();

  std::shared_ptr<const LoadedModel> model;
  std::unique_ptr<EffectRunner> runner;  // for frames of `kind` and `size`, on `context`
  ContextRef context;
  FrameKind kind = FrameKind::kRgba;
  FrameSize size;
  uint64_t prepared_ns = 0;  // how long loading and compiling took
};

class GlAttachment {
 public:
  // `element` outlives this.
  explicit GlAttachment(ModelElement& element) : element_(element) {}

  // Streaming or application thread, no GL. Frames are drawn with `model` from now on. `name` is the element name in
  // the HUD.
  void start(std::shared_ptr<const LoadedModel> model, const ElementSettings& settings, const std::string& name);
  void stop();  // not on a GL thread
  std::shared_ptr<const LoadedModel> model() const;
  // After start(): why the cache directory is unused; empty if it is in use.
  std::string cache_warning() const;

  // On the GL thread of `context`. attach() compiles, unless the model has an interim effect. Without caps or a model
  // (a stopped element may get a context), it leaves that to prepare(). detach() may also be called from another
  // context's thread.
  Status attach(GstGLContext* context);
  void detach();
  // On the GL thread. If the frames have another kind than before, the rest is left to prepare().
  Status set_caps(const FrameFormat& input, const GstVideoInfo& output);

  // The functions below are for the streaming thread, except drop_results().

  // When a frame arrives: compiles and allocates on the GL thread of `context`, unless that was done for this context
  // and frames of this kind. Not before: glupload sets the caps of RGBA frames, and replaces them when it gets its
  // first frame. Returns whether process() can run: not without a model, and caps received after start().
  Result<bool> prepare(GstGLContext* context);
  // Issues one frame on the GL thread of the attached context. An orientation that does not match the size in the caps
  // waits for new caps. take_results() returns the results that have arrived by then.
  Result<FrameTicket> process(GstBuffer* input, GstBuffer* output, std::shared_ptr<const ElementSettings> settings);
  // The next frame is from another scene.
  void forget();
  // Results that arrived between the last call and the last process(), oldest first.
  std::vector<SharedResults> take_results();
  // The same up to now, after waiting for the GPU to deliver none, the oldest or all of the pending results.
  std::vector<SharedResults> await_results(ResultsWait what);
  void drop_results();  // any thread
  // Waits until the GPU has read all frames so far, and returns them to their owner.
  void release_inputs();

  // For models that are prepared while frames flow. No place: there is no context yet.
  std::optional<FramePlace> place() const;
  // Whether an interim effect draws frames until the model is ready.
  bool is_interim() const;
  // Why the model cannot replace it, after fail_interim(); until the next attach().
  Status failure() const;
  void fail_interim(const FramePlace& place, const Status& failure);
  // Since attach(), in nanoseconds.
  uint64_t time_since_attach() const;
  // Draws frames with that model from now on. False if the context or the kind of frames is another one by now. Waits
  // only for pending results; everything that frames need is prepared.
  bool take_over(ReadyModel& ready, const std::optional<std::string>& name);

 private:
  // process() on the GL thread.
  Result<FrameTicket> issue(GstGLContext* context, FrameJob& job, Orientation wanted);
  void note_arrived(const std::vector<SharedResults>& results);  // with mutex_ held
  Status follow_size(const ElementSettings& settings);
  Status draw_hud(const FrameJob& job, uint64_t inferences);

  ModelElement& element_;

  // Guards the members below; held while a frame is issued.
  mutable std::mutex mutex_;
  std::shared_ptr<const LoadedModel> model_;  // from start() to stop()
  TuningMode tuning_ = TuningMode::kCached;
  std::string cache_folder_, cache_warning_;
  std::string name_, title_;  // of the element, and of the HUD

  GstGLContext* context_ = nullptr;    // owned reference; set exactly while runner_ is
  std::shared_ptr<ShareGroup> group_;  // of context_
  std::unique_ptr<EffectRunner> runner_;
  bool interim_ = false;           // runner_ draws frames until the model is ready
  Status failure_;                 // why the model cannot replace it
  uint64_t attached_at_ = 0;       // when attach() began, in nanoseconds of the monotonic clock
  HeldInputs inputs_;              // attached exactly while there is a runner
  std::unique_ptr<ModelHud> hud_;  // created on first use

  FramePlacement placement_;  // has caps from set_caps() on
  FrameKind built_for_ = FrameKind::kRgba;
  FrameSize sized_for_;                 // upright frame size that runner_ is ready for
  uint64_t frames_begun_ = 0;           // since start()
  std::vector<SharedResults> arrived_;  // and not taken yet
};

}  // namespace sightglass
