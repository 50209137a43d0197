#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "element/model_picture.h"
#include "gobject/log.h"
#include "infer/decoder.h"
#include "infer/labels.h"
#include "infer/landmarks.h"

#define GST_CAT_DEFAULT sightglass::infer_log()

namespace sightglass {

namespace {

constexpr int32_t kFaceLandmarks = 468, kFaceAndIrisLandmarks = 478, kHandLandmarks = 21;
constexpr float kMostStretch = 1.5F;  // of an image relative to the model input
constexpr int32_t kEyeLandmarks = 71, kIrisLandmarks = 5;

// Rows, columns and values per pixel of an output that is an image.
struct PictureShape {
  int32_t height = 0, width = 0, channels = 0;
};
std::optional<PictureShape> picture_shape(const Shape& shape) {
  if (shape.rank() < 3 || shape.rank() > 4 || shape.dim(0) != 1 || shape.dim(1) < 2 || shape.dim(2) < 2) return {};
  const int32_t channels = shape.rank() == 4 ? shape.dim(3) : 1;
  if (channels != 1 && channels != 3 && channels != 4) return {};
  return PictureShape{shape.dim(1), shape.dim(2), channels};
}

// Whether an output has a row of numbers for each image.
bool is_row(const InferModel& model, size_t output) {
  const Shape& shape = model.model->outputs()[output].shape;
  if (shape.rank() == 0 || (model.images > 1 && shape.dim(0) != model.images)) return false;
  const int64_t numbers = model.numbers_of(output);
  return numbers > 1 && shape.dim(shape.rank() - 1) == numbers;
}
// " for each of 4 images": for messages.
std::string of_images(const InferModel& model) {
  return model.images == 1 ? std::string() : " for each of " + std::to_string(model.images) + " images";
}

void set_labels(InferModel& result, size_t output) {
  const ModelMetadata& metadata = result.model->metadata();
  if (result.labels.empty() && output < metadata.outputs.size()) result.labels = metadata.outputs[output].labels();
  if (result.labels.empty()) result.labels = metadata.exporter.class_names;
}

// The outputs of a model that chooses its boxes with other operators, such as CenterNet of TensorFlow: 1 x N x 4, 1 x N
// twice, and one number. Of the two, scores are the one that the operators prove to be in [0,1], or the second one.
std::optional<std::array<size_t, 4>> find_processed(const Model& model) {
  const auto& outputs = model.outputs();
  std::optional<size_t> boxes, count;
  std::vector<size_t> rows;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Shape& shape = outputs[i].shape;
    if (shape.rank() == 3 && shape.dim(0) == 1 && shape.dim(2) == kBoxValues) boxes = i;
    if (shape.rank() == 2 && shape.dim(0) == 1 && shape.dim(1) > 1) rows.push_back(i);
    if (shape.elements() == 1) count = i;
  }
  if (outputs.size() != 4 || !boxes || !count || rows.size() != 2) return std::nullopt;
  for (const size_t row : rows) {
    if (outputs[row].shape.dim(1) != outputs[*boxes].shape.dim(1)) return std::nullopt;
  }
  if (holds_probabilities(model, rows[0]) && !holds_probabilities(model, rows[1])) std::swap(rows[0], rows[1]);
  return std::array<size_t, 4>{*boxes, rows[0], rows[1], *count};
}

std::optional<Decline> describe_processed(InferModel& result, const InferModelOptions& /*options*/) {
  auto outputs = result.model->detection_outputs();
  if (!outputs) outputs = find_processed(*result.model);
  if (!outputs) {
    return Decline{"the model neither ends in TFLite_Detection_PostProcess, nor has outputs of 1xNx4, 1xN, 1xN, and 1"};
  }
  result.processed = *outputs;
  set_labels(result, (*outputs)[1]);
  return std::nullopt;
}

std::optional<Decline> describe_anchors(InferModel& result, const InferModelOptions& options) {
  std::optional<KnownDetector> known;
  if (options.anchors.empty()) {
    known = find_raw_detector(*result.model);
  } else {
    Result<KnownDetector> described = find_raw_detector(*result.model, options.anchors);
    if (!described.ok()) return Decline{described.status().message(), true};
    known = std::move(described).value();
  }
  if (!known) {
    const auto& outputs = result.model->outputs();
    const bool is_near = outputs.size() == 2 && outputs[0].shape.rank() == 3 && outputs[1].shape.rank() == 3 &&
                         outputs[0].shape.dim(1) == outputs[1].shape.dim(1);
    return Decline{"its boxes are not those of known anchors; set anchors", is_near};
  }
  result.raw_detector = std::move(known->detector);
  result.letterbox = known->letterbox;
  set_labels(result, result.raw_detector->scores);
  if (result.labels.empty()) result.labels = std::move(known->labels);
  return std::nullopt;
}

template <FaceKind kKind>
std::optional<Decline> describe_faces(InferModel& result, const InferModelOptions& /*options*/) {
  result.faces = find_faces(*result.model, kKind);
  if (!result.faces)
    return Decline{kKind == FaceKind::kDbFace ? "no outputs per cell of a face, with a stride of 4"
                                              : "no outputs per anchor of a face, with strides of 8, 16, and 32"};
  result.letterbox = true;
  if (result.labels.empty()) result.labels = {"face"};
  return std::nullopt;
}

std::optional<Decline> accept_yolo(InferModel& result, YoloSearch search) {
  if (!search.found) return Decline{std::move(search.reason), search.is_near};
  result.letterbox = true;
  if (result.labels.empty()) result.labels = search.found->names;
  result.yolo = std::move(search.found);
  return std::nullopt;
}

// The number of labels that the application gives decides where shapes do not.
template <YoloHead kHead, DecoderKind kKind>
std::optional<Decline> describe_yolo(InferModel& result, const InferModelOptions& options) {
  return accept_yolo(result, find_yolo(*result.model, kHead, options.decoder == kKind, result.labels.size()));
}

// Only if asked for, or if the exporter has noted it: one class more has the same shape.
std::optional<Decline> describe_rotated(InferModel& result, const InferModelOptions& options) {
  YoloSearch search;
  for (const YoloHead head : {YoloHead::kRankedRotated, YoloHead::kRotated}) {
    search = find_yolo(*result.model, head, options.decoder == DecoderKind::kYoloRotated, result.labels.size());
    if (search.found) break;
  }
  return accept_yolo(result, std::move(search));
}

// Only if asked for: such outputs may be images or masks.
std::optional<Decline> describe_fomo(InferModel& result, const InferModelOptions& options) {
  std::optional<YoloModel> grid = find_grid(*result.model, !holds_probabilities(*result.model, 0));
  if (!grid) return Decline{"there is no single output of 1 x rows x columns x scores, with the background first"};
  if (options.decoder != DecoderKind::kFomo) return Decline{"it is not set", true};
  set_labels(result, 0);
  result.yolo = std::move(grid);
  return std::nullopt;
}

std::optional<Decline> describe_centers(InferModel& result, const InferModelOptions& /*options*/) {
  std::optional<YoloModel> grid = find_centers(*result.model);
  if (!grid)
    return Decline{"there are not three outputs of 1 x rows x columns, of classes, 2, and 2, with cells of 4 pixels"};
  grid->layout.logits = !holds_probabilities(*result.model, grid->output);
  result.letterbox = true;
  set_labels(result, grid->output);
  result.yolo = std::move(grid);
  return std::nullopt;
}

std::optional<Decline> describe_cell_anchors(InferModel& result, const InferModelOptions& options) {
  Result<YoloModel> grid = find_cell_anchors(*result.model, options.anchors);
  if (!grid.ok()) {
    // Masks have smaller cells, and probabilities are those of another grid.
    constexpr int32_t kLeastStride = 8;
    const bool is_near = grid.status().code() == ErrorCode::kInvalidArgument &&
                         result.model->outputs()[0].shape.dim(1) * kLeastStride <= result.height &&
                         !holds_probabilities(*result.model, 0);
    return Decline{grid.status().message(), is_near};
  }
  result.letterbox = true;
  set_labels(result, 0);
  result.yolo = std::move(grid).value();
  return std::nullopt;
}

// The outputs with three values per point. Returns nothing if no output has this number of points.
std::optional<size_t> find_points(const InferModel& model, int32_t points) {
  for (size_t i = 0; i < model.model->outputs().size(); ++i) {
    if (is_row(model, i) && model.numbers_of(i) == int64_t{3} * points) return i;
  }
  return std::nullopt;
}

// A hand model has two scalar outputs: presence, then handedness.
void describe_scores(InferModel& result) {
  InferModel::PointsLayout& points = result.points;
  const auto& outputs = result.model->outputs();
  const auto is_logit = [&](size_t output) { return !holds_probabilities(*result.model, output); };
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].shape.elements() != result.images) continue;
    if (!points.presence) {
      points.presence = i;
      points.presence_is_logit = is_logit(i);
    } else if (points.subject == InferModel::Subject::kHand && !points.handedness) {
      points.handedness = i;
      points.handedness_is_logit = is_logit(i);
    }
  }
}

