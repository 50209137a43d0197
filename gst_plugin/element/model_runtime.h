// The state that elements with models keep from frame to frame, and the threads that may access it.
#pragma once

#include <gst/gl/gl.h>
#include <gst/video/video.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "element/element_stats.h"
#include "element/frame_processor.h"
#include "element/held_inputs.h"
#include "element/model_hud.h"
#include "element/model_settings.h"
#include "gl/frame_caps.h"
#include "gl/frame_format.h"
#include "gl/orientation.h"
#include "results/delivery.h"
#include "sightglass/device.h"

namespace sightglass {

enum class ResultsWait : uint8_t { kNone, kOldest, kAll };

class ModelChange;
struct ReadyModel;

// Outcome of an attempt to prepare a model while frames flow.
struct ModelNews {
  bool changed = false;               // the new model may need other caps
  std::vector<std::string> warnings;  // for the application
  Status failure;                     // the first model cannot be used: the stream ends
};

// A loaded model lives from start() to stop(), unless another one replaces it in between. Objects on a GL context live
// from attach() to detach(). Between start() and stop(), contexts may come and go.
class ModelRuntime {
 public:
  ModelRuntime();
  virtual ~ModelRuntime();

  // Any thread.
  ModelSettings settings() const;
  // For an element in `state`. If the value cannot take effect, fails, changes nothing and names the value that stays.
  Status set_property(guint id, const GParamSpec& spec, const GValue* value, GstState state);
  bool get_property(guint id, GValue* value) const;
  // The model in effect, as set by the application.
  std::string model_name() const;
  ElementStats& stats() { return stats_; }
  Orientation orientation() const;
  // The output size, if it is not the upright frame size.
  virtual std::optional<OwnSize> own_size() const { return {}; }
  // Streaming thread: the frame orientation from the stream's tags. read_tags() returns true if the tags make the
  // element rotate its output upright.
  void forget_tags();
  bool read_tags(const GstTagList* tags);

  // Streaming or application thread, no GL. Loads the model and checks that it can run. `element` is the element name
  // in the HUD.
  Status start(const std::string& element);
  void stop();  // not on a GL thread
  // Call when the streaming thread has ended, before its GL context is destroyed: waits for a model that is being
  // prepared. If contexts that share a program end while it is compiled or deleted, Mesa leaks parts of it.
  void cancel_change();

  // On the GL thread of `context`. attach() compiles, unless the model has an interim processor. Without caps or a
  // model (a stopped element may get a context), it leaves that to prepare(). detach() may also be called from another
  // context's thread.
  Status attach(GstGLContext* context);
  void detach();
  // On the GL thread. If the frames have another kind than before, the rest is left to prepare().
  Status set_caps(const FrameFormat& input, const GstVideoInfo& output);

  // Streaming thread, before caps are negotiated for a frame. If the first model is not ready or another one was set,
  // begins to prepare it, or lets it take over once it is ready.
  ModelNews follow_model();

  // Streaming thread. The next frame is from another scene.
  void forget();
  // Streaming thread, when a frame arrives. Compiles and allocates on the GL thread of `context`, unless that was done
  // for this context and frames of this kind. Not before: glupload sets the caps of RGBA frames, and replaces them when
  // it gets its first frame. Returns whether process() can run: not without a model, and caps received after start().
  Result<bool> prepare(GstGLContext* context);
  // Streaming thread, after prepare(). Issues one frame on the GL thread of the attached context. An orientation that
  // does not match the size in the caps waits for new caps. take_results() returns the results that have arrived by
  // then.
  Result<FrameTicket> process(GstBuffer* input, GstBuffer* output);
  // Streaming thread. How to push frames and results.
  virtual ResultsPolicy results_policy() const { return {}; }
  // Streaming thread. Results that arrived between the last call and the last process(), oldest first.
  std::vector<SharedResults> take_results();
  // The same up to now, after waiting for the GPU to deliver none, the oldest or all of the pending results.
  std::vector<SharedResults> await_results(ResultsWait what);
  // Any thread: discards pending results.
  void drop_results();
  // Streaming thread. Waits until the GPU has read all frames so far, and returns them to their owner.
  void release_inputs();

