#include "infer/infer_model.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "element/model_picture.h"
#include "gobject/log.h"
#include "infer/labels.h"
#include "infer/landmarks.h"
#include "known_models.h"

#define GST_CAT_DEFAULT sightglass::infer_log()

namespace sightglass {

namespace {

AnchorGrid blaze_grid(int32_t size, std::vector<int32_t> strides, float interpolated_ratio = 1) {
  AnchorGrid grid{size, size, std::move(strides)};
  grid.interpolated_aspect_ratio = interpolated_ratio;
  return grid;
}

AnchorGrid ssd_grid(int32_t size) {
  AnchorGrid grid{size, size, {16, 32, 64, 128, 256, 512}, {1, 2, 0.5f, 3, 1.0f / 3}};
  grid.least_scale = 0.2f;
  grid.greatest_scale = 0.95f;
  grid.unit_sizes = false;
  grid.three_in_lowest_layer = true;
  return grid;
}

// Kinds of boxes by the number of values per box; null: several classes, no points.
struct Kind {
  int32_t values;
  const char* label;
};
constexpr Kind kKinds[] = {{16, "face"}, {18, "palm"}, {12, "person"}, {4, nullptr}};

struct Grid {
  AnchorGrid anchors;
  float least_input = 0;  // the input value of black; white is 1
};

// The grids of the MediaPipe graphs for detectors of one class. Those of equal input size differ in the box count.
const std::vector<Grid>& blaze_grids() {
  static const std::vector<Grid> all{
      {blaze_grid(128, {8, 16, 16, 16}), -1},  {blaze_grid(192, {4}, 0), -1},
      {blaze_grid(192, {8, 16, 16, 16}), 0},   {blaze_grid(224, {8, 16, 32, 32, 32}), -1},
      {blaze_grid(256, {16, 32, 32, 32}), -1}, {blaze_grid(256, {8, 16, 32, 32, 32}), -1},
  };
  return all;
}
const std::vector<Grid>& ssd_grids() {
  static const std::vector<Grid> all{{ssd_grid(300), -1}, {ssd_grid(320), -1}};
  return all;
}

SsdLayout layout_of(const AnchorGrid& grid, const Kind& kind, int32_t classes) {
  SsdLayout layout;
  layout.anchors = make_anchors(grid);
  layout.values = kind.values;
  layout.classes = classes;
  if (kind.label != nullptr) {
    layout.points = (kind.values - 4) / 2;
    layout.x_scale = layout.width_scale = static_cast<float>(grid.input_width);
    layout.y_scale = layout.height_scale = static_cast<float>(grid.input_height);
  } else {
    layout.background = classes > 1 ? 1 : 0;
    layout.x_scale = layout.y_scale = 10;
    layout.width_scale = layout.height_scale = 5;
    layout.exponential_sizes = layout.y_first = true;
  }
  return layout;
}

const Grid* find_grid(const std::vector<Grid>& grids, const Shape& input, int32_t boxes) {
  const auto found = std::ranges::find_if(grids, [&](const Grid& grid) {
    const AnchorGrid& anchors = grid.anchors;
    return anchors.input_height == input.dim(1) && anchors.input_width == input.dim(2) &&
           std::cmp_equal(make_anchors(anchors).size(), boxes);
  });
  return found == grids.end() ? nullptr : &*found;
}

// Whether the shape is 1 x boxes x values.
bool is_list(const Shape& shape) { return shape.rank() == 3 && shape.dim(0) == 1; }

std::optional<KnownDetector> describe(const Model& model, size_t boxes, size_t scores) {
  const Shape &box = model.outputs()[boxes].shape, &score = model.outputs()[scores].shape;
  if (!is_list(box) || !is_list(score) || box.dim(1) != score.dim(1)) return std::nullopt;
  const auto* const kind = std::ranges::find(kKinds, box.dim(2), &Kind::values);
  if (kind == std::end(kKinds)) return std::nullopt;
  const bool is_one_class = kind->label != nullptr;
  if (is_one_class && score.dim(2) != 1) return std::nullopt;
  const Grid* grid = find_grid(is_one_class ? blaze_grids() : ssd_grids(), model.inputs()[0].shape, box.dim(1));
  if (grid == nullptr) return std::nullopt;
  KnownDetector known;
  known.detector.layout = layout_of(grid->anchors, *kind, score.dim(2));
  known.detector.layout.logits = !holds_probabilities(model, scores);
  known.detector.boxes = boxes;
  known.detector.scores = scores;
  known.detector.weighted = known.letterbox = is_one_class;
  if (is_one_class) known.labels = {kind->label};
  known.input_scale = 1 - grid->least_input;
  known.input_offset = grid->least_input;
  return known;
}

}  // namespace

std::optional<KnownDetector> find_raw_detector(const Model& model) {
  if (model.outputs().size() != 2) return std::nullopt;
  std::optional<KnownDetector> known = describe(model, 0, 1);
  return known ? known : describe(model, 1, 0);
}

namespace {

// Tasks in the order in which they are tried; the last one fits every model.
constexpr InferTask kByModel[] = {InferTask::kDetection, InferTask::kLandmarks, InferTask::kPicture,
                                  InferTask::kClassification, InferTask::kTensors};

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

bool is_row(const Shape& shape) {
  return shape.rank() > 0 && shape.elements() > 1 && shape.dim(shape.rank() - 1) == shape.elements();
}

void set_labels(InferModel& result, size_t output) {
  const auto& described = result.model->metadata().outputs;
  if (result.labels.empty() && output < described.size()) result.labels = described[output].labels();
}

// Number of classes of the model; 0 if unknown.
size_t classes_of(const InferModel& model) {
  if (model.task == InferTask::kClassification) {
    return static_cast<size_t>(model.model->outputs()[model.output].shape.elements());
  }
  return model.raw_detector ? static_cast<size_t>(model.raw_detector->layout.classes) : 0;
}

// The class names of the training data set of a model without labels: from the catalog, or by the number of classes,
// with or without a background; null if no data set matches.
const char* names_of(InferTask task, size_t classes, const std::optional<KnownModel>& known) {
  if (known && known->labels[0] != '\0') return known->labels;
  const auto has = [&](size_t names) { return classes == names || classes == names + 1; };
  if (task == InferTask::kClassification) return has(1000) ? kImageNetLabels : nullptr;
  if (task != InferTask::kDetection) return nullptr;
  return has(90) ? kCoco90Labels : has(80) ? kCocoLabels : nullptr;
}

void add_usual_labels(InferModel& result, const std::optional<KnownModel>& known) {
  if (!result.labels.empty()) return;
  const size_t classes = classes_of(result);
  const char* names = names_of(result.task, classes, known);
  if (names == nullptr) return;
  result.labels = split_labels(names);
  if (classes == result.labels.size() + 1) result.labels.insert(result.labels.begin(), "background");
}

bool describe_detector(InferModel& result) {
  if (const auto outputs = result.model->detection_outputs()) {
    result.processed = *outputs;
    set_labels(result, (*outputs)[1]);
    return true;
  }
  std::optional<KnownDetector> known = find_raw_detector(*result.model);
  if (!known) return false;
  result.raw_detector = std::move(known->detector);
  result.letterbox = known->letterbox;
  set_labels(result, result.raw_detector->scores);
  if (result.labels.empty()) result.labels = std::move(known->labels);
  return true;
}

// The outputs with three values per point. Returns nothing if no output has this number of points.
std::optional<size_t> find_points(const Model& model, int32_t points) {
  const auto& outputs = model.outputs();
  const auto found = std::ranges::find_if(
      outputs, [=](const TensorInfo& t) { return is_row(t.shape) && t.shape.elements() == int64_t{3} * points; });
  return found == outputs.end() ? std::nullopt : std::optional(static_cast<size_t>(found - outputs.begin()));
}

// A hand model has two scalar outputs: presence, then handedness.
void describe_scores(InferModel& result) {
  InferModel::PointsLayout& points = result.points;
  const auto& outputs = result.model->outputs();
  const auto is_logit = [&](size_t output) { return !holds_probabilities(*result.model, output); };
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].shape.elements() != 1) continue;
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
  const auto eye = find_points(*result.model, kEyeLandmarks), iris = find_points(*result.model, kIrisLandmarks);
  if (!eye || !iris) return false;
  result.output = *eye;
  result.points.further = iris;
  result.points.count_of_output = kEyeLandmarks;
  result.points.count = kEyeLandmarks + kIrisLandmarks;
  result.points.subject = InferModel::Subject::kEye;
  return true;
}

