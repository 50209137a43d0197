#include "segment_properties.h"

#include <algorithm>
#include <cmath>

#include "segment_enums.h"

namespace sightglass {

namespace {

constexpr float kMostSmoothing = 0.95F;  // a mask that never settles is of no use

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
  return options;
}

void install_segment_properties(GObjectClass* object_class) {
  const SegmentSettings defaults;
  const auto install = [&](guint id, GParamSpec* spec) { g_object_class_install_property(object_class, id, spec); };

  install(kClasses,
          g_param_spec_string("classes", "Classes",
                              "Classes (output channels) that are foreground, and in colour with background=overlay, "
                              "such as \"15\" or \"1,2\"; empty: persons or hair "
                              "for published models, for others and for the overlay all but 0, or the only one",
                              "", kReadyProperty));
  install(kOutput, g_param_spec_int("output", "Output",
                                    "Index of the model's output that is the mask; -1: the first that is a picture", -1,
                                    G_MAXINT, defaults.output, kReadyProperty));
  install(kActivation,
          g_param_spec_enum("activation", "Activation", "What is still to be applied to the model's output",
                            activation_type(), defaults.activation, kReadyProperty));
  install(kAttachMask,
          g_param_spec_boolean("attach-mask", "Attach mask",
                               "Attaches the mask that the frame was composed with to every buffer, as a texture: "
                               "SightglassMaskMeta, and GstAnalyticsSegmentationMtd where GStreamer has it (1.26)",
                               defaults.attach_mask ? TRUE : FALSE, kReadyProperty));
  install(kRefine, g_param_spec_enum("refine", "Refine",
                                     "How the model's small mask is enlarged, so that it ends where things in the "
                                     "frame end",
                                     refine_type(), static_cast<gint>(defaults.refine), kReadyProperty));
  install(kBackground,
          g_param_spec_enum("background", "Background", "What is put behind the foreground", background_type(),
                            static_cast<gint>(defaults.look.background), kLiveProperty));
  install(kBlurRadius, g_param_spec_float("blur-radius", "Blur radius",
                                          "Radius of the background's blur in pixels of the frame (two standard "
                                          "deviations)",
                                          0, Blur::kMaxRadius, defaults.look.blur_radius, kLiveProperty));
  install(kBackgroundColor, g_param_spec_uint("background-color", "Background color",
                                              "Colour behind the foreground, ARGB (big-endian, not premultiplied)", 0,
                                              G_MAXUINT32, pack_argb(defaults.look.color), kLiveProperty));
  install(kBackgroundLocation,
          g_param_spec_string("background-location", "Background location",
                              "Picture behind the foreground (path of a PNG or JPEG file)", nullptr, kPlayingProperty));
  install(kBackgroundFit,
          g_param_spec_enum("background-fit", "Background fit",
                            "How a picture or video behind the foreground is laid into a frame of another aspect "
                            "ratio",
                            background_fit_type(), static_cast<gint>(defaults.background_fit), kPlayingProperty));
  install(kAlpha, g_param_spec_enum("alpha", "Alpha",
                                    "How colours are stored where the result is not opaque: background=transparent, or "
                                    "a background-color that lets through",
                                    alpha_type(), static_cast<gint>(Alpha::kStraight), kPlayingProperty));
  install(kLightWrap, g_param_spec_float("light-wrap", "Light wrap",
                                         "How much of the light of a colour, picture or video behind it falls on the "
                                         "foreground's edges; 0: none",
                                         0, 1, defaults.look.light_wrap, kLiveProperty));
  install(kFeather, g_param_spec_float("feather", "Feather",
                                       "Pixels of the frame to either side, inwards and outwards, that the "
                                       "foreground's edge is spread over, besides what softness makes of it; from 0 to "
                                       "3 as 3. 0: none",
                                       0, kMaxFeather, defaults.look.feather, kLiveProperty));
  install(kOverlayOpacity, g_param_spec_float("overlay-opacity", "Overlay opacity",
                                              "With background=overlay: opacity of the classes' colours over the frame",
                                              0, 1, defaults.look.overlay_opacity, kLiveProperty));
  install(kLegend, g_param_spec_boolean("legend", "Legend",
                                        "With background=overlay: the names of the classes that are seen, with their "
                                        "colours, in the lower left corner; for models of three classes and more",
                                        defaults.look.legend ? TRUE : FALSE, kLiveProperty));
  install(kThreshold, g_param_spec_float("threshold", "Threshold",
                                         "Probability at which foreground and background are mixed evenly", 0, 1,
                                         defaults.look.threshold, kLiveProperty));
  install(kSoftness, g_param_spec_float("softness", "Softness",
                                        "Width of the transition from background to foreground, as a difference of "
                                        "probabilities; 0: a hard edge",
                                        0, 1, defaults.look.softness, kLiveProperty));
  install(kSmoothing, g_param_spec_float("smoothing", "Smoothing",
                                         "Share of the mask before in each mask, where the two nearly agree, against "
                                         "flicker; what moves is not smoothed. 0: none",
                                         0, kMostSmoothing, defaults.look.smoothing, kLiveProperty));
  install(kFit, g_param_spec_enum("fit", "Fit", "How a frame of another aspect ratio is laid into the model's input",
                                  fit_type(), static_cast<gint>(defaults.fit), kLiveProperty));
  install(kMaskSync, g_param_spec_enum("mask-sync", "Mask synchronisation", "Whether frames wait for their own mask",
                                       mask_sync_type(), static_cast<gint>(defaults.mask_sync), kPlayingProperty));
  install(kGpuBudget,
          g_param_spec_uint64("gpu-budget", "GPU budget",
                              "With mask-sync=latest: the GPU's time in nanoseconds that the model may take in each "
                              "frame; a run that needs more is spread over several frames, at least one operator in "
                              "each. 0: a whole run behind every frame",
                              0, G_MAXUINT64, defaults.gpu_budget_ns, kPlayingProperty));
  install(kInferenceInterval,
          g_param_spec_uint("inference-interval", "Inference interval",
                            "The model runs on every frame (1), every other one (2), and so on; frames between are "
                            "drawn with the newest mask",
                            1, G_MAXUINT, defaults.inference_interval, kPlayingProperty));
  install(kMaskSource, g_param_spec_enum(
                           "mask-source", "Mask source",
                           "Where masks come from: meta takes those that an element before has attached to the frames, "
                           "such as glpose with attach-mask=true, and needs no model",
                           mask_source_type(), static_cast<gint>(defaults.mask_source), kReadyProperty));
  install(kSkipStatic,
          g_param_spec_boolean("skip-static", "Skip static",
                               "The model does not run where the picture is what it was when it last ran: the GPU "
                               "looks, and leaves the run out. Not with operators on the CPU",
                               defaults.skip_static ? TRUE : FALSE, kReadyProperty));
  install(kStaticThreshold,
          g_param_spec_float("static-threshold", "Static threshold",
                             "With skip-static: what the mean of a colour, from 0 to 1, over any four by four of the "
                             "model's pixels may change by",
                             0, 1, defaults.look.static_threshold, kLiveProperty));
  install(kOnFailure,
          g_param_spec_enum("on-failure", "On failure",
                            "What is shown of frames whose mask cannot be computed while playing (the driver has no "
                            "memory, the context is lost); a warning says that it begins, and it ends by itself",
                            on_failure_type(), static_cast<gint>(defaults.on_failure), kPlayingProperty));
}

bool set_segment_property(SegmentSettings& settings, guint id, const GValue* value) {
  switch (id) {
    case kClasses:
      settings.classes = string_or_empty(value);
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
      settings.background_location = string_or_empty(value);
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
      g_value_set_string(value, settings.classes.c_str());
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
      g_value_set_string(value, settings.background_location.c_str());
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
