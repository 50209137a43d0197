#include "base/model_settings.h"

#include "gobject/property_rules.h"

namespace sightglass {

namespace {

GType precision_type() {
  static const GEnumValue values[] = {
      {static_cast<gint>(Precision::kFp32), "32-bit floats", "fp32"},
      {static_cast<gint>(Precision::kFp16), "16-bit floats, half the memory traffic", "fp16"},
      {0, nullptr, nullptr}};
  static const GType type = register_property_enum("GstGLModelPrecision", values);
  return type;
}

GType fallback_type() {
  static const GEnumValue values[] = {
      {static_cast<gint>(Fallback::kError), "Fail at start", "error"},
      {static_cast<gint>(Fallback::kCpu), "Run them on the CPU, with readback and upload per frame", "cpu"},
      {0, nullptr, nullptr}};
  static const GType type = register_property_enum("GstGLModelFallback", values);
  return type;
}

GType tuning_type() {
  static const GEnumValue values[] = {
      {static_cast<gint>(TuningMode::kOff), "Variants that suit most devices", "off"},
      {static_cast<gint>(TuningMode::kCached), "Fastest variants known to the cache directory", "cached"},
      {static_cast<gint>(TuningMode::kOn), "Those, and missing ones measured at start and kept", "on"},
      {0, nullptr, nullptr}};
  static const GType type = register_property_enum("GstGLModelTuning", values);
  return type;
}

GType hud_position_type() {
  static const GEnumValue values[] = {{static_cast<gint>(HudPosition::kTopLeft), "Top left", "top-left"},
                                      {static_cast<gint>(HudPosition::kTopRight), "Top right", "top-right"},
                                      {static_cast<gint>(HudPosition::kBottomLeft), "Bottom left", "bottom-left"},
                                      {static_cast<gint>(HudPosition::kBottomRight), "Bottom right", "bottom-right"},
                                      {0, nullptr, nullptr}};
  static const GType type = register_property_enum("GstGLModelHudPosition", values);
  return type;
}

GType quantized_models_type() {
  static const GEnumValue values[] = {
      {static_cast<gint>(QuantizedModels::kRefused), "Fail at start", "refused"},
      {static_cast<gint>(QuantizedModels::kAllowed), "Run them with TensorFlow Lite's arithmetic", "allowed"},
      {0, nullptr, nullptr}};
  static const GType type = register_property_enum("GstGLModelQuantizedModels", values);
  return type;
}

// What the properties say when nobody has set them.
constexpr double kInputScaleDefault = 1, kInputOffsetDefault = 0;
constexpr double kMostScale = 65536;  // more than any type of a model's input has values

}  // namespace

GType register_property_enum(const char* name, const GEnumValue* values) {
  const GType type = g_enum_register_static(name, values);
  gst_type_mark_as_plugin_api(type, static_cast<GstPluginAPIFlags>(0));
  return type;
}

InputNormalisation ModelSettings::normalisation() const {
  InputNormalisation result;
  if (input_scale) result.scale = static_cast<float>(*input_scale);
  if (input_offset) result.offset = static_cast<float>(*input_offset);
  return result;
}

void ModelSettings::apply_to(PlanOptions& options) const {
  options.precision = precision;
  options.fallback = fallback;
}

std::string ModelSettings::cache_folder() const {
  return cache_dir ? *cache_dir : std::string(g_get_user_cache_dir()) + "/sightglass";
}

void install_model_properties(GObjectClass* object_class) {
  const ModelSettings defaults;
  const auto install = [&](guint id, GParamSpec* spec) { g_object_class_install_property(object_class, id, spec); };

  install(kModel, g_param_spec_string("model", "Model",
                                      "Path of the TFLite model, or a model name: figure (bundled) or one downloaded "
                                      "with `sightglass models fetch`",
                                      nullptr, kPlayingProperty));
  install(kInputScale, g_param_spec_double("input-scale", "Input scale",
                                           "Factor from frame colors in [0,1] to model input values, before "
                                           "input-offset is added; unless set, known from the model",
                                           -kMostScale, kMostScale, kInputScaleDefault, kReadyProperty));
  install(kInputOffset, g_param_spec_double("input-offset", "Input offset",
                                            "Offset added to scaled frame colors to make model input values",
                                            -kMostScale, kMostScale, kInputOffsetDefault, kReadyProperty));
  install(kPrecision,
          g_param_spec_enum("precision", "Precision", "Storage precision of activations and weights; sums are 32-bit",
                            precision_type(), static_cast<gint>(defaults.precision), kReadyProperty));
  install(kFallback, g_param_spec_enum("fallback", "Fallback", "How to handle operators that the GPU cannot run",
                                       fallback_type(), static_cast<gint>(defaults.fallback), kReadyProperty));
  install(kQuantizedModels,
          g_param_spec_enum("quantized-models", "Quantized models", "Whether to allow models of 8-bit integers",
                            quantized_models_type(), static_cast<gint>(defaults.quantized_models), kReadyProperty));
  install(kCacheDir, g_param_spec_string("cache-dir", "Cache directory",
                                         "Directory for data that speeds up the next start (NULL = sightglass in the "
                                         "user cache directory, empty = none)",
                                         nullptr, kReadyProperty));
  install(kTuning, g_param_spec_enum("tuning", "Tuning", "How to choose among kernel variants of equal results",
                                     tuning_type(), static_cast<gint>(defaults.tuning), kReadyProperty));
  install(kHud,
          g_param_spec_boolean("hud", "HUD", "Whether to draw frame rate, GPU time, latency and drops over frames",
                               defaults.hud ? TRUE : FALSE, kLiveProperty));
  install(kHudPosition,
          g_param_spec_enum("hud-position", "HUD position", "Corner of the frame that shows the HUD",
                            hud_position_type(), static_cast<gint>(defaults.hud_position), kLiveProperty));
  install(kVideoDirection,
          g_param_spec_enum("video-direction", "Video direction",
                            "Rotation and flip that make frames upright, in addition to "
                            "GstVideoAffineTransformationMeta (auto = by the image-orientation tag)",
                            GST_TYPE_VIDEO_ORIENTATION_METHOD, defaults.video_direction, kLiveProperty));
  install(kStats,
          g_param_spec_boxed("stats", "Statistics",
                             "Counters of frames, inferences, skips, drops and failures, and times in "
                             "nanoseconds of model, frame, CPU, latency and start",
                             GST_TYPE_STRUCTURE, static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)));
}

