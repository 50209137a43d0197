#include "segment_properties.h"

#include <algorithm>
#include <cmath>

namespace sightglass {

namespace {

GType register_enum(const char* name, const GEnumValue* values) {
  const GType type = g_enum_register_static(name, values);
  gst_type_mark_as_plugin_api(type, static_cast<GstPluginAPIFlags>(0));
  return type;
}

GType background_type() {
  static const GEnumValue values[] = {
      {static_cast<gint>(Background::kBlur), "The frame itself, blurred, without the foreground", "blur"},
      {static_cast<gint>(Background::kColor), "One colour (background-color)", "color"},
      {static_cast<gint>(Background::kImage), "A picture (background-location)", "image"},
      {static_cast<gint>(Background::kTransparent), "Nothing: the mask goes into the alpha channel", "transparent"},
      {static_cast<gint>(Background::kMask), "The mask itself, white on black, instead of the frame", "mask"},
      {0, nullptr, nullptr}};
  static const GType type = register_enum("GstGlSegmentBackground", values);
  return type;
}

GType fit_type() {
  static const GEnumValue values[] = {
      {static_cast<gint>(Fit::kStretch), "Each axis is scaled on its own", "stretch"},
      {static_cast<gint>(Fit::kLetterbox), "The whole frame, aspect ratio kept, with bars", "letterbox"},
      {0, nullptr, nullptr}};
  static const GType type = register_enum("GstGlSegmentFit", values);
  return type;
}

GType refine_type() {
  static const GEnumValue values[] = {
      {static_cast<gint>(Refine::kNone), "Smoothly, whatever the frame shows", "none"},
      {static_cast<gint>(Refine::kBilateral), "Joint bilateral upsampling: pixels follow neighbours of their colour",
       "bilateral"},
      {static_cast<gint>(Refine::kGuided), "Guided filter: round each place, the mask is a linear function of colour",
       "guided"},
      {0, nullptr, nullptr}};
  static const GType type = register_enum("GstGlSegmentRefine", values);
  return type;
}

GType mask_sync_type() {
  static const GEnumValue values[] = {
      {static_cast<gint>(MaskSync::kExact), "Every frame is drawn with its own mask, once the model has run", "exact"},
      {static_cast<gint>(MaskSync::kLatest),
       "Frames never wait for the model: they are drawn with the newest mask, and the model runs behind them within "
       "gpu-budget",
       "latest"},
      {0, nullptr, nullptr}};
  static const GType type = register_enum("GstGlSegmentMaskSync", values);
  return type;
}

GType activation_type() {
  static const GEnumValue values[] = {
      {0, "Sigmoid for one channel, softmax for several, unless the model ends in it already", "auto"},
      {1, "None: the output is a probability", "none"},
      {2, "Sigmoid of each channel", "sigmoid"},
      {3, "Softmax over the channels", "softmax"},
      {0, nullptr, nullptr}};
  static const GType type = register_enum("GstGlSegmentActivation", values);
  return type;
}

GType precision_type() {
  static const GEnumValue values[] = {
      {static_cast<gint>(Precision::kFp32), "32-bit floats", "fp32"},
      {static_cast<gint>(Precision::kFp16), "16-bit floats: half the memory and its traffic", "fp16"},
      {0, nullptr, nullptr}};
  static const GType type = register_enum("GstGlSegmentPrecision", values);
  return type;
}

GType fallback_type() {
  static const GEnumValue values[] = {
      {static_cast<gint>(Fallback::kError), "An error when the element starts", "error"},
      {static_cast<gint>(Fallback::kCpu), "They run on the CPU, slowly, with a readback and an upload in every frame",
       "cpu"},
      {0, nullptr, nullptr}};
  static const GType type = register_enum("GstGlSegmentFallback", values);
  return type;
}

GType tuning_type() {
  static const GEnumValue values[] = {
      {static_cast<gint>(TuningMode::kOff), "The variants of kernels that suit most devices", "off"},
      {static_cast<gint>(TuningMode::kCached), "Those that the cache directory has as the fastest here", "cached"},
      {static_cast<gint>(TuningMode::kOn),
       "What the cache directory lacks is measured when the element starts, for seconds, and kept there", "on"},
      {0, nullptr, nullptr}};
  static const GType type = register_enum("GstGlSegmentTuning", values);
  return type;
}

GType quantized_models_type() {
  static const GEnumValue values[] = {
      {static_cast<gint>(QuantizedModels::kRefused), "An error when the element starts", "refused"},
      {static_cast<gint>(QuantizedModels::kAllowed), "Computed as TensorFlow Lite computes them", "allowed"},
      {0, nullptr, nullptr}};
  static const GType type = register_enum("GstGlSegmentQuantizedModels", values);
  return type;
}

constexpr float kMostSmoothing = 0.95F;  // a mask that never settles is of no use

// What the properties say when nobody has set them.
constexpr double kInputScaleDefault = 1, kInputOffsetDefault = 0;

// 0xAARRGGBB.
guint pack_argb(const std::array<float, 4>& color) {
  const auto byte = [&](size_t i) { return static_cast<guint>(std::lround(color[i] * 255)); };
  return byte(3) << 24 | byte(0) << 16 | byte(1) << 8 | byte(2);
}

std::array<float, 4> unpack_argb(guint argb) {
  const auto channel = [&](int shift) { return static_cast<float>(argb >> shift & 0xFF) / 255.0F; };
  return {channel(16), channel(8), channel(0), channel(24)};
}

const char* string_or_empty(const GValue* value) {
  const char* text = g_value_get_string(value);
  return text != nullptr ? text : "";
}

}  // namespace

Result<MaskModelOptions> SegmentSettings::mask_model_options() const {
  MaskModelOptions options;
  SG_ASSIGN_OR_RETURN(options.classes, parse_classes(classes));
  options.output = output;
  if (activation > 0) options.activation = static_cast<OutputActivation>(activation - 1);
  if (input_scale) options.input_scale = static_cast<float>(*input_scale);
  if (input_offset) options.input_offset = static_cast<float>(*input_offset);
  options.precision = static_cast<Precision>(precision);
  options.fallback = static_cast<Fallback>(fallback);
  options.quantized_models = static_cast<QuantizedModels>(quantized_models);
  return options;
}

std::string SegmentSettings::cache_folder() const {
  return cache_dir ? *cache_dir : std::string(g_get_user_cache_dir()) + "/sightglass";
}

void install_segment_properties(GObjectClass* object_class) {
  constexpr auto kCommon = static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  constexpr auto kReady = static_cast<GParamFlags>(kCommon | GST_PARAM_MUTABLE_READY);
  constexpr auto kPlaying = static_cast<GParamFlags>(kCommon | GST_PARAM_MUTABLE_PLAYING);
  constexpr auto kLive = static_cast<GParamFlags>(kPlaying | GST_PARAM_CONTROLLABLE);
  const SegmentSettings defaults;
  const auto install = [&](guint id, GParamSpec* spec) { g_object_class_install_property(object_class, id, spec); };

  install(kModel,
          g_param_spec_string(
              "model", "Model",
              "TFLite segmentation model to run: path of a .tflite file, or name: figure, which comes along, or "
              "a published model that `sightglass models fetch` has stored",
              nullptr, kReady));
  install(kClasses,
          g_param_spec_string("classes", "Classes",
                              "Output channels that are foreground, such as \"15\" or \"1,2\"; empty: persons or hair "
                              "for published models, for others all but channel 0, or the only one",
                              "", kReady));
  install(kOutput, g_param_spec_int("output", "Output",
                                    "Index of the model's output that is the mask; -1: the first that is a picture", -1,
                                    G_MAXINT, defaults.output, kReady));
  install(kActivation,
          g_param_spec_enum("activation", "Activation", "What is still to be applied to the model's output",
                            activation_type(), defaults.activation, kReady));
  install(kInputScale,
          g_param_spec_double("input-scale", "Input scale",
                              "The model's input is input-scale * colour + input-offset, with colours in [0,1]. For "
                              "models that expect [-1,1] set 2 and -1, for [0,255] set 255 and 0. Unless this is set, "
                              "quantised models take the frame's 8-bit colours as they are, and others what their "
                              "metadata say, if anything",
                              -1e6, 1e6, kInputScaleDefault, kReady));
  install(kInputOffset, g_param_spec_double("input-offset", "Input offset", "See input-scale", -1e6, 1e6,
                                            kInputOffsetDefault, kReady));
  install(kPrecision, g_param_spec_enum("precision", "Precision",
                                        "How activations and weights are stored on the GPU; sums are 32-bit either way",
                                        precision_type(), defaults.precision, kReady));
  install(kFallback,
          g_param_spec_enum("fallback", "Fallback", "What becomes of operators of the model that cannot run on the GPU",
                            fallback_type(), defaults.fallback, kReady));
  install(kQuantizedModels,
          g_param_spec_enum("quantized-models", "Quantized models", "Whether models of 8-bit integers may be run",
                            quantized_models_type(), defaults.quantized_models, kReady));
  install(kCacheDir, g_param_spec_string("cache-dir", "Cache directory",
                                         "Folder for what makes the next start fast; unset: sightglass in the user's "
                                         "cache directory; empty: nothing is kept. Elements that share GL objects use "
                                         "the first one's",
                                         nullptr, kReady));
  install(kTuning, g_param_spec_enum("tuning", "Tuning",
                                     "Which of the variants of kernels, all of which give the same result, run",
                                     tuning_type(), defaults.tuning, kReady));
  install(kAttachMask,
          g_param_spec_boolean("attach-mask", "Attach mask",
                               "Attaches the mask that the frame was composed with to every buffer, as a texture: "
                               "SightglassMaskMeta, and GstAnalyticsSegmentationMtd where GStreamer has it (1.26)",
                               defaults.attach_mask ? TRUE : FALSE, kReady));
  install(kRefine, g_param_spec_enum("refine", "Refine",
                                     "How the model's small mask is enlarged, so that it ends where things in the "
                                     "frame end",
                                     refine_type(), static_cast<gint>(defaults.refine), kReady));
  install(kBackground, g_param_spec_enum("background", "Background", "What is put behind the foreground",
                                         background_type(), static_cast<gint>(defaults.look.background), kLive));
  install(kBlurRadius, g_param_spec_float("blur-radius", "Blur radius",
                                          "Radius of the background's blur in pixels of the frame (two standard "
                                          "deviations)",
                                          0, Blur::kMaxRadius, defaults.look.blur_radius, kLive));
  install(kBackgroundColor, g_param_spec_uint("background-color", "Background color",
                                              "Colour behind the foreground, ARGB (big-endian, not premultiplied)", 0,
                                              G_MAXUINT32, pack_argb(defaults.look.color), kLive));
  install(kBackgroundLocation, g_param_spec_string("background-location", "Background location",
                                                   "Picture behind the foreground (path of a PNG or JPEG file); it is "
                                                   "scaled to cover the frame",
                                                   nullptr, kPlaying));
  install(kThreshold, g_param_spec_float("threshold", "Threshold",
                                         "Probability at which foreground and background are mixed evenly", 0, 1,
                                         defaults.look.threshold, kLive));
  install(kSoftness, g_param_spec_float("softness", "Softness",
                                        "Width of the transition from background to foreground, as a difference of "
                                        "probabilities; 0: a hard edge",
                                        0, 1, defaults.look.softness, kLive));
  install(kSmoothing, g_param_spec_float("smoothing", "Smoothing",
                                         "Share of the mask before in each mask, where the two nearly agree, against "
                                         "flicker; what moves is not smoothed. 0: none",
                                         0, kMostSmoothing, defaults.look.smoothing, kLive));
  install(kFit, g_param_spec_enum("fit", "Fit", "How a frame of another aspect ratio is laid into the model's input",
                                  fit_type(), static_cast<gint>(defaults.fit), kLive));
  install(kMaskSync, g_param_spec_enum("mask-sync", "Mask synchronisation", "Whether frames wait for their own mask",
                                       mask_sync_type(), static_cast<gint>(defaults.mask_sync), kPlaying));
  install(kGpuBudget,
          g_param_spec_uint64("gpu-budget", "GPU budget",
                              "With mask-sync=latest: the GPU's time in nanoseconds that the model may take in each "
                              "frame; a run that needs more is spread over several frames, at least one operator in "
                              "each. 0: a whole run behind every frame",
                              0, G_MAXUINT64, defaults.gpu_budget_ns, kPlaying));
  install(kInferenceInterval,
          g_param_spec_uint("inference-interval", "Inference interval",
                            "The model runs on every frame (1), every other one (2), and so on; frames between are "
                            "drawn with the newest mask",
                            1, G_MAXUINT, defaults.inference_interval, kPlaying));
  install(kVideoDirection,
          g_param_spec_enum("video-direction", "Video direction",
                            "What makes stored pictures upright, for the model and in the output; auto: what the "
                            "stream's image-orientation tag says. GstVideoAffineTransformationMeta is followed besides",
                            GST_TYPE_VIDEO_ORIENTATION_METHOD, defaults.video_direction, kPlaying));
  install(kStats,
          g_param_spec_boxed("stats", "Statistics",
                             "Frames (frames) and runs of the model (inferences) so far, and moving averages in "
                             "nanoseconds: the GPU's time for one run of the model (model-time) and for a whole "
                             "frame (gpu-time), 0 where the driver has no timer queries; this element's time on "
                             "the CPU (cpu-time); the time taken to compile and upload the model (start-time)",
                             GST_TYPE_STRUCTURE, static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)));
}