// The input of a detector that is recognized only by its shapes.
std::optional<KnownModel> guess_detector(const Model& model) {
  if (model.inputs().empty() || model.inputs()[0].shape.rank() != 4) return std::nullopt;
  const std::optional<KnownDetector> detector = find_raw_detector(model);
  if (!detector) return std::nullopt;
  KnownModel guess{.sha256 = nullptr, .title = "", .task = Task::kDetection};
  guess.scale.fill(detector->input_scale);
  guess.offset.fill(detector->input_offset);
  return guess;
}

bool describe_landmarks(InferModel& result, bool asked_for) {
  using enum InferModel::Subject;
  if (describe_eye(result)) return true;
  const auto& outputs = result.model->outputs();
  for (size_t i = 0; i < outputs.size(); ++i) {
    const int64_t numbers = outputs[i].shape.elements();
    if (!is_row(outputs[i].shape) || numbers % 3 != 0 || numbers / 3 > kMaxLandmarks) continue;
    const auto count = static_cast<int32_t>(numbers / 3);
    const bool face = count == kFaceLandmarks || count == kFaceAndIrisLandmarks;
    // Outputs of other sizes may mean anything.
    if (!face && !asked_for && !(count == kHandLandmarks && outputs.size() > 1)) continue;
    result.output = i;
    result.points.count = result.points.count_of_output = count;
    result.points.subject = face ? kFace : count == kHandLandmarks ? kHand : kUnknown;
    describe_scores(result);
    return true;
  }
  return false;
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

bool describe_picture(InferModel& result, const InferModelOptions& options) {
  const auto& outputs = result.model->outputs();
  const auto found =
      std::ranges::find_if(outputs, [](const TensorInfo& t) { return picture_shape(t.shape).has_value(); });
  if (found == outputs.end()) return false;
  const PictureShape shape = *picture_shape(found->shape);
  // Four values per pixel are more often classes than colors. An output without the proportions of the input is a list.
  const float stretch = static_cast<float>(shape.width) * static_cast<float>(result.height) /
                        (static_cast<float>(shape.height) * static_cast<float>(result.width));
  const bool is_list = stretch < 1 / kMostStretch || stretch > kMostStretch;
  if ((shape.channels == 4 || is_list) && options.task != InferTask::kPicture) return false;
  result.picture_width = shape.width;
  result.picture_height = shape.height;
  result.output = static_cast<size_t>(found - outputs.begin());
  describe_colors(result, options);
  return true;
}

bool describe_classifier(InferModel& result) {
  const auto& outputs = result.model->outputs();
  if (outputs.size() != 1 || !is_row(outputs[0].shape)) return false;
  result.output = 0;
  if (!holds_probabilities(*result.model, 0)) result.activation = OutputActivation::kSoftmax;
  set_labels(result, 0);
  return true;
}

bool describe_task(InferModel& result, InferTask task, const InferModelOptions& options) {
  switch (task) {
    case InferTask::kDetection:
      return describe_detector(result);
    case InferTask::kLandmarks:
      return describe_landmarks(result, options.task == task);
    case InferTask::kPicture:
      return describe_picture(result, options);
    case InferTask::kClassification:
      return describe_classifier(result);
    default:
      return true;
  }
}

const char* needed_for(InferTask task) {
  switch (task) {
    case InferTask::kDetection:
      return "expected the outputs of TFLite_Detection_PostProcess, or of a detector known by its shapes (BlazeFace, "
             "BlazePose, palm, SSD of 300 or 320 pixels)";
    case InferTask::kLandmarks:
      return "expected an output with 3 values for each of at most 478 landmarks";
    case InferTask::kPicture:
      return "expected an output of shape 1 x height x width x 1, 3 or 4";
    default:
      return "expected a single output of shape 1 x classes";
  }
}

}  // namespace

