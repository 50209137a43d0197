// The settings of elements with models: what all of them have, their properties, and how threads share them.
#pragma once

#include <gst/gst.h>
#include <gst/video/video.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "draw/hud.h"
#include "element/model_picture.h"
#include "gl/orientation.h"
#include "gobject/properties.h"
#include "results/delivery.h"
#include "sightglass/input_transform.h"
#include "sightglass/model.h"
#include "sightglass/plan.h"
#include "sightglass/tuner.h"

namespace sightglass {

// Settings of the model, and of what is drawn over frames.
struct ModelSettings {
  std::optional<std::string> model;  // live: takes over once compiled
  // Read when the element starts.
  std::optional<double> input_scale, input_offset;  // unset: from the model
  std::optional<std::string> input_size;            // of models that leave it open: "256x256"
  int32_t batch = 0;                                // images in a run, of models that leave it open; 0: as in the file
  std::optional<std::string> signature;             // of files with several entry points
  Precision precision = Precision::kFp32;
  Fallback fallback = Fallback::kError;
  QuantizedModels quantized_models = QuantizedModels::kAllowed;
  std::optional<std::string> cache_dir;  // unset: the user cache directory
  TuningMode tuning = TuningMode::kCached;
  uint64_t memory_limit = kDefaultMemoryLimit;
  uint64_t dispatch_limit_ns = static_cast<uint64_t>(ResourceLimits().dispatch_time.count());
  uint64_t run_limit_ns = static_cast<uint64_t>(ResourceLimits().run_time.count());
  // Live.
  bool hud = false;
  HudPosition hud_position = HudPosition::kTopLeft;
  std::optional<std::string> notice;
  GstVideoOrientationMethod video_direction = GST_VIDEO_ORIENTATION_AUTO;

  // Fails if the input size is not one.
  Result<ModelOptions> model_options() const;
  InputNormalization normalization() const;
  // Copies the settings that `options` contains.
  void apply_to(PlanOptions& options) const;
  // Whether anything is drawn over the frames besides results.
  bool draws_texts() const { return hud || (notice && !notice->empty()); }
  // The cache directory; empty for none.
  std::string cache_folder() const;
};

// Whether a frame waits for its own result or is drawn with the newest one.
enum class MaskSync : uint8_t { kExact, kLatest };

// What to show when a frame's result could not be computed or drawn. Only glsegment has the last value: controllers
// require property values without gaps from 0, listed in this order.
enum class OnFailure : uint8_t {
  kBlack,
  kPass,        // the frame without a result; glsegment: the whole frame as foreground
  kError,       // nothing: the stream ends
  kBackground,  // the whole frame as background; black if drawing fails
};

struct RunSettings {
  uint32_t inference_interval = 1;  // frames between the starts of model runs, at least 1
  MaskSync mask_sync = MaskSync::kExact;
  uint64_t gpu_budget_ns = 5'000'000;  // GPU time of the model per frame with kLatest; 0: no limit
  OnFailure on_failure = OnFailure::kError;
};

// The settings of an element. A frame is processed with one object from the beginning to the end.
struct ElementSettings {
  virtual ~ElementSettings() = default;
  // How to push frames and results. Frames drawn with the newest result are not held for their own.
  ResultsPolicy results_policy() const {
    return {results.mode, run.mask_sync == MaskSync::kLatest ? ResultsSync::kLatest : results.sync};
  }

  ModelSettings model;
  RunSettings run;
  ResultsPolicy results;
};

// The type of an element's settings, and its own properties, whose IDs start at kFirstOwnProperty.
class OwnProperties {
 public:
  virtual ~OwnProperties() = default;
  virtual std::shared_ptr<ElementSettings> copy(const ElementSettings& settings) const = 0;
  virtual std::shared_ptr<const ElementSettings> defaults() const = 0;
  virtual Status set(ElementSettings& settings, guint id, const GValue* value) const = 0;
  virtual bool get(const ElementSettings& settings, guint id, GValue* value) const = 0;
};

// Properties of the table; `S` is derived from ElementSettings.
template <typename S>
class PropertiesOf final : public OwnProperties {
 public:
  explicit PropertiesOf(const PropertyTable<S>& table) : table_(table) {}
  std::shared_ptr<ElementSettings> copy(const ElementSettings& settings) const override {
    return std::make_shared<S>(static_cast<const S&>(settings));
  }
  std::shared_ptr<const ElementSettings> defaults() const override { return std::make_shared<S>(); }
  Status set(ElementSettings& settings, guint id, const GValue* value) const override {
    return table_.set(static_cast<S&>(settings), id, value);
  }
  bool get(const ElementSettings& settings, guint id, GValue* value) const override {
    return table_.get(static_cast<const S&>(settings), id, value);
  }