bool set_segment_property(SegmentSettings& settings, guint id, const GValue* value) {
  switch (id) {
    case kModel:
      settings.model = string_or_empty(value);
      return true;
    case kClasses:
      settings.classes = string_or_empty(value);
      return true;
    case kOutput:
      settings.output = g_value_get_int(value);
      return true;
    case kActivation:
      settings.activation = g_value_get_enum(value);
      return true;
    case kInputScale:
      settings.input_scale = g_value_get_double(value);
      return true;
    case kInputOffset:
      settings.input_offset = g_value_get_double(value);
      return true;
    case kTuning:
      settings.tuning = g_value_get_enum(value);
      return true;
    case kAttachMask:
      settings.attach_mask = g_value_get_boolean(value) != FALSE;
      return true;
    case kRefine:
      settings.refine = static_cast<Refine>(g_value_get_enum(value));
      return true;
    case kPrecision:
      settings.precision = g_value_get_enum(value);
      return true;
    case kFallback:
      settings.fallback = g_value_get_enum(value);
      return true;
    case kQuantizedModels:
      settings.quantized_models = g_value_get_enum(value);
      return true;
    case kCacheDir:
      settings.cache_dir.reset();
      if (const char* text = g_value_get_string(value)) settings.cache_dir = text;
      return true;
    case kBackground:
      settings.look.background = static_cast<Background>(g_value_get_enum(value));
      return true;
    case kBlurRadius:
      settings.look.blur_radius = g_value_get_float(value);
      return true;
    case kBackgroundColor:
      settings.look.color = unpack_argb(g_value_get_uint(value));
      return true;
    case kBackgroundLocation:
      settings.background_location = string_or_empty(value);
      return true;
    case kThreshold:
      settings.look.threshold = g_value_get_float(value);
      return true;
    case kSoftness:
      settings.look.softness = g_value_get_float(value);
      return true;
    case kSmoothing:
      settings.look.smoothing = g_value_get_float(value);
      return true;
    case kFit:
      settings.fit = static_cast<Fit>(g_value_get_enum(value));
      return true;
    case kMaskSync:
      settings.mask_sync = static_cast<MaskSync>(g_value_get_enum(value));
      return true;
    case kGpuBudget:
      settings.gpu_budget_ns = g_value_get_uint64(value);
      return true;
    case kInferenceInterval:
      settings.inference_interval = g_value_get_uint(value);
      return true;
    case kVideoDirection:
      settings.video_direction = static_cast<GstVideoOrientationMethod>(g_value_get_enum(value));
      return true;
    default:
      return false;
  }
}

