#include "infer/infer_model.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "element/model_picture.h"
#include "infer/decoder.h"
#include "infer/labels.h"
#include "infer/landmarks.h"
#include "known_models.h"

namespace sightglass {

namespace {

AnchorGrid blaze_grid(int32_t size, std::vector<int32_t> strides, float interpolated_ratio = 1) {
  AnchorGrid grid{size, size, std::move(strides)};
  grid.interpolated_aspect_ratio = interpolated_ratio;
  return grid;
}

AnchorGrid ssd_grid(int32_t width, int32_t height) {
  AnchorGrid grid{width, height, {16, 32, 64, 128, 256, 512}, {1, 2, 0.5f, 3, 1.0f / 3}};
  grid.least_scale = 0.2f;
  grid.greatest_scale = 0.95f;
  grid.unit_sizes = false;
  grid.three_in_lowest_layer = true;
  return grid;
}

// EfficientDet, and SSD with a feature pyramid (RetinaNet).
AnchorGrid pyramid_grid(int32_t width, int32_t height, float scale, int32_t octaves, bool by_ratio) {
  AnchorGrid grid{width, height, {8, 16, 32, 64, 128}, {1, 2, 0.5F}};
  grid.unit_sizes = false;
  grid.anchor_scale = scale;
  grid.octaves = octaves;
  grid.by_ratio = by_ratio;
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
  float least_input = 0;      // the input value of black; white is 1
  bool is_efficient = false;  // EfficientDet: no background, and sizes without factors
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
// The defaults of TensorFlow for detectors of several classes. Those of EfficientDet-lite up to this size have smaller
// anchors.
constexpr int32_t kSmallEfficientDet = 448;
std::vector<Grid> ssd_grids(const Shape& input) {
  const int32_t width = input.dim(2), height = input.dim(1);
  const float scale = std::max(width, height) <= kSmallEfficientDet ? 3 : 4;
  return {{ssd_grid(width, height), -1},
          {pyramid_grid(width, height, scale, 3, false), -1, true},
          {pyramid_grid(width, height, 4, 2, true), -1}};
}

SsdLayout layout_of(const Grid& of, const Kind& kind, int32_t classes) {
  const AnchorGrid& grid = of.anchors;
  SsdLayout layout;
  layout.anchors = make_anchors(grid);
  layout.values = kind.values;
  layout.classes = classes;
  if (kind.label != nullptr) {
    layout.points = (kind.values - 4) / 2;
    layout.x_scale = layout.width_scale = static_cast<float>(grid.input_width);
    layout.y_scale = layout.height_scale = static_cast<float>(grid.input_height);
  } else if (of.is_efficient) {
    layout.exponential_sizes = layout.y_first = true;
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

// UltraFace ("Ultra-Light-Fast-Generic-Face-Detector"): anchors of several sizes per cell, in pixels, clamped to the
// input. The cells of coarse layers exceed an input whose size is no multiple of their stride.
struct FaceLayer {
  int32_t stride;
  std::array<float, 3> sizes;  // 0: none
};
constexpr FaceLayer kFaceLayers[] = {{8, {10, 16, 24}}, {16, {32, 48}}, {32, {64, 96}}, {64, {128, 192, 256}}};

std::vector<Anchor> ultraface_anchors(const Shape& input) {
  const auto width = static_cast<float>(input.dim(2)), height = static_cast<float>(input.dim(1));
  const auto within = [](float v) { return std::clamp(v, 0.0F, 1.0F); };
  std::vector<Anchor> anchors;
  for (const auto& [stride, sizes] : kFaceLayers) {
    const auto pixels = static_cast<float>(stride);
    for (int32_t y = 0; y < (input.dim(1) + stride - 1) / stride; ++y) {
      for (int32_t x = 0; x < (input.dim(2) + stride - 1) / stride; ++x) {
        const float middle_x = (static_cast<float>(x) + 0.5F) * pixels / width;
        const float middle_y = (static_cast<float>(y) + 0.5F) * pixels / height;
        for (const float size : sizes) {
          if (size == 0) continue;
          anchors.push_back({within(middle_x), within(middle_y), within(size / width), within(size / height)});
        }
      }
    }
  }
  return anchors;
}

// Two scores, of the background and of a face, for each of these anchors.
std::optional<KnownDetector> describe_ultraface(const Model& model, size_t boxes, size_t scores) {
  const Shape &box = model.outputs()[boxes].shape, &score = model.outputs()[scores].shape;
  if (box.dim(2) != kBoxValues || score.dim(2) != 2) return std::nullopt;
  KnownDetector known;
  SsdLayout& layout = known.detector.layout;
  layout.anchors = ultraface_anchors(model.inputs()[0].shape);
  if (std::cmp_not_equal(layout.anchors.size(), box.dim(1))) return std::nullopt;
  layout.classes = 2;
  layout.background = 1;
  layout.logits = !holds_probabilities(model, scores);
  layout.x_scale = layout.y_scale = 10;
  layout.width_scale = layout.height_scale = 5;
  layout.exponential_sizes = true;
  known.detector.boxes = boxes;
  known.detector.scores = scores;
  known.detector.weighted = known.letterbox = false;
  known.labels = {"background", "face"};
  constexpr float kBlack = -127.0F / 128, kRange = 255.0F / 128;  // (sample - 127) / 128
  known.input_scale = kRange;
  known.input_offset = kBlack;
  return known;
}

// Whether the shape is 1 x boxes x values.
bool is_list(const Shape& shape) { return shape.rank() == 3 && shape.dim(0) == 1; }

std::optional<KnownDetector> describe(const Model& model, size_t boxes, size_t scores) {
  const Shape &box = model.outputs()[boxes].shape, &score = model.outputs()[scores].shape;
  if (!is_list(box) || !is_list(score) || box.dim(1) != score.dim(1)) return std::nullopt;
  if (std::optional<KnownDetector> face = describe_ultraface(model, boxes, scores)) return face;
  const auto* const kind = std::ranges::find(kKinds, box.dim(2), &Kind::values);
  if (kind == std::end(kKinds)) return std::nullopt;
  const bool is_one_class = kind->label != nullptr;
  if (is_one_class && score.dim(2) != 1) return std::nullopt;
  const std::vector<Grid> grids = is_one_class ? blaze_grids() : ssd_grids(model.inputs()[0].shape);
  const Grid* grid = find_grid(grids, model.inputs()[0].shape, box.dim(1));
  if (grid == nullptr) return std::nullopt;
  KnownDetector known;
  known.detector.layout = layout_of(*grid, *kind, score.dim(2));
  known.detector.layout.logits = !holds_probabilities(model, scores);
  known.detector.boxes = boxes;
  known.detector.scores = scores;
  known.detector.weighted = known.letterbox = is_one_class;
  if (is_one_class) known.labels = {kind->label};
  known.input_scale = 1 - grid->least_input;
  known.input_offset = grid->least_input;
  return known;
}

// By the anchors in the file, whose boxes have y before x.
std::optional<KnownDetector> describe_noted(const Model& model) {
  const DetectorNotes& notes = model.metadata().detector;
  const auto has_rows = [&](size_t output, int32_t values) {
    const Shape& shape = model.outputs()[output].shape;
    return is_list(shape) && std::cmp_equal(shape.dim(1), notes.anchors.size()) && shape.dim(2) == values;
  };
  KnownDetector known;
  if (!has_rows(0, notes.values) || !has_rows(1, notes.classes)) {
    if (!has_rows(1, notes.values) || !has_rows(0, notes.classes)) return std::nullopt;
    known.detector.boxes = 1;
  }
  known.detector.scores = 1 - known.detector.boxes;
  SsdLayout& layout = known.detector.layout;
  for (const auto& [x, y, width, height] : notes.anchors) layout.anchors.push_back({x, y, width, height});
  layout.values = notes.values;
  layout.classes = notes.classes;
  layout.points = notes.points;
  layout.first_point = notes.first_point;
  layout.point_values = std::max(notes.point_values, 2);
  layout.logits = notes.sigmoid_scores;
  layout.x_scale = notes.x_scale;
  layout.y_scale = notes.y_scale;
  layout.width_scale = notes.width_scale;
  layout.height_scale = notes.height_scale;
  layout.exponential_sizes = notes.exponential_sizes;
  layout.y_first = true;
  known.detector.weighted = known.letterbox = false;
  return known;
}

}  // namespace

std::optional<KnownDetector> find_raw_detector(const Model& model) {
  if (model.outputs().size() != 2) return std::nullopt;
  if (!model.metadata().detector.anchors.empty()) {
    if (std::optional<KnownDetector> noted = describe_noted(model)) return noted;
  }
  std::optional<KnownDetector> known = describe(model, 0, 1);
  return known ? known : describe(model, 1, 0);
}

Result<KnownDetector> find_raw_detector(const Model& model, const std::string& anchors) {
  const Shape& input = model.inputs()[0].shape;
  SIGHTGLASS_ASSIGN_OR_RETURN(const AnchorChoice choice, parse_anchors(anchors, input.dim(2), input.dim(1)));
  KnownDetector known;
  SsdLayout& layout = known.detector.layout;
  layout.anchors = make_anchors(choice.grid);
  const auto& outputs = model.outputs();
  const auto is_rows = [&](size_t i) {
    return is_list(outputs[i].shape) && std::cmp_equal(outputs[i].shape.dim(1), layout.anchors.size());
  };
  if (outputs.size() != 2 || !is_rows(0) || !is_rows(1)) {
    return invalid_argument("anchors=" + anchors + ": these are " + std::to_string(layout.anchors.size()) +
                            " anchors, but the outputs of " + model.name() + " are " + list(outputs) +
                            "; expected 1 x anchors x values and 1 x anchors x scores");
  }
  // Boxes have at least four values; of two such outputs, sizes are those that nothing limits to [0,1].
  const auto is_box = [&](size_t i) { return outputs[i].shape.dim(2) >= kBoxValues && !holds_probabilities(model, i); };
  known.detector.boxes =
      outputs[0].shape.dim(2) == kBoxValues || (is_box(0) && outputs[1].shape.dim(2) != kBoxValues) ? 0 : 1;
  known.detector.scores = 1 - known.detector.boxes;
  layout.values = outputs[known.detector.boxes].shape.dim(2);
  layout.classes = outputs[known.detector.scores].shape.dim(2);
  if (layout.values < kBoxValues || choice.background >= layout.classes) {
    return invalid_argument("anchors=" + anchors + ": boxes have " + std::to_string(layout.values) + " values, and " +
                            std::to_string(layout.classes) + " scores with a background of " +
                            std::to_string(choice.background));
  }
  const auto* const kind = std::ranges::find(kKinds, layout.values, &Kind::values);
  if (kind != std::end(kKinds) && kind->label != nullptr) {
    layout.points = (layout.values - kBoxValues) / 2;
    known.labels = {kind->label};
  }
  layout.background = choice.background;
  layout.logits = !holds_probabilities(model, known.detector.scores);
  const bool in_pixels = choice.grid.unit_sizes;
  layout.x_scale = in_pixels ? static_cast<float>(input.dim(2)) : choice.factors[0];
  layout.y_scale = in_pixels ? static_cast<float>(input.dim(1)) : choice.factors[0];
  layout.width_scale = in_pixels ? layout.x_scale : choice.factors[1];
  layout.height_scale = in_pixels ? layout.y_scale : choice.factors[1];
  layout.exponential_sizes = !in_pixels;
  layout.y_first = !in_pixels && choice.y_first;
  known.detector.weighted = known.letterbox = in_pixels;
  return known;
}

namespace {

struct FaceFamily {
  FaceKind kind;
  int32_t scores;     // outputs with scores per layer
  bool is_one_layer;  // each output has the rows of all layers
  std::array<int32_t, kMostFaceLayers> strides;
  std::array<std::array<float, 4>, kMostFaceLayers> sizes{};
  std::array<float, 4> scale, offset{};  // from samples in [0,1] to input values
};
constexpr std::array<int32_t, kMostFaceLayers> kFaceStrides{8, 16, 32, 0};
constexpr std::array<float, 4> kBytes{255, 255, 255, 255};
constexpr float kTwoRanges = 255.0F / 128, kMinusOne = -127.5F / 128;
constexpr FaceFamily kFaceFamilies[] = {
    {FaceKind::kScrfd,
     1,
     false,
     kFaceStrides,
     {},
     {kTwoRanges, kTwoRanges, kTwoRanges, kTwoRanges},
     {kMinusOne, kMinusOne, kMinusOne}},
    {FaceKind::kYuNet, 2, false, kFaceStrides, {}, kBytes, {}},
    {FaceKind::kRetinaFace, 1, true, kFaceStrides, {{{16, 32}, {64, 128}, {256, 512}, {}}}, kBytes, {-104, -117, -123}},
    // (sample - mean) / deviation
    {FaceKind::kDbFace,
     1,
     true,
     {4, 0, 0, 0},
     {},
     {1 / 0.289F, 1 / 0.274F, 1 / 0.278F, 1},
     {-0.408F / 0.289F, -0.447F / 0.274F, -0.47F / 0.278F}},
};
constexpr int32_t kFacePoints = 5;

const FaceFamily& family_of(FaceKind kind) { return *std::ranges::find(kFaceFamilies, kind, &FaceFamily::kind); }

// The outputs with `values` values for each of so many anchors, as rows, or as an image with `anchors` rows per pixel.
std::vector<size_t> outputs_with(const Model& model, int64_t rows, int32_t anchors, int32_t values) {
  std::vector<size_t> found;
  for (size_t i = 0; i < model.outputs().size(); ++i) {
    const Shape& shape = model.outputs()[i].shape;
    const int32_t last = shape.rank() > 1 ? shape.dim(shape.rank() - 1) : 0;
    const bool is_image = shape.rank() == 4 && last == anchors * values;
    if (shape.elements() == rows * values && (last == values || is_image)) found.push_back(i);
  }
  return found;
}

// Fills the outputs of the layers with `rows` rows. Returns how many outputs they are, 0 if some are missing.
size_t find_layer(const Model& model, const FaceFamily& family, const FaceLayout& layout, int64_t rows,
                  FaceModel::Outputs& into) {
  const auto scores = outputs_with(model, rows, layout.anchors, layout.score_values());
  const auto boxes = outputs_with(model, rows, layout.anchors, 4);
  const auto points = outputs_with(model, rows, layout.anchors, 2 * kFacePoints);
  if (std::cmp_not_equal(scores.size(), family.scores) || boxes.size() != 1) return 0;
  if (points.size() != (layout.points > 0 ? 1 : 0)) return 0;
  into = {scores[0], scores.back(), boxes[0], points.empty() ? boxes[0] : points[0]};
  return scores.size() + boxes.size() + points.size();
}

}  // namespace

std::optional<FaceModel> find_faces(const Model& model, FaceKind kind) {
  if (model.inputs().empty() || model.inputs()[0].shape.rank() != 4) return std::nullopt;
  const FaceFamily& family = family_of(kind);
  for (const int32_t anchors : {2, 1}) {
    for (const int32_t points : {kFacePoints, 0}) {
      const bool has_one = kind == FaceKind::kYuNet || kind == FaceKind::kDbFace;
      if (has_one != (anchors == 1) && kind != FaceKind::kScrfd) continue;
      if (kind == FaceKind::kDbFace && points == 0) continue;
      FaceModel faces;
      FaceLayout& layout = faces.layout;
      layout = {kind, model.inputs()[0].shape.dim(2), model.inputs()[0].shape.dim(1), anchors, points};
      layout.strides = family.strides;
      layout.anchor_sizes = family.sizes;
      if (layout.boxes() > SsdDecoder::kMostBoxes) continue;
      size_t used = 0;
      bool fits = true;
      for (size_t i = 0; i < layout.strides.size() && layout.strides[i] > 0; ++i) {
        const int64_t rows = family.is_one_layer ? layout.boxes() : layout.boxes_of(layout.strides[i]);
        const size_t more = find_layer(model, family, layout, rows, faces.outputs[i]);
        fits = fits && more > 0;
        used = family.is_one_layer ? more : used + more;
      }
      // Other outputs would be those of another model.
      if (!fits || used != model.outputs().size()) continue;
      for (size_t i = 0; i < layout.strides.size() && layout.strides[i] > 0; ++i) {
        layout.logits = layout.logits || !holds_probabilities(model, faces.outputs[i].score);
      }
      return faces;
    }
  }
  return std::nullopt;
}

namespace {

// Number of classes of the model; 0 if unknown.
size_t classes_of(const InferModel& model) {
  if (model.task == InferTask::kClassification) {
    return static_cast<size_t>(model.numbers_of(model.output));
  }
  if (model.yolo) return static_cast<size_t>(model.yolo->layout.classes);
  if (model.faces) return 1;
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
  const size_t classes = result.classes;
  const char* names = names_of(result.task, classes, known);
  if (names == nullptr) return;
  std::vector<std::string> labels = split_labels(names);
  if (result.yolo && classes != labels.size()) return;  // no class is a background
  result.labels = std::move(labels);
  if (classes == result.labels.size() + 1) result.labels.insert(result.labels.begin(), "background");
}

// The input of a detector that is recognized only by its shapes.
std::optional<KnownModel> guess_detector(const Model& model, const InferModelOptions& options) {
  if (model.inputs().empty() || model.inputs()[0].shape.rank() != 4) return std::nullopt;
  KnownModel guess{.sha256 = nullptr, .title = "", .task = Task::kDetection};
  for (const FaceFamily& family : kFaceFamilies) {
    if (!find_faces(model, family.kind)) continue;
    guess.scale = family.scale;
    guess.offset = family.offset;
    return guess;
  }
  const std::optional<KnownDetector> detector =
      options.anchors.empty() ? find_raw_detector(model) : std::optional<KnownDetector>();
  if (!detector) return std::nullopt;
  guess.scale.fill(detector->input_scale);
  guess.offset.fill(detector->input_offset);
  return guess;
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
    case InferTask::kVector:
      return "vector";
  }
  return "auto";
}

std::optional<InferTask> task_called(std::string_view name) {
  for (int task = 0; task <= static_cast<int>(InferTask::kVector); ++task) {
    if (name == to_string(static_cast<InferTask>(task))) return static_cast<InferTask>(task);
  }
  return std::nullopt;
}

Result<InferModel> describe_infer_model(std::shared_ptr<const Model> model, const std::optional<KnownModel>& known,
                                        const InferModelOptions& options) {
  SIGHTGLASS_RETURN_IF_ERROR(check_no_previous_mask(*model, known));
  InferModel result;
  const std::optional<KnownModel> fed_as = known ? known : guess_detector(*model, options);
  SIGHTGLASS_ASSIGN_OR_RETURN(const InputSpec input,
                              picture_input_at(0, *model, fed_as, options.normalization, options.on_objects));
  const Shape& shape = model->inputs()[0].shape;
  result.on_objects = options.on_objects;
  result.images = shape.dim(0);
  if (result.images > kMaxObjectRuns) {
    return unsupported("regions=upstream: " + model->name() + " takes " + std::to_string(result.images) +
                       " images in one run, at most " + std::to_string(kMaxObjectRuns) + " are supported");
  }
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
  SIGHTGLASS_RETURN_IF_ERROR(choose_decoder(result, options));
  result.classes = classes_of(result);
  if (options.labels_file.empty()) {
    add_usual_labels(result, known);
    return result;
  }
  FittedLabels fitted = fit_labels(file, result.classes);
  result.labels = std::move(fitted.labels);
  if (!fitted.warning.empty()) result.labels_warning = "labels=" + options.labels_file + ": " + fitted.warning;
  return result;
}

}  // namespace sightglass
