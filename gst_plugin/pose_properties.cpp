#include "pose_properties.h"

#include "argb.h"
#include "pose/persons.h"

namespace sightglass {

namespace {

constexpr float kUnsetScore = -1;

}  // namespace

void install_pose_properties(GObjectClass* object_class) {
  const PoseSettings defaults;
  const PoseLook& look = defaults.look;
  const auto install = [&](guint id, GParamSpec* spec) { g_object_class_install_property(object_class, id, spec); };

  install(kDetector,
          g_param_spec_string("detector", "Detector",
                              "Model that finds persons for a BlazePose landmarks model (file, or name of one that "
                              "`sightglass models list` shows); unset: pose_detection.tflite or blazepose_detection_224"
                              ".tflite beside the model, else blazepose-detector",
                              nullptr, kReadyProperty));
  install(kPoseAttachMask,
          g_param_spec_boolean("attach-mask", "Attach mask",
                               "Attaches the persons' mask to every buffer, as a texture: SightglassMaskMeta, and "
                               "GstAnalyticsSegmentationMtd where GStreamer has it (1.26); for BlazePose, whose model "
                               "gives one",
                               defaults.attach_mask ? TRUE : FALSE, kReadyProperty));
  install(
      kMostPersons,
      g_param_spec_int("max-persons", "Most persons",
                       "How many persons are found; BlazePose runs once for each, and its detector as long as there "
                       "are fewer; MoveNet for one person and heat maps find one",
                       1, kMaxPersons, look.max_persons, kLiveProperty));
  install(
      kPersonThreshold,
      g_param_spec_float("person-threshold", "Person threshold",
                         "Least score of a person, from 0 to 1; -1: what suits the model, 0.5 for BlazePose and 0.2 "
                         "for others",
                         kUnsetScore, 1, kUnsetScore, kLiveProperty));
  install(kVisibilityThreshold,
          g_param_spec_float("visibility-threshold", "Visibility threshold",
                             "Least visibility of a point that is drawn and counts for its person's box; the point's "
                             "score where a model gives one score",
                             0, 1, look.style.visibility, kLiveProperty));
  install(kPresenceThreshold, g_param_spec_float("presence-threshold", "Presence threshold",
                                                 "Least presence of such a point: how likely it is to lie in the frame",
                                                 0, 1, look.style.presence, kLiveProperty));
  install(kPoseSmoothing,
          g_param_spec_boolean("smoothing", "Smoothing", "Smooths points over time by the One-Euro filter",
                               look.smoothing ? TRUE : FALSE, kLiveProperty));
  install(kMinCutoff, g_param_spec_float("min-cutoff", "Least cut-off",
                                         "Cut-off frequency of the smoothing for what rests, in Hz: less trembles less "
                                         "and lags more",
                                         0.001F, 1000, look.min_cutoff, kLiveProperty));
  install(kBeta, g_param_spec_float("beta", "Beta",
                                    "How much the cut-off frequency rises with speed, in Hz by sizes of the person in "
                                    "a second: more lags less",
                                    0, 10000, look.beta, kLiveProperty));
  install(kDraw, g_param_spec_boolean("draw", "Draw", "Draws skeletons over the picture", look.draw ? TRUE : FALSE,
                                      kLiveProperty));
  install(kLineWidth, g_param_spec_float("line-width", "Line width",
                                         "Width of the skeleton's lines, in pixels of the frame; 0 draws none", 0, 200,
                                         look.style.line_width, kLiveProperty));
  install(kPointRadius, g_param_spec_float("point-radius", "Point radius",
                                           "Radius of the skeleton's points, in pixels of the frame; 0 draws none", 0,
                                           200, look.style.point_radius, kLiveProperty));
  install(kLineColor,
          g_param_spec_uint("line-color", "Line color", "Colour of the lines, ARGB (big-endian, not premultiplied)", 0,
                            G_MAXUINT32, pack_argb(look.style.line_color), kLiveProperty));
  install(kPointColor,
          g_param_spec_uint("point-color", "Point color", "Colour of the points, ARGB (big-endian, not premultiplied)",
                            0, G_MAXUINT32, pack_argb(look.style.point_color), kLiveProperty));
  install(kPoseInterval,
          g_param_spec_uint("inference-interval", "Inference interval",
                            "Persons are looked for in every frame (1), every other one (2), and so on; frames between "
                            "show who was found before",
                            1, G_MAXUINT, defaults.inference_interval, kPlayingProperty));
  install_results_property(object_class, kPoseResults);
}

bool set_pose_property(PoseSettings& settings, guint id, const GValue* value) {
  PoseLook& look = settings.look;
  switch (id) {
    case kDetector: {
      const char* text = g_value_get_string(value);
      settings.detector = text != nullptr ? text : "";
      break;
    }
    case kPoseAttachMask:
      settings.attach_mask = g_value_get_boolean(value) != FALSE;
      break;
    case kMostPersons:
      look.max_persons = g_value_get_int(value);
      break;
    case kPersonThreshold: {
      const float score = g_value_get_float(value);
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
    case kPoseResults:
      settings.results = static_cast<ResultsMode>(g_value_get_enum(value));
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
      g_value_set_string(value, settings.detector.empty() ? nullptr : settings.detector.c_str());
      break;
    case kPoseAttachMask:
      g_value_set_boolean(value, settings.attach_mask ? TRUE : FALSE);
      break;
    case kMostPersons:
      g_value_set_int(value, look.max_persons);
      break;
    case kPersonThreshold:
      g_value_set_float(value, look.person_score.value_or(kUnsetScore));
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
    case kPoseResults:
      g_value_set_enum(value, static_cast<gint>(settings.results));
      break;
    default:
      return false;
  }
  return true;
}

}  // namespace sightglass