 private:
  const PropertyTable<S>& table_;
};

// The current settings of an element, and what else any thread asks for. Every change makes a new object, so that a
// frame keeps the one that it began with.
class SettingsStore {
 public:
  explicit SettingsStore(std::unique_ptr<const OwnProperties> own) : own_(std::move(own)), current_(own_->defaults()) {}

  std::shared_ptr<const ElementSettings> snapshot() const;
  // For an element in `state`. If the value cannot take effect, fails, changes nothing and names the value that stays.
  Status set(guint id, const GParamSpec& spec, const GValue* value, GstState state);
  bool get(guint id, GValue* value) const;
  // The property as if the settings were these.
  bool get_from(const ElementSettings& settings, guint id, GValue* value) const;
  // Changes settings that are not properties: `change(settings)`.
  template <typename S, typename Change>
  void change(Change change) {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<ElementSettings> next = own_->copy(*current_);
    change(static_cast<S&>(*next));
    current_ = std::move(next);
  }

  // From start() to stop(), properties that are read at the start cannot be set. start() returns the settings.
  std::shared_ptr<const ElementSettings> start();
  void stop();
  bool is_started() const;

  // The model in effect, as set by the application: that of start(), until another one takes over.
  std::optional<std::string> model() const;
  // The settings if they name another model.
  std::shared_ptr<const ElementSettings> wanted_change() const;
  void model_took_over(const std::optional<std::string>& name);
  // The model `name` cannot be used: the setting becomes the model in effect, unless another one was set since.
  void model_refused(const std::optional<std::string>& name);

  // The frame orientation: the property, or the stream's tags. read_tags() returns true if the tags make the element
  // rotate its output upright.
  Orientation orientation() const;
  void forget_tags();
  bool read_tags(const GstTagList* tags);

 private:
  const std::unique_ptr<const OwnProperties> own_;
  mutable std::mutex mutex_;
  std::shared_ptr<const ElementSettings> current_;
  bool started_ = false;
  std::optional<std::string> model_;
  OrientationTags tags_;
};

// Property IDs: `stats`, which is read-only and not a setting; then the settings; from kFirstOwnProperty, the
// properties of the individual element.
inline constexpr guint kStats = 1, kFirstModelProperty = 2, kFirstOwnProperty = 100;
// Maximum `inference-interval` in frames: two minutes of common video.
inline constexpr guint kMostInferenceInterval = 3600;

const PropertyTable<ModelSettings>& model_properties();
// Installs `stats` and the rows of model_properties() that elements without a model have, too; and the other rows.
void install_common_properties(GObjectClass* object_class);
void install_model_properties(GObjectClass* object_class);

// The properties that control when the model runs and which result each frame shows:
// `inference-interval`, `mask-sync` and `gpu-budget`.
template <typename S>
std::vector<Property<S>> run_properties(RunSettings S::*run) {
  return {
      row::number("inference-interval", "Inference interval", within(run, &RunSettings::inference_interval), 1,
                  kMostInferenceInterval, kLive,
                  "Run the model on every Nth frame; frames in between show the previous result"),
      row::choice("mask-sync", "Mask synchronization", within(run, &RunSettings::mask_sync), "GstGLModelMaskSync",
                  {{MaskSync::kExact, "Its own result; the frame waits for it", "exact"},
                   {MaskSync::kLatest, "The newest result; the model runs within gpu-budget", "latest"}},
                  kLive, "Which result each frame shows"),
      row::number("gpu-budget", "GPU budget", within(run, &RunSettings::gpu_budget_ns), 0, GST_SECOND, kLive,
                  "Maximum GPU time of the model per frame in nanoseconds with mask-sync=latest (0 = a whole run)")};
}

// `on-failure` of elements that draw results over the frame.
template <typename S>
std::vector<Property<S>> failure_properties(RunSettings S::*run) {
  return {row::choice("on-failure", "On failure", within(run, &RunSettings::on_failure), "GstGLModelOnFailure",
                      {{OnFailure::kBlack, "Black frame", "black"},
                       {OnFailure::kPass, "Frame without a result; black if drawing fails", "pass"},
                       {OnFailure::kError, "End the stream with an error", "error"}},
                      kLive, "What to show when the result of a frame cannot be computed while playing")};
}

// `fit` of elements whose models process whole frames.
template <typename F>
auto fit_property(F fit) {
  return row::choice("fit", "Fit", fit, "GstGLModelFit",
                     {{Fit::kStretch, "Scale each axis separately", "stretch"},
                      {Fit::kLetterbox, "Show the whole frame with bars", "letterbox"}},
                     kLive, "How to fit a frame of another aspect ratio into the model input");
}

}  // namespace sightglass
