#include "infer/infer_properties.h"

#include "base/run_properties.h"
#include "gobject/property_rules.h"

namespace sightglass {

namespace {

GType task_type() {
  static const GEnumValue values[] = {
      {static_cast<gint>(InferTask::kAuto), "By the model outputs", "auto"},
      {static_cast<gint>(InferTask::kTensors), "None; the frame passes unchanged", "tensors"},
      {static_cast<gint>(InferTask::kClassification), "One score per class", "classification"},
      {static_cast<gint>(InferTask::kDetection), "Boxes, with points if the model has some", "detection"},
      {static_cast<gint>(InferTask::kLandmarks), "Points of a face or hand", "landmarks"},
      {static_cast<gint>(InferTask::kPicture), "Image or depth in place of the frame", "picture"},
      {0, nullptr, nullptr}};
  static const GType type = register_property_enum("GstGLInferTask", values);
  return type;
}

GType color_map_type() {
  static const GEnumValue values[] = {{static_cast<gint>(ColorMap::kGray), "Black to white", "gray"},
                                      {static_cast<gint>(ColorMap::kTurbo), "Blue over green to red", "turbo"},
                                      {0, nullptr, nullptr}};
  static const GType type = register_property_enum("GstGLInferColorMap", values);
  return type;
}

GType output_size_type() {
  static const GEnumValue values[] = {{static_cast<gint>(OutputSize::kFrame), "Size of the frame", "frame"},
                                      {static_cast<gint>(OutputSize::kModel), "Size of the model output", "model"},
                                      {0, nullptr, nullptr}};
  static const GType type = register_property_enum("GstGLInferOutputSize", values);
  return type;
}

// The numbers of `fit`: by the model, then those of Fit.
constexpr gint kFitAuto = 0;
gint fit_number(const std::optional<Fit>& fit) { return fit ? static_cast<gint>(*fit) + 1 : kFitAuto; }

GType fit_type() {
  static const GEnumValue values[] = {
      {kFitAuto, "Letterbox for faces, palms and people, else stretch", "auto"},
      {static_cast<gint>(Fit::kStretch) + 1, "Scale each axis on its own", "stretch"},
      {static_cast<gint>(Fit::kLetterbox) + 1, "Show the whole frame with bars", "letterbox"},
      {static_cast<gint>(Fit::kCover) + 1, "Crop the frame to the model aspect ratio", "cover"},
      {0, nullptr, nullptr}};
  static const GType type = register_property_enum("GstGLInferFit", values);
  return type;
}

constexpr double kMostScale = 65536;  // as of input-scale
constexpr double kScaleDefault = 1, kOffsetDefault = 0;

void install_start_properties(GObjectClass* object_class) {
  const InferSettings defaults;
  const auto install = [&](guint id, GParamSpec* spec) { g_object_class_install_property(object_class, id, spec); };
  install(kInferTask, g_param_spec_enum("task", "Task", "How to decode the model outputs", task_type(),
                                        static_cast<gint>(defaults.task), kReadyProperty));
  install(kInferLabels, g_param_spec_string("labels", "Labels",
                                            "Path of a file with one class name per line, from class 0 on (NULL = "
                                            "names from the model)",
                                            nullptr, kReadyProperty));
  install(kInferExtraInputs,
          g_param_spec_string("extra-inputs", "Extra inputs",
                              "Path of a file with raw little-endian values of the other model inputs, one after the "
                              "other (NULL = zeros)",
                              nullptr, kReadyProperty));
  install(kInferDetector, g_param_spec_string("detector", "Detector",
                                              "Path or name of the model that finds the region for a landmark model "
                                              "(NULL = whole frame)",
                                              nullptr, kReadyProperty));
  install(kInferOutputScale, g_param_spec_double("output-scale", "Output scale",
                                                 "Factor from image values of the model output to colors in [0,1]; "
                                                 "unless set, known from the model",
                                                 -kMostScale, kMostScale, kScaleDefault, kReadyProperty));
  install(kInferOutputOffset,
          g_param_spec_double("output-offset", "Output offset", "Offset added to scaled output values to make colors",
                              -kMostScale, kMostScale, kOffsetDefault, kReadyProperty));
  install(kInferAttachTensors,
          g_param_spec_boolean("attach-tensors", "Attach tensors",
                               "Whether to attach the model outputs to each buffer as SightglassTensorMeta, in GL "
                               "buffers",
                               defaults.attach_tensors ? TRUE : FALSE, kReadyProperty));
  install(kInferOutputSize,
          g_param_spec_enum("output-size", "Output size", "Size of output frames that show an image from the model",
                            output_size_type(), static_cast<gint>(defaults.output_size), kReadyProperty));
}

}  // namespace

void install_infer_properties(GObjectClass* object_class) {
  const InferSettings defaults;
  const InferLook& look = defaults.look;
  const auto install = [&](guint id, GParamSpec* spec) { g_object_class_install_property(object_class, id, spec); };
  install_start_properties(object_class);
  install(kInferThreshold, g_param_spec_float("threshold", "Threshold", "Minimum score of a result", 0, 1,
                                              look.threshold, kLiveProperty));
  install(kInferIouThreshold, g_param_spec_float("iou-threshold", "Overlap threshold",
                                                 "Intersection over union above which boxes are one; ignored with "
                                                 "TFLite_Detection_PostProcess",
                                                 0, 1, look.iou_threshold, kLiveProperty));
  install(kInferMaxResults, g_param_spec_int("max-results", "Maximum results", "Maximum number of boxes or classes", 1,
                                             kMaxDetections, look.max_results, kLiveProperty));
  install(kInferDraw, g_param_spec_boolean("draw", "Draw",
                                           "Whether to draw results over the frame, or the image from the model in its "
                                           "place",
                                           look.draw ? TRUE : FALSE, kLiveProperty));
  install(kInferLineWidth,
          g_param_spec_float("line-width", "Line width", "Width of lines in frame pixels (0 = by the frame height)", 0,
                             200, look.line_width, kLiveProperty));
  install(kInferTextHeight, g_param_spec_float("text-height", "Text height",
                                               "Height of a text line in frame pixels (0 = by the frame height)", 0,
                                               1000, look.text_height, kLiveProperty));
  install(kInferColorMap,
          g_param_spec_enum("color-map", "Color map", "Colors for models of one value per pixel, such as depth",
                            color_map_type(), static_cast<gint>(look.color_map), kLiveProperty));
  install(kInferInvert, g_param_spec_boolean("invert", "Invert", "Whether to reverse the color map",
                                             look.invert ? TRUE : FALSE, kLiveProperty));
  install(kInferRangeSmoothing,
          g_param_spec_float("range-smoothing", "Range smoothing",
                             "Weight of the previous value range of the color map, to reduce flicker (0 = disabled)", 0,
                             0.99F, look.range_smoothing, kLiveProperty));
  install(kInferFit, g_param_spec_enum("fit", "Fit", "How to fit a frame of another aspect ratio into the model input",
                                       fit_type(), fit_number(defaults.fit), kLiveProperty));
  install(kInferInterval,
          g_param_spec_uint("inference-interval", "Inference interval",
                            "Run the model on every Nth frame; frames in between show the previous result", 1,
                            kMostInferenceInterval, defaults.inference_interval, kLiveProperty));
  install_run_properties(object_class, kInferMaskSync, kInferGpuBudget, kInferOnFailure);
  install_results_properties(object_class, kInferResults, kInferResultsSync);
}

bool set_infer_property(InferSettings& settings, guint id, const GValue* value) {
  InferLook& look = settings.look;
  switch (id) {
    case kInferTask:
      settings.task = static_cast<InferTask>(g_value_get_enum(value));
      break;
    case kInferLabels:
      settings.labels = text_of(value);
      break;
    case kInferExtraInputs:
      settings.extra_inputs = text_of(value);
      break;
    case kInferDetector:
      settings.detector = text_of(value);
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
    case kInferMaskSync:
      settings.mask_sync = static_cast<MaskSync>(g_value_get_enum(value));
      break;
    case kInferGpuBudget:
      settings.gpu_budget_ns = g_value_get_uint64(value);
      break;
    case kInferOnFailure:
      settings.on_failure = static_cast<OnFailure>(g_value_get_enum(value));
      break;
    case kInferResults:
      settings.results.mode = static_cast<ResultsMode>(g_value_get_enum(value));
      break;
    case kInferResultsSync:
      settings.results.sync = static_cast<ResultsSync>(g_value_get_enum(value));
      break;
    default:
      return false;
  }
  return true;
}

bool get_infer_property(const InferSettings& settings, guint id, GValue* value) {
  const InferLook& look = settings.look;
  switch (id) {
    case kInferTask:
      g_value_set_enum(value, static_cast<gint>(settings.task));
      break;
    case kInferLabels:
      set_text(value, settings.labels);
      break;
    case kInferExtraInputs:
      set_text(value, settings.extra_inputs);
      break;
    case kInferDetector:
      set_text(value, settings.detector);
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
    case kInferMaskSync:
      g_value_set_enum(value, static_cast<gint>(settings.mask_sync));
      break;
    case kInferGpuBudget:
      g_value_set_uint64(value, settings.gpu_budget_ns);
      break;
    case kInferOnFailure:
      g_value_set_enum(value, static_cast<gint>(settings.on_failure));
      break;
    case kInferResults:
      g_value_set_enum(value, static_cast<gint>(settings.results.mode));
      break;
    case kInferResultsSync:
      g_value_set_enum(value, static_cast<gint>(settings.results.sync));
      break;
    default:
      return false;
  }
  return true;
}

}  // namespace sightglass
