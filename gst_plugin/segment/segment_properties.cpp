#include "segment/segment_properties.h"

#include "gobject/argb.h"
#include "gobject/property_rules.h"
#include "segment/segment_enums.h"

namespace sightglass {

namespace {

constexpr float kMostSmoothing = 0.95F;  // a mask that never settles is of no use
constexpr gint kMostOutputs = 1023;

}  // namespace

Result<MaskModelOptions> SegmentSettings::mask_model_options() const {
  MaskModelOptions options;
  SG_ASSIGN_OR_RETURN(options.classes, parse_classes(classes.value_or("")));
  options.output = output;
  if (activation > 0) options.activation = static_cast<OutputActivation>(activation - 1);
  return options;
}

void install_segment_properties(GObjectClass* object_class) {
  const SegmentSettings defaults;
  const Look& look = defaults.look;
  const auto install = [&](guint id, GParamSpec* spec) { g_object_class_install_property(object_class, id, spec); };

  install(kClasses, g_param_spec_string("classes", "Classes",
                                        "Foreground classes, such as \"15\" or \"1,2\" (NULL or empty = people or hair "
                                        "of known models, else all but 0)",
                                        nullptr, kReadyProperty));
  install(kOutput, g_param_spec_int("output", "Output",
                                    "Index of the model output that is the mask (-1 = the first that is an image)", -1,
                                    kMostOutputs, defaults.output, kReadyProperty));
  install(kActivation, g_param_spec_enum("activation", "Activation", "Activation to apply to the model output",
                                         activation_type(), defaults.activation, kReadyProperty));
  install(kAttachMask, g_param_spec_boolean("attach-mask", "Attach mask",
                                            "Whether to attach the mask to each buffer as a texture: "
                                            "SightglassMaskMeta and, with GStreamer 1.26, GstAnalyticsSegmentationMtd",
                                            defaults.attach_mask ? TRUE : FALSE, kReadyProperty));
  install(kRefine,
          g_param_spec_enum("refine", "Refine", "How to enlarge the mask so that it follows edges in the frame",
                            refine_type(), static_cast<gint>(defaults.refine), kReadyProperty));
  install(kBackground, g_param_spec_enum("background", "Background", "Background to show behind the foreground",
                                         background_type(), static_cast<gint>(look.background), kLiveProperty));
  install(kBlurRadius, g_param_spec_float("blur-radius", "Blur radius",
                                          "Blur radius in frame pixels, two standard deviations (0 = disabled)", 0,
                                          Blur::kMaxRadius, look.blur_radius, kLiveProperty));
  install(kBackgroundColor, g_param_spec_uint("background-color", "Background color",
                                              "Color behind the foreground, ARGB (big-endian, not premultiplied)", 0,
                                              G_MAXUINT32, pack_argb(look.color), kLiveProperty));
  install(kBackgroundLocation,
          g_param_spec_string("background-location", "Background location",
                              "Path of the PNG or JPEG image behind the foreground", nullptr, kPlayingProperty));
  install(kBackgroundFit,
          g_param_spec_enum("background-fit", "Background fit",
                            "How to fit an image or video behind the foreground into frames of another aspect ratio",
                            background_fit_type(), static_cast<gint>(defaults.background_fit), kLiveProperty));
  install(kAlpha, g_param_spec_enum("alpha", "Alpha", "How to store colors that are not opaque", alpha_type(),
                                    static_cast<gint>(look.premultiply ? Alpha::kPremultiplied : Alpha::kStraight),
                                    kLiveProperty));
  install(kLightWrap, g_param_spec_float("light-wrap", "Light wrap",
                                         "Amount of background light that falls on foreground edges (0 = disabled)", 0,
                                         1, look.light_wrap, kLiveProperty));
  install(kFeather, g_param_spec_float("feather", "Feather",
                                       "Feather width on each side of the foreground edge in frame pixels, in addition "
                                       "to softness (0 = disabled, below 3 acts as 3)",
                                       0, kMaxFeather, look.feather, kLiveProperty));
  install(kOverlayOpacity, g_param_spec_float("overlay-opacity", "Overlay opacity",
                                              "Opacity of class colors over the frame with background=overlay", 0, 1,
                                              look.overlay_opacity, kLiveProperty));
  install(kLegend, g_param_spec_boolean("legend", "Legend",
                                        "Whether to list the names of visible classes with background=overlay",
                                        look.legend ? TRUE : FALSE, kLiveProperty));
  install(kThreshold,
          g_param_spec_float("threshold", "Threshold", "Probability at which foreground and background mix evenly", 0,
                             1, look.threshold, kLiveProperty));
  install(kSoftness, g_param_spec_float("softness", "Softness",
                                        "Width of the transition from background to foreground, as a difference of "
                                        "probabilities (0 = hard edge)",
                                        0, 1, look.softness, kLiveProperty));
  install(kSmoothing, g_param_spec_float("smoothing", "Smoothing",
                                         "Weight of the previous mask where both masks nearly agree, to reduce flicker "
                                         "without smoothing motion (0 = disabled)",
                                         0, kMostSmoothing, look.smoothing, kLiveProperty));
  install(kFit, g_param_spec_enum("fit", "Fit", "How to fit a frame of another aspect ratio into the model input",
                                  fit_type(), static_cast<gint>(defaults.fit), kLiveProperty));
  install(kMaskSync, g_param_spec_enum("mask-sync", "Mask synchronization", "Whether frames wait for their own mask",
                                       mask_sync_type(), static_cast<gint>(defaults.mask_sync), kLiveProperty));
  install(kGpuBudget, g_param_spec_uint64("gpu-budget", "GPU budget",
                                          "GPU time in nanoseconds that the model may take per frame with "
                                          "mask-sync=latest (0 = a whole run)",
                                          0, GST_SECOND, defaults.gpu_budget_ns, kLiveProperty));
  install(kInferenceInterval,
          g_param_spec_uint("inference-interval", "Inference interval",
                            "Run the model on every Nth frame; frames in between use the newest mask", 1,
                            kMostInferenceInterval, defaults.inference_interval, kLiveProperty));
  install(kMaskSource, g_param_spec_enum("mask-source", "Mask source", "Where masks come from", mask_source_type(),
                                         static_cast<gint>(defaults.mask_source), kReadyProperty));
  install(kSkipStatic, g_param_spec_boolean("skip-static", "Skip static",
                                            "Whether the GPU skips the model while the frame does not change; not with "
                                            "operators on the CPU",
                                            defaults.skip_static ? TRUE : FALSE, kReadyProperty));
  install(kStaticThreshold,
          g_param_spec_float("static-threshold", "Static threshold",
                             "Change of a mean color in [0,1] over 4x4 model pixels that skip-static ignores", 0, 1,
                             look.static_threshold, kLiveProperty));
  install(kOnFailure, g_param_spec_enum("on-failure", "On failure",
                                        "What to show of frames whose mask cannot be computed while playing",
                                        on_failure_type(), static_cast<gint>(defaults.on_failure), kLiveProperty));
}

bool set_segment_property(SegmentSettings& settings, guint id, const GValue* value) {
  switch (id) {
    case kClasses:
      settings.classes = text_of(value);
      return true;
    case kOutput:
      settings.output = g_value_get_int(value);
      return true;
    case kActivation:
      settings.activation = g_value_get_enum(value);
      return true;
    case kAttachMask:
      settings.attach_mask = g_value_get_boolean(value) != FALSE;
      return true;
    case kRefine:
      settings.refine = static_cast<Refine>(g_value_get_enum(value));
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
      settings.background_location = text_of(value);
      return true;
    case kBackgroundFit:
      settings.background_fit = static_cast<PictureFit>(g_value_get_enum(value));
      return true;
    case kAlpha:
      settings.look.premultiply = g_value_get_enum(value) == static_cast<gint>(Alpha::kPremultiplied);
      return true;
    case kLightWrap:
      settings.look.light_wrap = g_value_get_float(value);
      return true;
    case kFeather:
      settings.look.feather = g_value_get_float(value);
      return true;
    case kOverlayOpacity:
      settings.look.overlay_opacity = g_value_get_float(value);
      return true;
    case kLegend:
      settings.look.legend = g_value_get_boolean(value) != FALSE;
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
    case kMaskSource:
      settings.mask_source = static_cast<MaskSource>(g_value_get_enum(value));
      return true;
    case kSkipStatic:
      settings.skip_static = g_value_get_boolean(value) != FALSE;
      return true;
    case kStaticThreshold:
      settings.look.static_threshold = g_value_get_float(value);
      return true;
    case kOnFailure:
      settings.on_failure = static_cast<OnFailure>(g_value_get_enum(value));
      return true;
    default:
      return false;
  }
}

bool get_segment_property(const SegmentSettings& settings, guint id, GValue* value) {
  switch (id) {
    case kClasses:
      set_text(value, settings.classes);
      return true;
    case kOutput:
      g_value_set_int(value, settings.output);
      return true;
    case kActivation:
      g_value_set_enum(value, settings.activation);
      return true;
    case kAttachMask:
      g_value_set_boolean(value, settings.attach_mask ? TRUE : FALSE);
      return true;
    case kRefine:
      g_value_set_enum(value, static_cast<gint>(settings.refine));
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
      set_text(value, settings.background_location);
      return true;
    case kBackgroundFit:
      g_value_set_enum(value, static_cast<gint>(settings.background_fit));
      return true;
    case kAlpha:
      g_value_set_enum(value, static_cast<gint>(settings.look.premultiply ? Alpha::kPremultiplied : Alpha::kStraight));
      return true;
    case kLightWrap:
      g_value_set_float(value, settings.look.light_wrap);
      return true;
    case kFeather:
      g_value_set_float(value, settings.look.feather);
      return true;
    case kOverlayOpacity:
      g_value_set_float(value, settings.look.overlay_opacity);
      return true;
    case kLegend:
      g_value_set_boolean(value, settings.look.legend ? TRUE : FALSE);
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
    case kMaskSource:
      g_value_set_enum(value, static_cast<gint>(settings.mask_source));
      return true;
    case kSkipStatic:
      g_value_set_boolean(value, settings.skip_static ? TRUE : FALSE);
      return true;
    case kStaticThreshold:
      g_value_set_float(value, settings.look.static_threshold);
      return true;
    case kOnFailure:
      g_value_set_enum(value, static_cast<gint>(settings.on_failure));
      return true;
    default:
      return false;
  }
}

}  // namespace sightglass