bool describe_eye(InferModel& result) {
  const auto eye = find_points(result, kEyeLandmarks), iris = find_points(result, kIrisLandmarks);
  if (!eye || !iris) return false;
  result.output = *eye;
  result.points.further = iris;
  result.points.count_of_output = kEyeLandmarks;
  result.points.count = kEyeLandmarks + kIrisLandmarks;
  result.points.subject = InferModel::Subject::kEye;
  return true;
}

std::optional<Decline> describe_landmarks(InferModel& result, const InferModelOptions& options) {
  const bool asked_for = options.task == InferTask::kLandmarks || options.decoder == DecoderKind::kLandmarks;
  using enum InferModel::Subject;
  if (describe_eye(result)) return std::nullopt;
  bool is_near = false;
  const auto& outputs = result.model->outputs();
  for (size_t i = 0; i < outputs.size(); ++i) {
    const int64_t numbers = result.numbers_of(i);
    if (!is_row(result, i) || numbers % 3 != 0 || numbers / 3 > kMaxLandmarks) continue;
    is_near = true;
    const auto count = static_cast<int32_t>(numbers / 3);
    const bool face = count == kFaceLandmarks || count == kFaceAndIrisLandmarks;
    // Outputs of other sizes may mean anything.
    if (!face && !asked_for && !(count == kHandLandmarks && outputs.size() > 1)) continue;
    result.output = i;
    result.points.count = result.points.count_of_output = count;
    result.points.subject = face ? kFace : count == kHandLandmarks ? kHand : kUnknown;
    describe_scores(result);
    return std::nullopt;
  }
  return Decline{"no output has 3 values for each of 468, 478 or 21 landmarks" + of_images(result), is_near};
}