const char* to_string(InferTask task) {
  switch (task) {
    case InferTask::kAuto:
      return "auto";
    case InferTask::kTensors:
      return "tensors";
    case InferTask::kClassification:
      return "classification";
    case InferTask::kDetection:
      return "detection";
    case InferTask::kLandmarks:
      return "landmarks";
    case InferTask::kPicture:
      return "picture";
  }
  return "auto";
}

Result<InferModel> describe_infer_model(std::shared_ptr<const Model> model, const std::optional<KnownModel>& known,
                                        const InferModelOptions& options) {
  SIGHTGLASS_RETURN_IF_ERROR(check_no_previous_mask(*model, known));
  InferModel result;
  const std::optional<KnownModel> fed_as = known ? known : guess_detector(*model);
  SIGHTGLASS_ASSIGN_OR_RETURN(const InputSpec input, first_picture_input(*model, fed_as, options.normalization));
  const Shape& shape = model->inputs()[0].shape;
  result.height = shape.dim(1);
  result.width = shape.dim(2);
  result.plan_options.inputs.resize(model->inputs().size());
  result.plan_options.inputs[0] = input;
  result.plan_options.outputs.resize(model->outputs().size());
  for (OutputSpec& output : result.plan_options.outputs) output.target = OutputSpec::Target::kBuffer;
  result.model = std::move(model);
  LabelFile file;
  if (!options.labels_file.empty()) {
    SIGHTGLASS_ASSIGN_OR_RETURN(file, load_labels(options.labels_file));
    result.labels = file.lines;  // instead of those of the model
  }
  const auto complete_labels = [&] {
    if (options.labels_file.empty()) return add_usual_labels(result, known);
    FittedLabels fitted = fit_labels(file, classes_of(result));
    result.labels = std::move(fitted.labels);
    if (!fitted.warning.empty()) result.labels_warning = "labels=" + options.labels_file + ": " + fitted.warning;
  };
  if (options.task != InferTask::kAuto) {
    result.task = options.task;
    if (describe_task(result, options.task, options)) {
      complete_labels();
      return result;
    }
    return unsupported(result.model->name() + ", task=" + to_string(options.task) + ": " + needed_for(options.task) +
                       ", but the outputs are " + list(result.model->outputs()));
  }
  for (const InferTask task : kByModel) {
    result.task = task;
    if (describe_task(result, task, options)) break;
    GST_DEBUG_OBJECT(log_object(), "%s: declining %s: %s", result.model->name().c_str(), to_string(task),
                     needed_for(task));
  }
  complete_labels();
  return result;
}

}  // namespace sightglass