  // Streaming thread, before process(). Updates what the settings refer to; a failure is a warning.
  virtual Status before_frame() { return {}; }
  // After start(): warnings about the model for the application.
  std::vector<std::string> warnings() const;
  // After start(): why the cache directory is unused; empty if it is in use.
  std::string cache_warning() const;

 protected:
  // Properties with IDs from kFirstOwnProperty, with settings_mutex() held.
  virtual Status set_own_property(guint id, const GValue* value) = 0;
  virtual bool get_own_property(guint id, GValue* value) const = 0;

  // begin() is called by start() before a model is loaded: keeps the settings that are read at start. end() is called
  // by stop(), or if start() fails after begin(): forgets them.
  virtual Status begin() = 0;
  virtual void end() {}
  // Any thread, between begin() and end(): loads the model of `settings`, using the element's own settings at start.
  virtual Result<std::shared_ptr<const LoadedModel>> load(const ModelSettings& settings) const = 0;
  // Called on the streaming thread or by start(): frames are drawn with this model from now on. Null from stop().
  virtual void adopt(const std::shared_ptr<const LoadedModel>& /*model*/) {}
  // On a GL thread, before the first processor is created on its context.
  virtual Status on_device(const DeviceInfo& /*device*/) { return {}; }

  // The file that settings.model names. If it names none, fails with an error that says what to set; `what` is the
  // kind of model needed, such as "segmentation".
  static Result<std::string> model_file(const ModelSettings& settings, const std::string& what);
  // Also guards the settings of derived classes.
  std::mutex& settings_mutex() const { return settings_mutex_; }
  // True from start() to stop(); call with settings_mutex() held.
  bool is_started() const { return started_; }

 private:
  bool get_property_locked(guint id, GValue* value) const;
  // process() on the GL thread.
  Result<FrameTicket> issue(GstGLContext* context, GstBuffer* input, GstBuffer* output, Orientation wanted);
  void note_arrived(const std::vector<SharedResults>& results);  // with mutex_ held
  FrameSize upright_size() const;
  std::optional<ModelSettings> wanted_change() const;
  void begin_change(const ModelSettings& wanted);
  ModelNews end_change();
  // The same for the first model, if frames are drawn by its interim processor.
  void begin_start();
  ModelNews end_start();
  bool is_interim() const;
  bool take_over(ReadyModel& ready, const std::optional<std::string>& name);
  static std::string title_of(const std::string& element, const std::optional<std::string>& model);
  Status follow_size();
  InputTransform upright_to_stored_in(GstBuffer* input, Orientation wanted);
  Status draw_hud(const FrameJob& job, uint64_t inferences);

  mutable std::mutex settings_mutex_;
  bool started_ = false;                   // settings that are read at start have been read
  std::optional<std::string> model_name_;  // of the model in effect, as set
  ModelSettings settings_;
  OrientationTags tags_;

  // Guards the members below; held while a frame is issued.
  mutable std::mutex mutex_;
  std::string cache_folder_, cache_warning_;
  GstGLContext* context_ = nullptr;    // owned reference; set exactly while processor_ is
  std::shared_ptr<ShareGroup> group_;  // of context_
  std::unique_ptr<FrameProcessor> processor_;
  bool interim_ = false;              // processor_ draws frames until the model is ready
  Status start_failure_;              // why the model cannot replace it
  uint64_t attached_at_ = 0;          // when attach() began, in nanoseconds of the monotonic clock
  HeldInputs inputs_;                 // attached exactly while there is a processor
  std::unique_ptr<ModelHud> hud_;     // created on first use
  std::string title_;                 // of the HUD
  std::optional<FrameFormat> input_;  // unset until there are caps
  GstVideoInfo output_{};
  std::shared_ptr<const LoadedModel> model_;  // from start() to stop()
  TuningMode tuning_ = TuningMode::kCached;
  FrameKind built_for_ = FrameKind::kRgba;
  Orientation orientation_ = Orientation::kIdentity;  // of the last frame
  FrameSize sized_for_;                               // upright frame size that processor_ is ready for
  uint64_t frames_begun_ = 0;                         // since start()
  std::vector<SharedResults> arrived_;                // and not taken yet
  std::string element_;                               // element name in the HUD

  std::unique_ptr<ModelChange> change_;  // in progress; only for the streaming thread and cancel_change()
  bool change_starts_ = false;           // it prepares the first model; likewise
  ElementStats stats_;
};

}  // namespace sightglass