// The range of the values that samples in [0,1] become.
ValueRange range_of(const InputSpec& input) {
  ValueRange range{0, 0};
  for (size_t channel = 0; channel < input.scale.size(); ++channel) {
    const double dark = input.offset[channel], bright = dark + input.scale[channel];
    if (channel == 0) range = {dark, dark};
    range = {std::min({range.low, dark, bright}), std::max({range.high, dark, bright})};
  }
  return range;
}

// Determines how image values become colors: by the quantization of the output, by the range that the operators prove,
// or like the input.
void describe_colors(InferModel& result, const InferModelOptions& options) {
  const TensorInfo& output = result.model->outputs()[result.output];
  const InputSpec& input = result.plan_options.inputs[0];
  const ValueRange range = result.model->output_range(result.output, range_of(input));
  // 16-bit values are symmetric, whatever they are of.
  const bool is_proved = output.type != DataType::kInt16 || is_probability(range);
  const bool is_8_bit = output.type == DataType::kInt8 || output.type == DataType::kUInt8;
  if (!output.quantization.empty() && is_8_bit) {
    const auto zero =
        static_cast<float>(output.quantization.zero_point.empty() ? 0 : output.quantization.zero_point[0]);
    const float lowest = output.type == DataType::kInt8 ? -128 : 0;
    result.output_scale = 1 / (255 * output.quantization.scale[0]);
    result.output_offset = (zero - lowest) / 255;
  } else if (const std::optional<ToProbability> samples = from_samples(range); samples && is_proved) {
    result.output_scale = samples->scale;
    result.output_offset = samples->offset;
  } else if (input.scale[0] != 0) {
    result.output_scale = 1 / input.scale[0];
    result.output_offset = -input.offset[0] / input.scale[0];
  }
  if (options.output_scale) result.output_scale = *options.output_scale;
  if (options.output_offset) result.output_offset = *options.output_offset;
}

