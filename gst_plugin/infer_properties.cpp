#include "infer_properties.h"

namespace sightglass {

namespace {

GType task_type() {
  static const GEnumValue values[] = {
      {static_cast<gint>(InferTask::kAuto), "What the model's outputs look like", "auto"},
      {static_cast<gint>(InferTask::kTensors), "Nothing is decoded: the frame goes on as it came", "tensors"},
      {static_cast<gint>(InferTask::kClassification), "One number a class", "classification"},
      {static_cast<gint>(InferTask::kDetection), "Boxes, with points where the model gives some", "detection"},
      {static_cast<gint>(InferTask::kLandmarks), "Points of the face or hand that fills the frame", "landmarks"},
      {static_cast<gint>(InferTask::kPicture), "Another picture, or depth, in the frame's place", "picture"},
      {0, nullptr, nullptr}};
  static const GType type = register_property_enum("GstGlInferTask", values);
  return type;
}

GType color_map_type() {
  static const GEnumValue values[] = {{static_cast<gint>(ColorMap::kGray), "Black to white", "gray"},
                                      {static_cast<gint>(ColorMap::kTurbo), "Blue over green to red", "turbo"},
                                      {0, nullptr, nullptr}};
  static const GType type = register_property_enum("GstGlInferColorMap", values);
  return type;
}

GType output_size_type() {
  static const GEnumValue values[] = {
      {static_cast<gint>(OutputSize::kFrame), "The frame's, to which the model's picture is scaled", "frame"},
      {static_cast<gint>(OutputSize::kModel), "That of the model's picture, pixel by pixel", "model"},
      {0, nullptr, nullptr}};
  static const GType type = register_property_enum("GstGlInferOutputSize", values);
  return type;
}

// The numbers of `fit`: by the model, then those of Fit.
constexpr gint kFitAuto = 0;
gint fit_number(const std::optional<Fit>& fit) { return fit ? static_cast<gint>(*fit) + 1 : kFitAuto; }

GType fit_type() {
  static const GEnumValue values[] = {
      {kFitAuto, "letterbox for detectors of faces, palms and persons, stretch for others", "auto"},
      {static_cast<gint>(Fit::kStretch) + 1, "Each axis on its own", "stretch"},
      {static_cast<gint>(Fit::kLetterbox) + 1, "The whole frame, with bars beside it", "letterbox"},
      {static_cast<gint>(Fit::kCover) + 1, "The frame's middle, cut to the model's proportions", "cover"},
      {0, nullptr, nullptr}};
  static const GType type = register_property_enum("GstGlInferFit", values);
  return type;
}

const char* string_or_empty(const GValue* value) {
  const char* text = g_value_get_string(value);
  return text != nullptr ? text : "";
}

constexpr double kScaleDefault = 1, kOffsetDefault = 0;

void install_start_properties(GObjectClass* object_class) {
  const InferSettings defaults;
  const auto install = [&](guint id, GParamSpec* spec) { g_object_class_install_property(object_class, id, spec); };
  install(kInferTask, g_param_spec_enum("task", "Task", "What the model's outputs are decoded as", task_type(),
                                        static_cast<gint>(defaults.task), kReadyProperty));
  install(kInferLabels, g_param_spec_string("labels", "Labels",
                                            "File with the names of the model's classes, one a line, from class 0 on; "
                                            "unset: those that the model carries",
                                            nullptr, kReadyProperty));
  install(kInferExtraInputs,
          g_param_spec_string("extra-inputs", "Extra inputs",
                              "File with the content of the model's inputs besides the picture, one after the other, "
                              "dense, little-endian, of each input's type: the style of a style transfer, for example; "
                              "unset: zeros",
                              nullptr, kReadyProperty));
  install(kInferDetector,
          g_param_spec_string("detector", "Detector",
                              "Model that finds what a model of landmarks looks at (file, or name of one that "
                              "`sightglass models list` shows): blazeface-short for faces; unset: the whole frame",
                              nullptr, kReadyProperty));
  install(kInferOutputScale,
          g_param_spec_double("output-scale", "Output scale",
                              "Of models that make a picture: colours in [0,1] are output-scale * number + "
                              "output-offset; unset: numbers are what the input's are",
                              -1e6, 1e6, kScaleDefault, kReadyProperty));
  install(kInferOutputOffset, g_param_spec_double("output-offset", "Output offset", "See output-scale", -1e6, 1e6,
                                                  kOffsetDefault, kReadyProperty));
  install(
      kInferAttachTensors,
      g_param_spec_boolean("attach-tensors", "Attach tensors",
                           "Attaches the model's outputs to every buffer, as SightglassTensorMeta: 32-bit floats in "
                           "GL buffers, which stay on the GPU until they are mapped",
                           defaults.attach_tensors ? TRUE : FALSE, kReadyProperty));
  install(kInferOutputSize,
          g_param_spec_enum("output-size", "Output size",
                            "Of models that make a picture: the size that pictures leave at. With model they show what "
                            "the model sees, and pixels have the aspect ratio that the frame is shown right with",
                            output_size_type(), static_cast<gint>(defaults.output_size), kReadyProperty));
}

}  // namespace

void install_infer_properties(GObjectClass* object_class) {
  const InferSettings defaults;
  const InferLook& look = defaults.look;
  const auto install = [&](guint id, GParamSpec* spec) { g_object_class_install_property(object_class, id, spec); };
  install_start_properties(object_class);
  install(kInferThreshold,
          g_param_spec_float("threshold", "Threshold", "Least score of what counts as found, from 0 to 1", 0, 1,
                             look.threshold, kLiveProperty));
  install(kInferIouThreshold,
          g_param_spec_float("iou-threshold", "Overlap threshold",
                             "Boxes that overlap by more than this share of their union are one; of models with "
                             "TFLite_Detection_PostProcess the model says that itself",
                             0, 1, look.iou_threshold, kLiveProperty));
  install(kInferMaxResults, g_param_spec_int("max-results", "Most results", "Boxes or classes, the best ones", 1,
                                             kMaxDetections, look.max_results, kLiveProperty));
  install(kInferDraw, g_param_spec_boolean("draw", "Draw",
                                           "Draws what was found over the frame, or the model's picture in its place",
                                           look.draw ? TRUE : FALSE, kLiveProperty));
  install(kInferLineWidth, g_param_spec_float("line-width", "Line width",
                                              "Width of contours, in pixels of the frame; 0: by the frame's height", 0,
                                              200, look.line_width, kLiveProperty));
  install(kInferTextHeight,
          g_param_spec_float("text-height", "Text height",
                             "Height of a line of text, in pixels of the frame; 0: by the frame's height", 0, 1000,
                             look.text_height, kLiveProperty));
  install(kInferColorMap,
          g_param_spec_enum("color-map", "Colour map", "Shows models of one number a pixel, such as depth",
                            color_map_type(), static_cast<gint>(look.color_map), kLiveProperty));
  install(kInferInvert, g_param_spec_boolean("invert", "Invert", "Turns the colour map round",
                                             look.invert ? TRUE : FALSE, kLiveProperty));
  install(
      kInferRangeSmoothing,
      g_param_spec_float("range-smoothing", "Range smoothing",
                         "The colour map reaches from the least number of the picture to the greatest; share of the "
                         "range before in each range, against flicker",
                         0, 0.99F, look.range_smoothing, kLiveProperty));
  install(kInferFit,
          g_param_spec_enum("fit", "Fit", "How a frame of another aspect ratio is laid into the model's input",
                            fit_type(), fit_number(defaults.fit), kPlayingProperty));
  install(kInferInterval,
          g_param_spec_uint("inference-interval", "Inference interval",
                            "The model runs on every frame (1), every other one (2), and so on; frames between show "
                            "what was found before",
                            1, G_MAXUINT, defaults.inference_interval, kPlayingProperty));
  install_results_property(object_class, kInferResults);
}

bool set_infer_property(InferSettings& settings, guint id, const GValue* value) {
  InferLook& look = settings.look;
  switch (id) {
    case kInferTask:
      settings.task = static_cast<InferTask>(g_value_get_enum(value));
      break;
    case kInferLabels:
      settings.labels = string_or_empty(value);
      break;
    case kInferExtraInputs:
      settings.extra_inputs = string_or_empty(value);
      break;
    case kInferDetector:
      settings.detector = string_or_empty(value);
      break;
    case kInferOutputScale:
      settings.output_scale = g_value_get_double(value);
      break;
    case kInferOutputOffset:
      settings.output_offset = g_value_get_double(value);
      break;
    case kInferAttachTensors:
      settings.attach_tensors = g_value_get_boolean(value) != FALSE;
      break;
    case kInferOutputSize:
      settings.output_size = static_cast<OutputSize>(g_value_get_enum(value));
      break;
    case kInferThreshold:
      look.threshold = g_value_get_float(value);
      break;
    case kInferIouThreshold:
      look.iou_threshold = g_value_get_float(value);
      break;
    case kInferMaxResults:
      look.max_results = g_value_get_int(value);
      break;
    case kInferDraw:
      look.draw = g_value_get_boolean(value) != FALSE;
      break;
    case kInferLineWidth:
      look.line_width = g_value_get_float(value);
      break;
    case kInferTextHeight:
      look.text_height = g_value_get_float(value);
      break;
    case kInferColorMap:
      look.color_map = static_cast<ColorMap>(g_value_get_enum(value));
      break;
    case kInferInvert:
      look.invert = g_value_get_boolean(value) != FALSE;
      break;
    case kInferRangeSmoothing:
      look.range_smoothing = g_value_get_float(value);
      break;
    case kInferFit: {
      const gint number = g_value_get_enum(value);
      settings.fit.reset();
      if (number != kFitAuto) settings.fit = static_cast<Fit>(number - 1);
      break;
    }
    case kInferInterval:
      settings.inference_interval = g_value_get_uint(value);
      break;
    case kInferResults:
      settings.results = static_cast<ResultsMode>(g_value_get_enum(value));
      break;
    default:
      return false;
  }
  return true;
}

bool get_infer_property(const InferSettings& settings, guint id, GValue* value) {
  const InferLook& look = settings.look;
  const auto set_text = [value](const std::string& text) {
    g_value_set_string(value, text.empty() ? nullptr : text.c_str());
  };
  switch (id) {
    case kInferTask:
      g_value_set_enum(value, static_cast<gint>(settings.task));
      break;
    case kInferLabels:
      set_text(settings.labels);
      break;
    case kInferExtraInputs:
      set_text(settings.extra_inputs);
      break;
    case kInferDetector:
      set_text(settings.detector);
      break;
    case kInferOutputScale:
      g_value_set_double(value, settings.output_scale.value_or(kScaleDefault));
      break;
    case kInferOutputOffset:
      g_value_set_double(value, settings.output_offset.value_or(kOffsetDefault));
      break;
    case kInferAttachTensors:
      g_value_set_boolean(value, settings.attach_tensors ? TRUE : FALSE);
      break;
    case kInferOutputSize:
      g_value_set_enum(value, static_cast<gint>(settings.output_size));
      break;
    case kInferThreshold:
      g_value_set_float(value, look.threshold);
      break;
    case kInferIouThreshold:
      g_value_set_float(value, look.iou_threshold);
      break;
    case kInferMaxResults:
      g_value_set_int(value, look.max_results);
      break;
    case kInferDraw:
      g_value_set_boolean(value, look.draw ? TRUE : FALSE);
      break;
    case kInferLineWidth:
      g_value_set_float(value, look.line_width);
      break;
    case kInferTextHeight:
      g_value_set_float(value, look.text_height);
      break;
    case kInferColorMap:
      g_value_set_enum(value, static_cast<gint>(look.color_map));
      break;
    case kInferInvert:
      g_value_set_boolean(value, look.invert ? TRUE : FALSE);
      break;
    case kInferRangeSmoothing:
      g_value_set_float(value, look.range_smoothing);
      break;
    case kInferFit:
      g_value_set_enum(value, fit_number(settings.fit));
      break;
    case kInferInterval:
      g_value_set_uint(value, settings.inference_interval);
      break;
    case kInferResults:
      g_value_set_enum(value, static_cast<gint>(settings.results));
      break;
    default:
      return false;
  }
  return true;
}

}  // namespace sightglass
