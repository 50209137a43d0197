#include "infer/raw_detectors.h"

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

struct Entry {
  int32_t size;    // width and height of the input in pixels
  int32_t values;  // per box
  AnchorGrid grid;
  const char* label;  // of the only class; null: several classes
};

// Grids and values are those of the MediaPipe graphs for these models.
const std::vector<Entry>& entries() {
  static const std::vector<Entry> all{
      {128, 16, blaze_grid(128, {8, 16, 16, 16}), "face"},
      {192, 16, blaze_grid(192, {4}, 0), "face"},
      {192, 18, blaze_grid(192, {8, 16, 16, 16}), "palm"},
      {224, 12, blaze_grid(224, {8, 16, 32, 32, 32}), "person"},
      {128, 12, blaze_grid(128, {8, 16, 16, 16}), "person"},
      {320, 4, ssd_grid(320), nullptr},
      {300, 4, ssd_grid(300), nullptr},
  };
  return all;
}

SsdLayout layout_of(const Entry& entry, int32_t classes) {
  SsdLayout layout;
  layout.anchors = make_anchors(entry.grid);
  layout.values = entry.values;
  layout.classes = classes;
  if (entry.label != nullptr) {
    layout.points = (entry.values - 4) / 2;
    layout.x_scale = layout.y_scale = layout.width_scale = layout.height_scale = static_cast<float>(entry.size);
  } else {
    layout.background = classes > 1 ? 1 : 0;
    layout.x_scale = layout.y_scale = 10;
    layout.width_scale = layout.height_scale = 5;
    layout.exponential_sizes = layout.y_first = true;
  }
  return layout;
}

// Whether the shape is 1 x boxes x values.
bool is_list(const Shape& shape, int32_t boxes) {
  return shape.rank() == 3 && shape.dim(0) == 1 && shape.dim(1) == boxes;
}

}  // namespace

std::optional<KnownDetector> find_raw_detector(const Model& model) {
  const Shape& input = model.inputs()[0].shape;
  const auto& outputs = model.outputs();
  if (outputs.size() != 2) return std::nullopt;
  for (const Entry& entry : entries()) {
    if (input.dim(1) != entry.size || input.dim(2) != entry.size) continue;
    const auto boxes = static_cast<int32_t>(make_anchors(entry.grid).size());
    for (const size_t i : {0u, 1u}) {
      const Shape &places = outputs[i].shape, &scores = outputs[1 - i].shape;
      if (!is_list(places, boxes) || !is_list(scores, boxes) || places.dim(2) != entry.values) continue;
      if (entry.label != nullptr && scores.dim(2) != 1) continue;
      KnownDetector known;
      known.detector.layout = layout_of(entry, scores.dim(2));
      known.detector.layout.logits = model.output_activation(1 - i) == OutputActivation::kNone;
      known.detector.boxes = i;
      known.detector.scores = 1 - i;
      known.detector.weighted = known.letterbox = entry.label != nullptr;
      if (entry.label != nullptr) known.labels = {entry.label};
      return known;
    }
  }
  return std::nullopt;
}

}  // namespace sightglass