std::optional<Decline> describe_picture(InferModel& result, const InferModelOptions& options) {
  const auto& outputs = result.model->outputs();
  const auto found =
      std::ranges::find_if(outputs, [](const TensorInfo& t) { return picture_shape(t.shape).has_value(); });
  if (found == outputs.end()) return Decline{"no output is an image of 1, 3 or 4 values per pixel"};
  const PictureShape shape = *picture_shape(found->shape);
  // Four values per pixel are more often classes than colors. An output without the proportions of the input is a list.
  const float stretch = static_cast<float>(shape.width) * static_cast<float>(result.height) /
                        (static_cast<float>(shape.height) * static_cast<float>(result.width));
  const bool is_list = stretch < 1 / kMostStretch || stretch > kMostStretch;
  const bool asked_for = options.task == InferTask::kPicture || options.decoder == DecoderKind::kPicture;
  if ((shape.channels == 4 || is_list) && !asked_for) {
    return Decline{found->shape.to_string() + (is_list ? " has not the proportions of the input" : " may be classes"),
                   !is_list};
  }
  result.picture_width = shape.width;
  result.picture_height = shape.height;
  result.output = static_cast<size_t>(found - outputs.begin());
  describe_colors(result, options);
  return std::nullopt;
}

std::optional<Decline> describe_classifier(InferModel& result, const InferModelOptions& /*options*/) {
  const size_t outputs = result.model->outputs().size();
  if (outputs != 1 || !is_row(result, 0)) {
    bool is_near = false;
    for (size_t i = 0; i < outputs; ++i) is_near = is_near || is_row(result, i);
    return Decline{"there is no single output with a score per class" + of_images(result), is_near};
  }
  result.output = 0;
  if (!holds_probabilities(*result.model, 0)) result.activation = OutputActivation::kSoftmax;
  set_labels(result, 0);
  return std::nullopt;
}

// Only if asked for: such outputs are usually scores.
std::optional<Decline> describe_vector(InferModel& result, const InferModelOptions& options) {
  if (options.task != InferTask::kVector && options.decoder != DecoderKind::kVector) return Decline{"it is not set"};
  if (result.model->outputs().size() != 1 || !is_row(result, 0)) {
    return Decline{"there is no single output of one row" + of_images(result)};
  }
  result.output = 0;
  return std::nullopt;
}

std::optional<Decline> describe_tensors(InferModel& /*result*/, const InferModelOptions& /*options*/) {
  return std::nullopt;
}

Result<std::unique_ptr<Decoder>> make_no_decoder(const std::shared_ptr<ShareGroup>& /*group*/,
                                                 const InferModel& /*model*/) {
  GST_DEBUG_OBJECT(log_object(), "decoder: none, outputs stay tensors");
  return std::unique_ptr<Decoder>();
}

using enum DecoderKind;

