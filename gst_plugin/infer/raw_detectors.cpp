#include "infer/raw_detectors.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "element/probabilities.h"

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

}  // namespace sightglass