bool set_model_property(ModelSettings& settings, guint id, const GValue* value) {
  switch (id) {
    case kModel:
      settings.model = text_of(value);
      return true;
    case kInputScale:
      settings.input_scale = g_value_get_double(value);
      return true;
    case kInputOffset:
      settings.input_offset = g_value_get_double(value);
      return true;
    case kPrecision:
      settings.precision = static_cast<Precision>(g_value_get_enum(value));
      return true;
    case kFallback:
      settings.fallback = static_cast<Fallback>(g_value_get_enum(value));
      return true;
    case kQuantizedModels:
      settings.quantized_models = static_cast<QuantizedModels>(g_value_get_enum(value));
      return true;
    case kCacheDir:
      settings.cache_dir = text_of(value);
      return true;
    case kTuning:
      settings.tuning = static_cast<TuningMode>(g_value_get_enum(value));
      return true;
    case kHud:
      settings.hud = g_value_get_boolean(value) != FALSE;
      return true;
    case kHudPosition:
      settings.hud_position = static_cast<HudPosition>(g_value_get_enum(value));
      return true;
    case kVideoDirection:
      settings.video_direction = static_cast<GstVideoOrientationMethod>(g_value_get_enum(value));
      return true;
    default:
      return false;
  }
}

bool get_model_property(const ModelSettings& settings, guint id, GValue* value) {
  switch (id) {
    case kModel:
      set_text(value, settings.model);
      return true;
    case kInputScale:
      g_value_set_double(value, settings.input_scale.value_or(kInputScaleDefault));
      return true;
    case kInputOffset:
      g_value_set_double(value, settings.input_offset.value_or(kInputOffsetDefault));
      return true;
    case kPrecision:
      g_value_set_enum(value, static_cast<gint>(settings.precision));
      return true;
    case kFallback:
      g_value_set_enum(value, static_cast<gint>(settings.fallback));
      return true;
    case kQuantizedModels:
      g_value_set_enum(value, static_cast<gint>(settings.quantized_models));
      return true;
    case kCacheDir:
      set_text(value, settings.cache_dir);
      return true;
    case kTuning:
      g_value_set_enum(value, static_cast<gint>(settings.tuning));
      return true;
    case kHud:
      g_value_set_boolean(value, settings.hud ? TRUE : FALSE);
      return true;
    case kHudPosition:
      g_value_set_enum(value, static_cast<gint>(settings.hud_position));
      return true;
    case kVideoDirection:
      g_value_set_enum(value, settings.video_direction);
      return true;
    default:
      return false;
  }
}

}  // namespace sightglass