// In the order in which they are tried; the last one fits every model.
constexpr DecoderRow kRows[] = {
    {kPostprocess, "postprocess", InferTask::kDetection,
     "Boxes that the model has chosen, as TFLite_Detection_PostProcess: 1xNx4, 1xN, 1xN, 1", "infer/postprocess.comp",
     describe_processed, make_detection_decoder},
    {kAnchors, "anchors", InferTask::kDetection,
     "Boxes by anchors: BlazeFace, palms, UltraFace, SSD, EfficientDet: 1xNxV and 1xNxC",
     "detect/best_class.comp, detect/suppress.comp", describe_anchors, make_detection_decoder},
    {kScrfd, "scrfd", InferTask::kDetection, "Faces of SCRFD: per stride Nx1, Nx4, and Nx10 for points",
     "detect/gather_faces.comp, detect/suppress.comp", describe_faces<FaceKind::kScrfd>, make_detection_decoder},
    {kYuNet, "yunet", InferTask::kDetection, "Faces of YuNet: per stride two of Nx1, Nx4, and Nx10",
     "detect/gather_faces.comp, detect/suppress.comp", describe_faces<FaceKind::kYuNet>, make_detection_decoder},
    {kRetinaFace, "retinaface", InferTask::kDetection, "Faces of RetinaFace: Nx2, Nx4, and Nx10",
     "detect/gather_faces.comp, detect/suppress.comp", describe_faces<FaceKind::kRetinaFace>, make_detection_decoder},
    {kDbFace, "dbface", InferTask::kDetection, "Faces of DBFace: 1xHxWx1, 1xHxWx4, and 1xHxWx10 for points",
     "detect/gather_faces.comp, detect/suppress.comp", describe_faces<FaceKind::kDbFace>, make_detection_decoder},
    {kYoloObjectness, "yolo-objectness", InferTask::kDetection,
     "Boxes of YOLO v3, v4, v5, v7, with objectness: 1xNx(5+C)", "detect/yolo_boxes.comp, detect/suppress.comp",
     describe_yolo<YoloHead::kObjectness, kYoloObjectness>, make_detection_decoder},
    {kYolo, "yolo", InferTask::kDetection, "Boxes of YOLO v6, v8 and later: 1x(4+C)xN or 1xNx(4+C)",
     "detect/yolo_boxes.comp, detect/suppress.comp", describe_yolo<YoloHead::kPlain, kYolo>, make_detection_decoder},
    {kYoloRanked, "yolo-ranked", InferTask::kDetection, "Boxes of YOLO v10, 26 that the model has chosen: 1x300x6",
     "detect/yolo_boxes.comp, detect/suppress.comp", describe_yolo<YoloHead::kRanked, kYoloRanked>,
     make_detection_decoder},
    {kYolox, "yolox", InferTask::kDetection,
     "Boxes of YOLOX relative to their cells, as exported without decoding: 1xNx(5+C)",
     "detect/yolo_boxes.comp, detect/suppress.comp", describe_yolo<YoloHead::kCells, kYolox>, make_detection_decoder},
    {kNanoDet, "nanodet", InferTask::kDetection,
     "Boxes of NanoDet, with distributions of 8 values per side: 1xNx(C+32)",
     "detect/distribution_boxes.comp, detect/suppress.comp", describe_yolo<YoloHead::kDistributions, kNanoDet>,
     make_detection_decoder},
    {kFomo, "fomo", InferTask::kDetection, "Object centers in a grid (FOMO): 1xHxWx(1+C), background first",
     "detect/grid_boxes.comp, detect/suppress.comp", describe_fomo, make_detection_decoder},
    {kCenterNet, "centernet", InferTask::kDetection,
     "Boxes of CenterNet: 1xHxWxC, 1xHxWx2 for sizes, 1xHxWx2 for offsets",
     "detect/grid_boxes.comp, detect/suppress.comp", describe_centers, make_detection_decoder},
    {kYoloV2, "yolov2", InferTask::kDetection, "Boxes of YOLO v2, by described anchors: 1xHxWx(A*(5+C))",
     "detect/anchor_boxes.comp, detect/suppress.comp", describe_cell_anchors, make_detection_decoder},
    {kLandmarks, "landmarks", InferTask::kLandmarks, "Points of a face, hand or eye: 3 values each",
     "infer/place_landmarks.comp", describe_landmarks, make_landmark_decoder},
    {kPicture, "picture", InferTask::kPicture, "Image or depth: height x width x 1, 3 or 4",
     "infer/range.comp, infer/to_picture.comp", describe_picture, make_picture_decoder},
    {kClasses, "classes", InferTask::kClassification, "Score per class of the whole image: a single output of 1xC",
     "infer/top_classes.comp", describe_classifier, make_class_decoder},
    {kVector, "vector", InferTask::kVector, "Vector of each object, with regions=upstream: a single output of 1xC",
     "infer/store_object.comp", describe_vector, make_no_decoder},
    {kYoloRotated, "yolo-obb", InferTask::kDetection,
     "Rotated boxes of YOLO, angle last: 1x(5+C)xN, 1xNx(5+C), or 1x300x7",
     "detect/yolo_boxes.comp, detect/suppress.comp", describe_rotated, make_detection_decoder},
    {kTensors, "tensors", InferTask::kTensors, "No decoding; frames stay unchanged", "", describe_tensors,
     make_no_decoder},
};