bool get_segment_property(const SegmentSettings& settings, guint id, GValue* value) {
  switch (id) {
    case kModel:
      g_value_set_string(value, settings.model.c_str());
      return true;
    case kClasses:
      g_value_set_string(value, settings.classes.c_str());
      return true;
    case kOutput:
      g_value_set_int(value, settings.output);
      return true;
    case kActivation:
      g_value_set_enum(value, settings.activation);
      return true;
    case kInputScale:
      g_value_set_double(value, settings.input_scale.value_or(kInputScaleDefault));
      return true;
    case kInputOffset:
      g_value_set_double(value, settings.input_offset.value_or(kInputOffsetDefault));
      return true;
    case kTuning:
      g_value_set_enum(value, settings.tuning);
      return true;
    case kAttachMask:
      g_value_set_boolean(value, settings.attach_mask ? TRUE : FALSE);
      return true;
    case kRefine:
      g_value_set_enum(value, static_cast<gint>(settings.refine));
      return true;
    case kPrecision:
      g_value_set_enum(value, settings.precision);
      return true;
    case kFallback:
      g_value_set_enum(value, settings.fallback);
      return true;
    case kQuantizedModels:
      g_value_set_enum(value, settings.quantized_models);
      return true;
    case kCacheDir:
      g_value_set_string(value, settings.cache_dir ? settings.cache_dir->c_str() : nullptr);
      return true;
    case kBackground:
      g_value_set_enum(value, static_cast<gint>(settings.look.background));
      return true;
    case kBlurRadius:
      g_value_set_float(value, settings.look.blur_radius);
      return true;
    case kBackgroundColor:
      g_value_set_uint(value, pack_argb(settings.look.color));
      return true;
    case kBackgroundLocation:
      g_value_set_string(value, settings.background_location.c_str());
      return true;
    case kThreshold:
      g_value_set_float(value, settings.look.threshold);
      return true;
    case kSoftness:
      g_value_set_float(value, settings.look.softness);
      return true;
    case kSmoothing:
      g_value_set_float(value, settings.look.smoothing);
      return true;
    case kFit:
      g_value_set_enum(value, static_cast<gint>(settings.fit));
      return true;
    case kMaskSync:
      g_value_set_enum(value, static_cast<gint>(settings.mask_sync));
      return true;
    case kGpuBudget:
      g_value_set_uint64(value, settings.gpu_budget_ns);
      return true;
    case kInferenceInterval:
      g_value_set_uint(value, settings.inference_interval);
      return true;
    case kVideoDirection:
      g_value_set_enum(value, settings.video_direction);
      return true;
    default:
      return false;
  }
}

}  // namespace sightglass
