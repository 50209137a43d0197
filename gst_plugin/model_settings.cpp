#include "model_settings.h"

namespace sightglass {

namespace {

GType precision_type() {
  static const GEnumValue values[] = {
      {static_cast<gint>(Precision::kFp32), "32-bit floats", "fp32"},
      {static_cast<gint>(Precision::kFp16), "16-bit floats: half the memory and its traffic", "fp16"},
      {0, nullptr, nullptr}};
  static const GType type = register_property_enum("GstSightglassPrecision", values);
  return type;
}

GType fallback_type() {
  static const GEnumValue values[] = {
      {static_cast<gint>(Fallback::kError), "An error when the element starts", "error"},
      {static_cast<gint>(Fallback::kCpu), "They run on the CPU, slowly, with a readback and an upload in every frame",
       "cpu"},
      {0, nullptr, nullptr}};
  static const GType type = register_property_enum("GstSightglassFallback", values);
  return type;
}

GType tuning_type() {
  static const GEnumValue values[] = {
      {static_cast<gint>(TuningMode::kOff), "The variants of kernels that suit most devices", "off"},
      {static_cast<gint>(TuningMode::kCached), "Those that the cache directory has as the fastest here", "cached"},
      {static_cast<gint>(TuningMode::kOn),
       "What the cache directory lacks is measured when the element starts, for seconds, and kept there", "on"},
      {0, nullptr, nullptr}};
  static const GType type = register_property_enum("GstSightglassTuning", values);
  return type;
}

GType hud_position_type() {
  static const GEnumValue values[] = {{static_cast<gint>(HudPosition::kTopLeft), "Top left", "top-left"},
                                      {static_cast<gint>(HudPosition::kTopRight), "Top right", "top-right"},
                                      {static_cast<gint>(HudPosition::kBottomLeft), "Bottom left", "bottom-left"},
                                      {static_cast<gint>(HudPosition::kBottomRight), "Bottom right", "bottom-right"},
                                      {0, nullptr, nullptr}};
  static const GType type = register_property_enum("GstSightglassHudPosition", values);
  return type;
}

GType quantized_models_type() {
  static const GEnumValue values[] = {
      {static_cast<gint>(QuantizedModels::kRefused), "An error when the element starts", "refused"},
      {static_cast<gint>(QuantizedModels::kAllowed), "Computed as TensorFlow Lite computes them", "allowed"},
      {0, nullptr, nullptr}};
  static const GType type = register_property_enum("GstSightglassQuantizedModels", values);
  return type;
}

// What the properties say when nobody has set them.
constexpr double kInputScaleDefault = 1, kInputOffsetDefault = 0;

const char* string_or_empty(const GValue* value) {
  const char* text = g_value_get_string(value);
  return text != nullptr ? text : "";
}

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

  install(kModel,
          g_param_spec_string("model", "Model",
                              "TFLite model to run: path of a .tflite file, or name: figure, which comes along, or a "
                              "published model that `sightglass models fetch` has stored",
                              nullptr, kReadyProperty));
  install(kInputScale,
          g_param_spec_double("input-scale", "Input scale",
                              "The model's input is input-scale * colour + input-offset, with colours in [0,1]. For "
                              "models that expect [-1,1] set 2 and -1, for [0,255] set 255 and 0. Unless this is set, "
                              "quantised models take the frame's 8-bit colours as they are, and others what their "
                              "metadata say, if anything",
                              -1e6, 1e6, kInputScaleDefault, kReadyProperty));
  install(kInputOffset, g_param_spec_double("input-offset", "Input offset", "See input-scale", -1e6, 1e6,
                                            kInputOffsetDefault, kReadyProperty));
  install(kPrecision, g_param_spec_enum("precision", "Precision",
                                        "How activations and weights are stored on the GPU; sums are 32-bit either way",
                                        precision_type(), static_cast<gint>(defaults.precision), kReadyProperty));
  install(kFallback,
          g_param_spec_enum("fallback", "Fallback", "What becomes of operators of the model that cannot run on the GPU",
                            fallback_type(), static_cast<gint>(defaults.fallback), kReadyProperty));
  install(kQuantizedModels,
          g_param_spec_enum("quantized-models", "Quantized models", "Whether models of 8-bit integers may be run",
                            quantized_models_type(), static_cast<gint>(defaults.quantized_models), kReadyProperty));
  install(kCacheDir, g_param_spec_string("cache-dir", "Cache directory",
                                         "Folder for what makes the next start fast; unset: sightglass in the user's "
                                         "cache directory; empty: nothing is kept. Elements that share GL objects use "
                                         "the first one's",
                                         nullptr, kReadyProperty));
  install(kTuning, g_param_spec_enum("tuning", "Tuning",
                                     "Which of the variants of kernels, all of which give the same result, run",
                                     tuning_type(), static_cast<gint>(defaults.tuning), kReadyProperty));
  install(kHud, g_param_spec_boolean("hud", "HUD",
                                     "Draws a panel over the picture: frames and runs of the model a second, the GPU's "
                                     "time for a frame (that of half and of 95 in 100 of them), latency, and frames "
                                     "that came too late",
                                     defaults.hud ? TRUE : FALSE, kLiveProperty));
  install(kHudPosition,
          g_param_spec_enum("hud-position", "HUD position",
                            "The corner of the picture that the panel of hud lies in; of elements in a "
                            "row, each may have its own",
                            hud_position_type(), static_cast<gint>(defaults.hud_position), kLiveProperty));
  install(kVideoDirection,
          g_param_spec_enum("video-direction", "Video direction",
                            "What makes stored pictures upright, for the model and in the output; auto: what the "
                            "stream's image-orientation tag says. GstVideoAffineTransformationMeta is followed besides",
                            GST_TYPE_VIDEO_ORIENTATION_METHOD, defaults.video_direction, kPlayingProperty));
  install(kStats,
          g_param_spec_boxed("stats", "Statistics",
                             "Frames (frames), runs of the model (inferences), those of them that the GPU left out, as "
                             "known some frames after this was first read (skipped), frames that came too late and "
                             "were dropped (dropped), and frames that the model failed on (failures) so far. In "
                             "nanoseconds, moving averages: the GPU's time for one run of "
                             "the model (model-time) and for a whole frame (gpu-time), 0 where the driver has no timer "
                             "queries; this element's time on the CPU (cpu-time). Of the last 256 frames, the GPU time "
                             "that half (gpu-time-p50) and 95 in 100 (gpu-time-p95) do not exceed. The latency that "
                             "the element reports (latency), and the time taken to compile and upload the model "
                             "(start-time)",
                             GST_TYPE_STRUCTURE, static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)));
}

bool set_model_property(ModelSettings& settings, guint id, const GValue* value) {
  switch (id) {
    case kModel:
      settings.model = string_or_empty(value);
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
      settings.cache_dir.reset();
      if (const char* text = g_value_get_string(value)) settings.cache_dir = text;
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
      g_value_set_string(value, settings.model.c_str());
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
      g_value_set_string(value, settings.cache_dir ? settings.cache_dir->c_str() : nullptr);
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
