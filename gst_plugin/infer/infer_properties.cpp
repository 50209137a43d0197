#include "infer/infer_properties.h"

#include "element/run_properties.h"
#include "results/results_properties.h"

namespace sightglass {

namespace {

using S = InferSettings;

constexpr double kMostScale = 65536;  // same as for input-scale
constexpr double kScaleDefault = 1, kOffsetDefault = 0;

template <typename T>
auto look(T InferLook::*member) {
  return within(&S::look, member);
}

}  // namespace

const PropertyTable<InferSettings>& infer_properties() {
  static const auto* const table = new PropertyTable<S>(
      kFirstOwnProperty,
      {
          row::choice("task", "Task", &S::task, "GstGLInferTask",
                      {{InferTask::kAuto, "Task determined from the model outputs", "auto"},
                       {InferTask::kTensors, "No decoding; frames stay unchanged", "tensors"},
                       {InferTask::kClassification, "One score per class", "classification"},
                       {InferTask::kDetection, "Boxes, with points if the model has any", "detection"},
                       {InferTask::kLandmarks, "Points of a face or hand", "landmarks"},
                       {InferTask::kPicture, "Image or depth instead of the frame", "picture"}},
                      kAtStart, "How to decode the model outputs"),
          row::text("labels", "Labels", &S::labels, kAtStart,
                    "Path of a text file with one label per line, starting with class 0 (NULL = labels from the "
                    "model)"),
          row::text("extra-inputs", "Extra inputs", &S::extra_inputs, kAtStart,
                    "Path of a file with the concatenated raw little-endian values of all other model inputs (NULL = "
                    "zeros)"),
          row::text("detector", "Detector", &S::detector, kAtStart,
                    "Path or name of the detector that finds the region for a landmark model (NULL = from the bundle, "
                    "otherwise whole frame)"),
          row::optional_number(
              "output-scale", "Output scale", &S::output_scale, kScaleDefault, -kMostScale, kMostScale, kAtStart,
              "Scale factor from model output values to colors in [0,1], applied before output-offset (unset = "
              "from the model)"),
          row::optional_number("output-offset", "Output offset", &S::output_offset, kOffsetDefault, -kMostScale,
                               kMostScale, kAtStart,
                               "Offset added to scaled model output values (unset = from the model)"),
          row::flag("attach-tensors", "Attach tensors", &S::attach_tensors, kAtStart,
                    "Whether to attach the model outputs to each buffer as SightglassTensorMeta in GL buffers"),
          row::choice("output-size", "Output size", &S::output_size, "GstGLInferOutputSize",
                      {{OutputSize::kFrame, "Size of the frame", "frame"},
                       {OutputSize::kModel, "Size of the model output", "model"}},
                      kAtStart, "Size of output frames if the model outputs an image"),
          row::number("threshold", "Threshold", look(&InferLook::threshold), 0, 1, kLive, "Minimum score of a result"),
          row::number("iou-threshold", "Overlap threshold", look(&InferLook::iou_threshold), 0, 1, kLive,
                      "Intersection over union above which boxes are merged (ignored with "
                      "TFLite_Detection_PostProcess)"),
          row::optional_number(
              "max-results", "Maximum results", &S::max_results, S::kUsualResults, 1, kMaxDetections, kLive,
              "Maximum number of boxes or classes; with a detector, of faces or hands (up to 8, 1 unless set)"),
          row::flag("draw", "Draw", look(&InferLook::draw), kLive,
                    "Whether to draw results over the frame, or show the image from the model instead of it"),
          row::number("line-width", "Line width", look(&InferLook::line_width), 0, 200, kLive,
                      "Width of lines in frame pixels (0 = by the frame height)"),
          row::number("text-height", "Text height", look(&InferLook::text_height), 0, 1000, kLive,
                      "Height of a text line in frame pixels (0 = by the frame height)"),
          row::choice(
              "color-map", "Color map", look(&InferLook::color_map), "GstGLInferColorMap",
              {{ColorMap::kGray, "Black to white", "gray"}, {ColorMap::kTurbo, "Blue over green to red", "turbo"}},
              kLive, "Colors for models with one value per pixel, such as depth"),
          row::flag("invert", "Invert", look(&InferLook::invert), kLive, "Whether to reverse the color map"),
          row::number("range-smoothing", "Range smoothing", look(&InferLook::range_smoothing), 0, 0.99F, kLive,
                      "Weight of the previous value range of the color map, to reduce flicker (0 = disabled)"),
          row::choice("fit", "Fit", &S::fit, "GstGLInferFit",
                      {{std::nullopt, "Letterbox for faces, palms and people, otherwise stretch", "auto"},
                       {Fit::kStretch, "Scale each axis separately", "stretch"},
                       {Fit::kLetterbox, "Show the whole frame with bars", "letterbox"},
                       {Fit::kCover, "Crop the frame to the model aspect ratio", "cover"}},
                      kLive, "How to fit a frame of another aspect ratio into the model input"),
      },
      run_properties(&S::run), failure_properties(&S::run), results_properties(&S::results));
  return *table;
}

}  // namespace sightglass