// Fails, with the reasons of all decoders that were tried.
Status no_decoder(const InferModel& result, const std::string& setting, const std::vector<std::string>& reasons) {
  std::string text = result.model->name() + ", " + setting + ": the outputs are " + list(result.model->outputs());
  for (const std::string& reason : reasons) text += "; " + reason;
  return unsupported(text);
}

}  // namespace

std::span<const DecoderRow> decoder_rows() { return kRows; }

const DecoderRow& row_of(DecoderKind kind) { return *std::ranges::find(kRows, kind, &DecoderRow::kind); }

Status apply_notes(const ModelNotes& notes, const Model& model, InferModelOptions& options) {
  SIGHTGLASS_RETURN_IF_ERROR(apply_notes(notes, model, options.normalization));
  const bool is_auto = options.task == InferTask::kAuto && options.decoder == kAuto;
  for (const auto& [key, value] : notes.own) {
    const std::string what = notes.file + ", group [sightglass], " + key + "=" + value;
    if (key == "labels" && options.labels_file.empty()) {
      const size_t folder = notes.file.rfind('/') + 1;  // 0 without one
      options.labels_file = value.starts_with("/") ? value : notes.file.substr(0, folder) + value;
    } else if (key == "anchors" && options.anchors.empty()) {
      options.anchors = value;
    } else if (key == "task") {
      const std::optional<InferTask> task = task_called(value);
      if (!task) {
        return invalid_argument(what +
                                ": expected auto, tensors, classification, detection, landmarks, picture, or vector");
      }
      if (is_auto) options.task = *task;
    } else if (key == "decoder") {
      const auto* const row = std::ranges::find(kRows, value, &DecoderRow::name);
      if (row == std::end(kRows)) {
        std::string names;
        for (const DecoderRow& one : kRows) names += (names.empty() ? "" : ", ") + std::string(one.name);
        return invalid_argument(what + ": expected one of " + names);
      }
      if (is_auto) options.decoder = row->kind;
    }
  }
  return {};
}

Status choose_decoder(InferModel& result, const InferModelOptions& given) {
  InferModelOptions options = given;
  if (!options.anchors.empty() && options.decoder == kAuto) {  // they decide
    options.decoder = describes_cell_anchors(options.anchors) ? kYoloV2 : kAnchors;
  }
  std::vector<std::string> reasons, near;
  const bool is_auto = options.task == InferTask::kAuto && options.decoder == kAuto;
  const std::string task = std::string("task=") + to_string(options.task);
  for (const DecoderRow& row : kRows) {
    if (options.decoder != kAuto && options.decoder != row.kind) continue;
    if (options.task != InferTask::kAuto && options.task != row.task) {
      if (options.decoder == kAuto) continue;
      return invalid_argument(task + ": decoder=" + row.name + " is for task=" + to_string(row.task) +
                              "; set one of them to auto");
    }
    result.task = row.task;
    result.decoder = row.kind;
    const std::optional<Decline> decline = row.describe(result, options);
    if (!decline) {
      if (row.kind == kTensors && is_auto) result.nearest = std::move(near);
      return {};
    }
    GST_DEBUG_OBJECT(log_object(), "%s: declining decoder %s: %s", result.model->name().c_str(), row.name,
                     decline->reason.c_str());
    const std::string reason = std::string(row.name) + " (" + row.meaning + ") does not fit: " + decline->reason;
    reasons.push_back(reason);
    if (decline->is_near) near.push_back(reason);
  }
  return no_decoder(result, options.decoder != kAuto ? std::string("decoder=") + row_of(options.decoder).name : task,
                    reasons);
}

Result<std::unique_ptr<Decoder>> make_decoder(const std::shared_ptr<ShareGroup>& group, const InferModel& model) {
  return row_of(model.decoder).make(group, model);
}

}  // namespace sightglass
