#include "element/element_settings.h"

#include <charconv>
#include <chrono>
#include <string_view>
#include <utility>

#include "gl/orientation.h"

namespace sightglass {

namespace {

// Property values while the settings are unset.
constexpr double kInputScaleDefault = 1, kInputOffsetDefault = 0;
// Any model needs the first; the others are beyond every machine.
constexpr uint64_t kLeastMemoryLimit = uint64_t{1} << 20, kMostMemoryLimit = uint64_t{1} << 40;
constexpr uint64_t kMostTimeLimit = 3600 * GST_SECOND;
constexpr double kMostScale = 65536;  // exceeds the number of values of any model input type

Status set_direction(ModelSettings& settings, GstVideoOrientationMethod method) {
  if (method != GST_VIDEO_ORIENTATION_AUTO && !to_orientation(method)) {
    const auto text = [](GstVideoOrientationMethod direction) {
      return "video-direction=" + nick_of(GST_TYPE_VIDEO_ORIENTATION_METHOD, direction);
    };
    return unsupported(text(method) + ": not a specific rotation, " + text(settings.video_direction) +
                       " stays in effect; set auto, identity or a rotation");
  }
  settings.video_direction = method;
  return {};
}

constexpr int32_t kMostInputSide = 16384;

// "320x240", width before height.
std::optional<ImageSize> parse_size(const std::string& text) {
  ImageSize size;
  const char* const end = text.data() + text.size();
  const auto width = std::from_chars(text.data(), end, size.width);
  if (width.ec != std::errc() || width.ptr == end || *width.ptr != 'x') return std::nullopt;
  const auto height = std::from_chars(width.ptr + 1, end, size.height);
  const auto is_side = [](int32_t side) { return side > 0 && side <= kMostInputSide; };
  const bool is_size = height.ec == std::errc() && height.ptr == end && is_side(size.width) && is_side(size.height);
  return is_size ? std::optional(size) : std::nullopt;
}

}  // namespace

InputNormalization ModelSettings::normalization() const {
  InputNormalization result;
  if (input_scale) result.scale = static_cast<float>(*input_scale);
  if (input_offset) result.offset = static_cast<float>(*input_offset);
  return result;
}

Result<ModelOptions> ModelSettings::model_options() const {
  ModelOptions options;
  options.quantized_models = quantized_models;
  options.memory_limit = static_cast<int64_t>(memory_limit);
  options.signature = signature.value_or("");
  if (batch > 0) options.open_batch = batch;
  if (input_size && !input_size->empty()) {
    options.open_size = parse_size(*input_size);
    if (!options.open_size) {
      return invalid_argument("input-size=" + *input_size + ": expected width and height in pixels, such as 320x240");
    }
  }
  return options;
}

void ModelSettings::apply_to(PlanOptions& options) const {
  options.precision = precision;
  options.fallback = fallback;
  options.resources = {static_cast<int64_t>(memory_limit), std::chrono::nanoseconds(dispatch_limit_ns),
                       std::chrono::nanoseconds(run_limit_ns)};
}

std::string ModelSettings::cache_folder() const {
  return cache_dir ? *cache_dir : std::string(g_get_user_cache_dir()) + "/sightglass";
}

const PropertyTable<ModelSettings>& model_properties() {
  using S = ModelSettings;
  static const auto* const table = new PropertyTable<S>(
      kFirstModelProperty,
      {
          row::text("model", "Model", &S::model, kLive,
                    "Path of a TFLite model or .task bundle, or a model name: figure (bundled) or one downloaded with "
                    "`sightglass models fetch`"),
          row::optional_number(
              "input-scale", "Input scale", &S::input_scale, kInputScaleDefault, -kMostScale, kMostScale, kAtStart,
              "Scale factor for frame colors in [0,1], applied before input-offset (unset = from the model)"),
          row::optional_number("input-offset", "Input offset", &S::input_offset, kInputOffsetDefault, -kMostScale,
                               kMostScale, kAtStart, "Offset added to scaled frame colors (unset = from the model)"),
          row::text("input-size", "Input size", &S::input_size, kAtStart,
                    "Width and height of the input, such as \"320x240\", for models that leave them open (NULL = as in "
                    "the file)"),
          row::text("signature", "Signature", &S::signature, kAtStart,
                    "Name of the entry point to run, for models with several signatures (NULL = the first subgraph)"),
          row::choice("precision", "Precision", &S::precision, "GstGLModelPrecision",
                      {{Precision::kFp32, "32-bit floats", "fp32"},
                       {Precision::kFp16, "16-bit floats, half the memory traffic", "fp16"}},
                      kAtStart, "Storage precision of activations and weights; sums are 32-bit"),
          row::choice("fallback", "Fallback", &S::fallback, "GstGLModelFallback",
                      {{Fallback::kError, "Fail at start", "error"},
                       {Fallback::kCpu, "Run on the CPU, with readback and upload per frame", "cpu"}},
                      kAtStart, "How to handle operators that the GPU cannot run"),
          row::choice("quantized-models", "Quantized models", &S::quantized_models, "GstGLModelQuantizedModels",
                      {{QuantizedModels::kRefused, "Fail at start", "refused"},
                       {QuantizedModels::kAllowed, "Run with TensorFlow Lite arithmetic", "allowed"}},
                      kAtStart, "Whether to allow 8-bit quantized models"),
          row::text("cache-dir", "Cache directory", &S::cache_dir, kAtStart,
                    "Directory for data that speeds up the next start (NULL = sightglass in the user cache directory, "
                    "empty = none)"),
          row::choice("tuning", "Tuning", &S::tuning, "GstGLModelTuning",
                      {{TuningMode::kOff, "Variants that suit most devices", "off"},
                       {TuningMode::kCached, "Fastest variants in the cache directory", "cached"},
                       {TuningMode::kOn, "As cached, and measure and store missing ones at start", "on"}},
                      kAtStart, "How to choose between equivalent kernel variants"),
          row::number("memory-limit", "Memory limit", &S::memory_limit, kLeastMemoryLimit, kMostMemoryLimit, kAtStart,
                      "Maximum memory of all models of the process in bytes, in files and on the GPU"),
          row::number("dispatch-limit", "Dispatch limit", &S::dispatch_limit_ns, 1, kMostTimeLimit, kAtStart,
                      "Maximum GPU time of one operator of the model in nanoseconds, estimated at start"),
          row::number("run-limit", "Run limit", &S::run_limit_ns, 1, kMostTimeLimit, kAtStart,
                      "Maximum GPU time of one run of the model in nanoseconds, estimated at start and measured"),
          row::flag("hud", "HUD", &S::hud, kLive,
                    "Whether to draw frame rate, GPU time, latency and dropped frames over the video"),
          row::choice("hud-position", "HUD position", &S::hud_position, "GstGLModelHudPosition",
                      {{HudPosition::kTopLeft, "Top left", "top-left"},
                       {HudPosition::kTopRight, "Top right", "top-right"},
                       {HudPosition::kBottomLeft, "Bottom left", "bottom-left"},
                       {HudPosition::kBottomRight, "Bottom right", "bottom-right"}},
                      kLive, "Corner of the frame that shows the HUD"),
          row::text("notice", "Notice", &S::notice, kLive,
                    "Line of text over the frame, at its lower edge, or the upper one if the HUD is below (NULL or "
                    "empty = none)"),
          row::choice("video-direction", "Video direction", set_by(&S::video_direction, set_direction),
                      GST_TYPE_VIDEO_ORIENTATION_METHOD, kLive,
                      "Rotation and flip that make frames upright, in addition to GstVideoAffineTransformationMeta "
                      "(auto = from the image-orientation tag)"),
      });
  return *table;
}

std::shared_ptr<const ElementSettings> SettingsStore::snapshot() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

Status SettingsStore::set(guint id, const GParamSpec& spec, const GValue* value, GstState state) {
  const std::lock_guard lock(mutex_);
  const auto current = [&](GValue* read) { return get_from(*current_, id, read); };
  SIGHTGLASS_RETURN_IF_ERROR(may_set(spec, current, value, started_, state));
  std::shared_ptr<ElementSettings> next = own_->copy(*current_);
  SIGHTGLASS_RETURN_IF_ERROR(id < kFirstOwnProperty ? model_properties().set(next->model, id, value)
                                                    : own_->set(*next, id, value));
  current_ = std::move(next);
  return {};
}

bool SettingsStore::get(guint id, GValue* value) const { return get_from(*snapshot(), id, value); }

bool SettingsStore::get_from(const ElementSettings& settings, guint id, GValue* value) const {
  return id < kFirstOwnProperty ? model_properties().get(settings.model, id, value) : own_->get(settings, id, value);
}

std::shared_ptr<const ElementSettings> SettingsStore::start() {
  const std::lock_guard lock(mutex_);
  model_ = current_->model.model;
  started_ = true;
  return current_;
}

void SettingsStore::stop() {
  const std::lock_guard lock(mutex_);
  started_ = false;
}

bool SettingsStore::is_started() const {
  const std::lock_guard lock(mutex_);
  return started_;
}

std::optional<std::string> SettingsStore::model() const {
  const std::lock_guard lock(mutex_);
  return model_;
}

std::shared_ptr<const ElementSettings> SettingsStore::wanted_change() const {
  const std::lock_guard lock(mutex_);
  return current_->model.model != model_ ? current_ : nullptr;
}

void SettingsStore::model_took_over(const std::optional<std::string>& name) {
  const std::lock_guard lock(mutex_);
  model_ = name;
}

void SettingsStore::model_refused(const std::optional<std::string>& name) {
  const std::lock_guard lock(mutex_);
  if (current_->model.model != name) return;
  std::shared_ptr<ElementSettings> next = own_->copy(*current_);
  next->model.model = model_;
  current_ = std::move(next);
}

Orientation SettingsStore::orientation() const {
  const std::lock_guard lock(mutex_);
  const GstVideoOrientationMethod wanted = current_->model.video_direction;
  if (wanted == GST_VIDEO_ORIENTATION_AUTO) return tags_.orientation();
  return to_orientation(wanted).value_or(Orientation::kIdentity);
}

void SettingsStore::forget_tags() {
  const std::lock_guard lock(mutex_);
  tags_.forget();
}

bool SettingsStore::read_tags(const GstTagList* tags) {
  const std::lock_guard lock(mutex_);
  return tags_.read(tags) && current_->model.video_direction == GST_VIDEO_ORIENTATION_AUTO;
}

namespace {

bool is_common(const GParamSpec& spec) {
  const std::string_view name = spec.name;
  return name == "cache-dir" || name == "video-direction";
}

void install_rows(GObjectClass* object_class, bool common) {
  guint id = kFirstModelProperty;
  for (GParamSpec* spec : model_properties().specs()) {
    if (is_common(*spec) == common) {
      g_object_class_install_property(object_class, id, spec);
    } else {
      g_param_spec_unref(g_param_spec_ref_sink(spec));
    }
    ++id;
  }
}

}  // namespace

void install_common_properties(GObjectClass* object_class) {
  g_object_class_install_property(object_class, kStats,
                                  stats_spec("Numbers of frames, inferences, skips, drops and failures; times of "
                                             "model, frame, CPU, latency and start in nanoseconds"));
  install_rows(object_class, true);
}

void install_model_properties(GObjectClass* object_class) { install_rows(object_class, false); }

}  // namespace sightglass
