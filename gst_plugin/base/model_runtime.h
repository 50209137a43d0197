// What elements that run models on frames keep from frame to frame, and the threads that may touch it.
#pragma once

#include <gst/gl/gl.h>
#include <gst/video/video.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/frame_processor.h"
#include "base/held_inputs.h"
#include "base/model_figures.h"
#include "base/model_hud.h"
#include "base/model_settings.h"
#include "gl/frame_caps.h"
#include "gl/frame_format.h"
#include "gl/orientation.h"
#include "gpu_engine/device.h"
#include "results/delivery.h"

namespace sightglass {

enum class ResultsWait : uint8_t { kNone, kOldest, kAll };

class ModelChange;
struct ReadyModel;

// What an attempt to change the model came to.
struct ModelNews {
  bool changed = false;               // the new one may need other caps
  std::vector<std::string> warnings;  // for the application
};

// A model that is loaded lives from start() to stop(), unless another one takes its place in between; what lives on a
// GL context, from attach() to detach(). Between these two, contexts may come and go.
class ModelRuntime {
 public:
  ModelRuntime();
  virtual ~ModelRuntime();

  // Any thread.
  ModelSettings settings() const;
  // For an element in `state`. Fails, changes nothing and says which value stays where this one cannot take effect.
  Status set_property(guint id, const GParamSpec& spec, const GValue* value, GstState state);
  bool get_property(guint id, GValue* value) const;
  // The model in effect, as it was set.
  std::string model_name() const;
  ModelFigures& figures() { return figures_; }
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
  void stop();  // not on a GL thread
  // When the streaming thread has ended, before its GL context goes: waits for a model that is being prepared. Contexts
  // that share a program and end while it is compiled or deleted leave parts of it behind in Mesa.
  void cancel_change();

  // On the GL thread of `context`. attach() compiles, or leaves that to set_caps() while frames are unknown or there is
  // no model: a stopped element may be given a context. detach() may be called from another context's thread.
  Status attach(GstGLContext* context);
  void detach();
  // On the GL thread of `context`: compiles and allocates for frames of this kind.
  Status set_caps(GstGLContext* context, const FrameFormat& input, const GstVideoInfo& output);

  // Streaming thread, before caps are negotiated for a frame. If another model was set, begins to prepare it, or lets
  // it take over once it is ready.
  ModelNews follow_model();

  // Streaming thread. What comes next is another scene.
  void forget();
  // Whether there is what process() needs: a GL context and caps that came after start().
  bool is_ready() const;
  // Streaming thread. One frame, issued on the GL thread of the context that attach() was given. An orientation that
  // does not fit the sizes of the caps waits for others. What has arrived for applications until then, take_results()
  // has.
  Result<FrameTicket> process(GstBuffer* input, GstBuffer* output);
  // Streaming thread. How frames and results are to leave.
  virtual ResultsPolicy results_policy() const { return {}; }
  // Streaming thread. Results that have arrived since the last call, oldest first, as process() saw them.
  std::vector<SharedResults> take_results();
  // The same as of now: having waited for the GPU for none, the oldest or all of what is on its way.
  std::vector<SharedResults> await_results(ResultsWait what);
  // Any thread: nobody wants what is on its way.
  void drop_results();
  // Streaming thread. Waits until the GPU has read all frames so far: whoever made them takes them back.
  void release_inputs();

  // Streaming thread, before process(). Brings what settings name up to date; what fails is a warning.
  virtual Status before_frame() { return {}; }
  // After start(): what the application should know of the model.
  std::vector<std::string> warnings() const;
  // After start(): why the cache directory is not used; empty when it is.
  std::string cache_warning() const;

 protected:
  // Properties from kFirstOwnProperty on, with settings_mutex() held.
  virtual Status set_own_property(guint id, const GValue* value) = 0;
  virtual bool get_own_property(guint id, GValue* value) const = 0;

  // From start(), before a model is loaded: keeps the settings that are read then. From stop(), or where start() fails
  // after that: forgets them.
  virtual Status begin() = 0;
  virtual void end() {}
  // Any thread, between begin() and end(): the model of `settings`, by the element's own settings of the start.
  virtual Result<std::shared_ptr<const LoadedModel>> load(const ModelSettings& settings) const = 0;
  // Streaming thread, or start(): frames are drawn with this one from now on. Null from stop().
  virtual void adopt(const std::shared_ptr<const LoadedModel>& /*model*/) {}
  // On a GL thread, before the first processor on its context.
  virtual Status meet(const DeviceInfo& /*device*/) { return {}; }

  // The file that settings.model names; an error that says what to set when it names none. `what` is the kind of model
  // that is needed: "segmentation".
  static Result<std::string> model_file(const ModelSettings& settings, const std::string& what);
  // Guards settings of derived classes as well.
  std::mutex& settings_mutex() const { return settings_mutex_; }
  // From start() to stop(); with settings_mutex() held.
  bool is_started() const { return started_; }

 private:
  struct Job;
  bool get_property_locked(guint id, GValue* value) const;
  void run(Job& job);
  void note_arrived(const std::vector<SharedResults>& results);  // with mutex_ held
  FrameSize upright_size() const;
  std::optional<ModelSettings> wanted_change() const;
  void begin_change(const ModelSettings& wanted);
  ModelNews end_change();
  bool take_over(ReadyModel& ready, const std::optional<std::string>& name);
  Status follow_size();
  InputTransform upright_to_stored_in(GstBuffer* input, Orientation wanted);
  Status draw_hud(const FrameJob& job, uint64_t inferences);

  mutable std::mutex settings_mutex_;
  bool started_ = false;                   // settings that are read at the start have been
  std::optional<std::string> model_name_;  // of the model in effect, as it was set
  ModelSettings settings_;
  OrientationTags tags_;

  // Guards what follows; held while a frame is issued.
  mutable std::mutex mutex_;
  std::string cache_folder_, cache_warning_;
  GstGLContext* context_ = nullptr;    // owned reference; set exactly while processor_ is
  std::shared_ptr<ShareGroup> group_;  // of context_
  std::unique_ptr<FrameProcessor> processor_;
  HeldInputs inputs_;                 // attached exactly while there is a processor
  std::unique_ptr<ModelHud> hud_;     // made when it is first asked for
  std::string title_;                 // of the HUD
  std::optional<FrameFormat> input_;  // unknown until there are caps
  GstVideoInfo output_{};
  std::shared_ptr<const LoadedModel> model_;  // from start() to stop()
  TuningMode tuning_ = TuningMode::kCached;
  FrameKind built_for_ = FrameKind::kRgba;
  Orientation orientation_ = Orientation::kIdentity;  // of the last frame
  FrameSize sized_for_;                               // upright frames that processor_ is ready for
  uint64_t frames_begun_ = 0;                         // since start()
  std::vector<SharedResults> arrived_;                // and not taken
  std::string element_;                               // as the HUD calls it

  std::unique_ptr<ModelChange> change_;  // under way; the streaming thread's, and cancel_change()'s
  ModelFigures figures_;
};

}  // namespace sightglass
