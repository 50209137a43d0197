#include "pose/pose_properties.h"

#include "base/argb.h"
#include "base/run_properties.h"
#include "gobject/argb.h"
#include "gobject/property_rules.h"
#include "meta/persons.h"

namespace sightglass {

void install_pose_properties(GObjectClass* object_class) {
  const PoseSettings defaults;
  const PoseLook& look = defaults.look;
  const auto install = [&](guint id, GParamSpec* spec) { g_object_class_install_property(object_class, id, spec); };

  install(kDetector, g_param_spec_string("detector", "Detector",
                                         "Path or name of the model that finds people for a BlazePose landmark model "
                                         "(NULL = beside the model, else blazepose-detector)",
                                         nullptr, kReadyProperty));
  install(kPoseAttachMask,
          g_param_spec_boolean("attach-mask", "Attach mask",
                               "Whether to attach the BlazePose mask to each buffer as a texture: SightglassMaskMeta "
                               "and, with GStreamer 1.26, GstAnalyticsSegmentationMtd",
                               defaults.attach_mask ? TRUE : FALSE, kReadyProperty));
  install(kMostPersons, g_param_spec_int("max-persons", "Maximum persons",
                                         "Maximum number of people to find; single-person MoveNet and heatmap models "
                                         "find one",
                                         1, kMaxPersons, look.max_persons, kLiveProperty));
  install(kPersonThreshold, g_param_spec_float("person-threshold", "Person threshold",
                                               "Minimum score of a person, 0 to 1 (-1 = model default: 0.5 for "
                                               "BlazePose, 0.2 for others)",
                                               PoseSettings::kUnsetScore, 1, PoseSettings::kUnsetScore, kLiveProperty));
  install(kVisibilityThreshold, g_param_spec_float("visibility-threshold", "Visibility threshold",
                                                   "Minimum visibility of a keypoint that is drawn and counts for the "
                                                   "box of its person",
                                                   0, 1, look.style.visibility, kLiveProperty));
  install(kPresenceThreshold, g_param_spec_float("presence-threshold", "Presence threshold",
                                                 "Minimum presence in the frame of a keypoint that is drawn and counts "
                                                 "for the box of its person",
                                                 0, 1, look.style.presence, kLiveProperty));
  install(kPoseSmoothing,
          g_param_spec_boolean("smoothing", "Smoothing", "Whether to smooth keypoints over time with a One-Euro filter",
                               look.smoothing ? TRUE : FALSE, kLiveProperty));
  install(kMinCutoff, g_param_spec_float("min-cutoff", "Minimum cutoff",
                                         "Cutoff frequency of the smoothing for resting keypoints in Hz; lower values "
                                         "jitter less and lag more",
                                         0.001F, 1000, look.min_cutoff, kLiveProperty));
  install(kBeta, g_param_spec_float("beta", "Beta",
                                    "Rise of the cutoff frequency with speed, in Hz per person size per second; higher "
                                    "values lag less",
                                    0, 10000, look.beta, kLiveProperty));
  install(kDraw, g_param_spec_boolean("draw", "Draw", "Whether to draw skeletons over the frame",
                                      look.draw ? TRUE : FALSE, kLiveProperty));
  install(kLineWidth,
          g_param_spec_float("line-width", "Line width", "Width of skeleton lines in frame pixels (0 = none)", 0, 200,
                             look.style.line_width, kLiveProperty));
  install(kPointRadius,
          g_param_spec_float("point-radius", "Point radius", "Radius of skeleton points in frame pixels (0 = none)", 0,
                             200, look.style.point_radius, kLiveProperty));
  install(kLineColor,
          g_param_spec_uint("line-color", "Line color", "Color of skeleton lines, ARGB (big-endian, not premultiplied)",
                            0, G_MAXUINT32, pack_argb(look.style.line_color), kLiveProperty));
  install(kPointColor, g_param_spec_uint("point-color", "Point color",
                                         "Color of skeleton points, ARGB (big-endian, not premultiplied)", 0,
                                         G_MAXUINT32, pack_argb(look.style.point_color), kLiveProperty));
  install(kPoseInterval,
          g_param_spec_uint("inference-interval", "Inference interval",
                            "Look for people in every Nth frame; frames in between show the previous result", 1,
                            kMostInferenceInterval, defaults.inference_interval, kLiveProperty));
  install_run_properties(object_class, kPoseMaskSync, kPoseGpuBudget, kPoseOnFailure);
  install_results_properties(object_class, kPoseResults, kPoseResultsSync);
}

bool set_pose_property(PoseSettings& settings, guint id, const GValue* value) {
  PoseLook& look = settings.look;
  switch (id) {
    case kDetector:
      settings.detector = text_of(value);
      break;
    case kPoseAttachMask:
      settings.attach_mask = g_value_get_boolean(value) != FALSE;
      break;
    case kMostPersons:
      look.max_persons = g_value_get_int(value);
      break;
    case kPersonThreshold: {
      const float score = g_value_get_float(value);
      settings.person_threshold = score;
      look.person_score.reset();
      if (score >= 0) look.person_score = score;
      break;
    }
    case kVisibilityThreshold:
      look.style.visibility = g_value_get_float(value);
      break;
    case kPresenceThreshold:
      look.style.presence = g_value_get_float(value);
      break;
    case kPoseSmoothing:
      look.smoothing = g_value_get_boolean(value) != FALSE;
      break;
    case kMinCutoff:
      look.min_cutoff = g_value_get_float(value);
      break;
    case kBeta:
      look.beta = g_value_get_float(value);
      break;
    case kDraw:
      look.draw = g_value_get_boolean(value) != FALSE;
      break;
    case kLineWidth:
      look.style.line_width = g_value_get_float(value);
      break;
    case kPointRadius:
      look.style.point_radius = g_value_get_float(value);
      break;
    case kLineColor:
      look.style.line_color = unpack_argb(g_value_get_uint(value));
      break;
    case kPointColor:
      look.style.point_color = unpack_argb(g_value_get_uint(value));
      break;
    case kPoseInterval:
      settings.inference_interval = g_value_get_uint(value);
      break;
    case kPoseMaskSync:
      settings.mask_sync = static_cast<MaskSync>(g_value_get_enum(value));
      break;
    case kPoseGpuBudget:
      settings.gpu_budget_ns = g_value_get_uint64(value);
      break;
    case kPoseOnFailure:
      settings.on_failure = static_cast<OnFailure>(g_value_get_enum(value));
      break;
    case kPoseResults:
      settings.results.mode = static_cast<ResultsMode>(g_value_get_enum(value));
      break;
    case kPoseResultsSync:
      settings.results.sync = static_cast<ResultsSync>(g_value_get_enum(value));
      break;
    default:
      return false;
  }
  return true;
}

bool get_pose_property(const PoseSettings& settings, guint id, GValue* value) {
  const PoseLook& look = settings.look;
  switch (id) {
    case kDetector:
      set_text(value, settings.detector);
      break;
    case kPoseAttachMask:
      g_value_set_boolean(value, settings.attach_mask ? TRUE : FALSE);
      break;
    case kMostPersons:
      g_value_set_int(value, look.max_persons);
      break;
    case kPersonThreshold:
      g_value_set_float(value, settings.person_threshold);
      break;
    case kVisibilityThreshold:
      g_value_set_float(value, look.style.visibility);
      break;
    case kPresenceThreshold:
      g_value_set_float(value, look.style.presence);
      break;
    case kPoseSmoothing:
      g_value_set_boolean(value, look.smoothing ? TRUE : FALSE);
      break;
    case kMinCutoff:
      g_value_set_float(value, look.min_cutoff);
      break;
    case kBeta:
      g_value_set_float(value, look.beta);
      break;
    case kDraw:
      g_value_set_boolean(value, look.draw ? TRUE : FALSE);
      break;
    case kLineWidth:
      g_value_set_float(value, look.style.line_width);
      break;
    case kPointRadius:
      g_value_set_float(value, look.style.point_radius);
      break;
    case kLineColor:
      g_value_set_uint(value, pack_argb(look.style.line_color));
      break;
    case kPointColor:
      g_value_set_uint(value, pack_argb(look.style.point_color));
      break;
    case kPoseInterval:
      g_value_set_uint(value, settings.inference_interval);
      break;
    case kPoseMaskSync:
      g_value_set_enum(value, static_cast<gint>(settings.mask_sync));
      break;
    case kPoseGpuBudget:
      g_value_set_uint64(value, settings.gpu_budget_ns);
      break;
    case kPoseOnFailure:
      g_value_set_enum(value, static_cast<gint>(settings.on_failure));
      break;
    case kPoseResults:
      g_value_set_enum(value, static_cast<gint>(settings.results.mode));
      break;
    case kPoseResultsSync:
      g_value_set_enum(value, static_cast<gint>(settings.results.sync));
      break;
    default:
      return false;
  }
  return true;
}

}  // namespace sightglass
