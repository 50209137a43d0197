#include "detect/yolo_decoder.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "detect/shaders.h"
#include "gl/compute.h"
#include "gl/objects.h"
#include "gl/pass.h"

namespace sightglass {

namespace {

constexpr int32_t kRankedValues = kBoxValues + 2;  // with score and class
constexpr int32_t kUsualRanked = 300;              // rows of the heads that choose boxes themselves
constexpr int32_t kUsualClasses = 80;              // of COCO
constexpr int32_t kBins = 8;                       // of NanoDet
constexpr int32_t kPersonPoints = 17, kPersonPointValues = 3;
constexpr int32_t kFewestCoefficients = 8, kMostCoefficients = 64;
constexpr int32_t kAngles = 1;  // of a rotated box

bool is_rotated(YoloHead head) { return head == YoloHead::kRotated || head == YoloHead::kRankedRotated; }

// Strides of the layers of cells.
constexpr std::array<std::array<int32_t, 4>, 4> kStrides{{{8, 16, 32, 0}, {8, 16, 32, 64}, {4, 8, 16, 32}, {16, 32}}};

// The boxes per cell of the input, 1 or 3, that make this number, and the strides; 0 if none do.
struct Cells {
  int32_t boxes = 0;
  std::array<int32_t, 4> strides{};
};
Cells cells_of(int32_t height, int32_t width, int32_t boxes) {
  for (const auto& strides : kStrides) {
    int64_t cells = 0;
    for (const int32_t stride : strides) {
      if (stride > 0) cells += int64_t{(height + stride - 1) / stride} * ((width + stride - 1) / stride);
    }
    for (const int32_t per_cell : {1, 3}) {
      if (cells * per_cell == boxes) return {per_cell, strides};
    }
  }
  return {};
}

bool has_proportions_of(const Shape& image, int32_t height, int32_t width) {
  return height > 1 && int64_t{height} * image.dim(2) == int64_t{width} * image.dim(1);
}

// The output with prototypes of masks, and their number.
void find_prototypes(const Model& model, YoloModel& yolo, int32_t& coefficients) {
  const auto& outputs = model.outputs();
  for (size_t i = 0; i < outputs.size() && outputs.size() > 1; ++i) {
    const Shape& shape = outputs[i].shape;
    if (shape.rank() != 4 || shape.dim(0) != 1) continue;
    const int32_t count = shape.dim(3);
    if (count < kFewestCoefficients || count > kMostCoefficients) continue;
    if (!has_proportions_of(model.inputs()[0].shape, shape.dim(1), shape.dim(2))) continue;
    yolo.prototypes = i;
    coefficients = count;
    return;
  }
}

// 1 x boxes x values, in any order. Models whose images are arranged (ImageOrder::kArranged) have it with one channel,
// unlike the proportions of images.
bool is_list(const Shape& shape, const Shape& input) {
  if (shape.rank() < 3 || shape.dim(0) != 1 || std::min(shape.dim(1), shape.dim(2)) <= kBoxValues) return false;
  if (shape.rank() == 3) return true;
  return shape.rank() == 4 && shape.dim(3) == 1 && !has_proportions_of(input, shape.dim(1), shape.dim(2));
}

std::string shape_of(const TensorInfo& output) { return output.shape.to_string(); }

// Fits the list of boxes `output` to the head. Returns the reason if it does not.
std::string fit(const Model& model, size_t output, size_t known_classes, bool is_asked_for, int32_t coefficients,
                YoloModel& yolo) {
  const Shape &shape = model.outputs()[output].shape, &input = model.inputs()[0].shape;
  const int32_t rows = shape.dim(1), columns = shape.dim(2);
  YoloLayout& layout = yolo.layout;
  layout.height = input.dim(1);
  layout.width = input.dim(2);
  const Cells by_row = cells_of(layout.height, layout.width, rows);
  const Cells by_column = cells_of(layout.height, layout.width, columns);
  const int32_t of_rows = by_row.boxes, of_columns = by_column.boxes;
  const std::string what = shape_of(model.outputs()[output]);
  const std::string size = std::to_string(layout.width) + "x" + std::to_string(layout.height);
  layout.ranked = yolo.head == YoloHead::kRanked || yolo.head == YoloHead::kRankedRotated;
  layout.rotated = is_rotated(yolo.head);
  layout.objectness = yolo.head == YoloHead::kObjectness || yolo.head == YoloHead::kCells;
  layout.strides = {};
  layout.bins = yolo.head == YoloHead::kDistributions ? kBins : 0;
  if (yolo.head == YoloHead::kCells || layout.bins > 0) {
    if (!is_asked_for) return what + " may be that of another YOLO: set decoder";
    if (of_rows != 1 && of_columns != 1) return what + " has no box for every cell of " + size;
    layout.strides = of_rows == 1 ? by_row.strides : by_column.strides;
  }
  if (layout.ranked) {
    layout.boxes_last = false;
    if (of_rows != 0 || of_columns != 0) return what + " has a box per cell of " + size + ", and nothing has chosen";
    // Few rows with few values may also be rotated boxes of two classes, which are never so few.
    if (layout.rotated ? rows > kUsualRanked : rows != kUsualRanked && !is_asked_for) {
      return what + " has not " + std::to_string(kUsualRanked) + " boxes";
    }
  } else {
    if (of_rows == 0 && of_columns == 0 && !is_asked_for) {
      return what + " has no box for every cell of " + size + " with strides of 8, 16 and 32";
    }
    layout.boxes_last = of_rows == 0 && (of_columns != 0 || columns > rows);
  }
  layout.boxes = layout.boxes_last ? columns : rows;
  layout.values = layout.boxes_last ? rows : columns;
  if (layout.boxes > SsdDecoder::kMostBoxes) {
    return what + " has more than " + std::to_string(SsdDecoder::kMostBoxes) + " boxes";
  }
  const ExporterNotes& notes = model.metadata().exporter;
  const int32_t before = layout.ranked     ? kRankedValues
                         : layout.bins > 0 ? kBoxValues * layout.bins
                                           : kBoxValues + (layout.objectness ? 1 : 0);
  const int32_t of_persons = kPersonPoints * kPersonPointValues;
  layout.further = layout.rotated ? kAngles : coefficients;
  if (layout.further == 0 && notes.points > 0) {
    yolo.points = notes.points;
    yolo.values_of_point = notes.values_of_point;
    layout.further = notes.points * notes.values_of_point;
  } else if (layout.further == 0 && layout.bins == 0 && notes.task.empty() && known_classes <= 1 &&
             layout.values == before + (layout.ranked ? 0 : 1) + of_persons) {
    yolo.points = kPersonPoints;
    yolo.values_of_point = kPersonPointValues;
    layout.further = of_persons;
  }
  const int32_t classes = layout.values - before - layout.further;
  if (layout.ranked) {
    if (classes != 0) return what + " has not " + std::to_string(before + layout.further) + " values per box";
    return {};
  }
  if (classes < 1) return what + " has no value for a class";
  layout.classes = classes;
  if (is_asked_for || layout.rotated) return {};
  // One score more or less: the number of classes decides, if it is known. Three boxes per cell are those of anchors,
  // whose heads have objectness.
  const int32_t per_cell = layout.boxes_last ? of_columns : of_rows;
  const int32_t with = layout.objectness ? classes : classes - 1, without = with + 1;
  const auto known = static_cast<int32_t>(std::min<size_t>(known_classes, INT32_MAX));
  const bool has_objectness = known == with && with > 0 ? true
                              : known == without        ? false
                              : per_cell == 3           ? true
                              : layout.boxes_last       ? false
                                                        : with == kUsualClasses;
  if (has_objectness == layout.objectness) return {};
  return what + (has_objectness ? " has a score of any object" : " has no score of any object");
}

}  // namespace

bool has_rotated_boxes(const Model& model) { return model.metadata().exporter.task == "obb"; }

YoloSearch find_yolo(const Model& model, YoloHead head, bool is_asked_for, size_t classes) {
  YoloSearch search;
  const auto& outputs = model.outputs();
  if (model.inputs().empty() || model.inputs()[0].shape.rank() != 4) {
    search.reason = "the input is not an image";
    return search;
  }
  const ExporterNotes& notes = model.metadata().exporter;
  const bool has_rotated = has_rotated_boxes(model);
  if (has_rotated && !is_rotated(head)) {
    search.reason = kRotatedBoxes;
    return search;
  }
  if (classes == 0) classes = notes.class_names.size();
  YoloModel yolo;
  yolo.head = head;
  yolo.names = notes.class_names;
  int32_t coefficients = 0;
  if (!is_rotated(head)) find_prototypes(model, yolo, coefficients);
  search.reason = "no output has the shape 1 x boxes x values or 1 x values x boxes";
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Shape& shape = outputs[i].shape;
    if (!is_list(shape, model.inputs()[0].shape)) continue;
    search.is_near = true;
    yolo.output = i;
    search.reason = fit(model, i, classes, is_asked_for, coefficients, yolo);
    if (search.reason.empty() && is_rotated(head) && !has_rotated && !is_asked_for) {
      search.reason = shape_of(outputs[i]) + " may have rotated boxes: set decoder";
    }
    if (!search.reason.empty()) continue;
    search.found = std::move(yolo);
    return search;
  }
  return search;
}

std::optional<YoloModel> find_grid(const Model& model, bool logits) {
  const auto& outputs = model.outputs();
  if (outputs.size() != 1 || model.inputs().empty() || model.inputs()[0].shape.rank() != 4) return std::nullopt;
  const Shape &shape = outputs[0].shape, &input = model.inputs()[0].shape;
  if (shape.rank() != 4 || shape.dim(0) != 1 || shape.dim(3) < 2) return std::nullopt;
  const int32_t rows = shape.dim(1), columns = shape.dim(2);
  if (!has_proportions_of(input, rows, columns) || input.dim(1) < rows) return std::nullopt;
  if (int64_t{rows} * columns > SsdDecoder::kMostBoxes) return std::nullopt;
  YoloModel grid;
  grid.head = YoloHead::kGrid;
  grid.layout.boxes = rows * columns;
  grid.layout.values = shape.dim(3);
  grid.layout.classes = shape.dim(3) - 1;
  grid.layout.width = input.dim(2);
  grid.layout.height = input.dim(1);
  grid.layout.grid_columns = columns;
  grid.layout.logits = logits;
  return grid;
}

std::optional<YoloModel> find_centers(const Model& model) {
  constexpr int32_t kStride = 4;
  const auto& outputs = model.outputs();
  if (outputs.size() != 3 || model.inputs().empty() || model.inputs()[0].shape.rank() != 4) return std::nullopt;
  const Shape& input = model.inputs()[0].shape;
  const int32_t rows = (input.dim(1) + kStride - 1) / kStride, columns = (input.dim(2) + kStride - 1) / kStride;
  std::vector<size_t> pairs, others;
  const auto has_name = [&](size_t i, const char* word) { return outputs[i].name.find(word) != std::string::npos; };
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Shape& shape = outputs[i].shape;
    if (shape.rank() != 4 || shape.dim(0) != 1 || shape.dim(1) != rows || shape.dim(2) != columns) return std::nullopt;
    const bool is_pair = shape.dim(3) == 2 && !has_name(i, "hm") && !has_name(i, "heat");
    (is_pair ? pairs : others).push_back(i);
  }
  if (pairs.size() != 2 || int64_t{rows} * columns > SsdDecoder::kMostBoxes) return std::nullopt;
  if (has_name(pairs[0], "reg") || has_name(pairs[0], "off")) std::swap(pairs[0], pairs[1]);
  YoloModel grid;
  grid.head = YoloHead::kCenters;
  grid.output = others[0];
  grid.sizes = pairs[0];
  grid.offsets = pairs[1];
  YoloLayout& layout = grid.layout;
  layout.boxes = rows * columns;
  layout.values = layout.classes = outputs[others[0]].shape.dim(3);
  layout.width = input.dim(2);
  layout.height = input.dim(1);
  layout.grid_columns = columns;
  layout.centers = true;
  return grid;
}

Result<YoloModel> find_cell_anchors(const Model& model, const std::string& anchors) {
  const auto& outputs = model.outputs();
  const char* const expected = "there is no single output of 1 x rows x columns x (anchors * (5 + classes))";
  if (outputs.size() != 1 || model.inputs().empty() || model.inputs()[0].shape.rank() != 4)
    return unsupported(expected);
  const Shape &shape = outputs[0].shape, &input = model.inputs()[0].shape;
  if (shape.rank() != 4 || shape.dim(0) != 1 || shape.dim(3) < kBoxValues + 2) return unsupported(expected);
  const int32_t rows = shape.dim(1), columns = shape.dim(2);
  if (!has_proportions_of(input, rows, columns) || input.dim(1) < rows) return unsupported(expected);
  SIGHTGLASS_ASSIGN_OR_RETURN(const CellAnchors choice, parse_cell_anchors(anchors));
  YoloModel grid;
  grid.head = YoloHead::kCellAnchors;
  YoloLayout& layout = grid.layout;
  layout.cell_anchors = static_cast<int32_t>(choice.sizes.size());
  if (shape.dim(3) % layout.cell_anchors != 0 || shape.dim(3) / layout.cell_anchors < kBoxValues + 2) {
    return invalid_argument("anchors=" + anchors + ": " + std::to_string(shape.dim(3)) + " values per cell are not " +
                            std::to_string(layout.cell_anchors) + " times 5 and the number of classes");
  }
  for (size_t i = 0; i < choice.sizes.size(); ++i) {
    layout.anchor_sizes[i] = {choice.sizes[i][0] / static_cast<float>(choice.in_cells ? columns : 1),
                              choice.sizes[i][1] / static_cast<float>(choice.in_cells ? rows : 1)};
  }
  layout.values = shape.dim(3) / layout.cell_anchors;
  layout.classes = layout.values - kBoxValues - 1;
  layout.width = input.dim(2);
  layout.height = input.dim(1);
  layout.grid_columns = columns;
  const int64_t boxes = int64_t{rows} * columns * layout.cell_anchors;
  if (boxes > SsdDecoder::kMostBoxes) {
    return unsupported("more than " + std::to_string(SsdDecoder::kMostBoxes) + " boxes");
  }
  layout.boxes = static_cast<int32_t>(boxes);
  return grid;
}

namespace {

Status check(const YoloLayout& layout) {
  if (layout.boxes < 1 || layout.boxes > SsdDecoder::kMostBoxes) {
    return unsupported("unsupported number of boxes: " + std::to_string(layout.boxes) + ", expected 1 to " +
                       std::to_string(SsdDecoder::kMostBoxes));
  }
  const bool has_distributions = layout.bins > 0 && layout.strides[0] > 0 && layout.classes > 0 &&
                                 int64_t{layout.classes} + int64_t{kBoxValues} * layout.bins == layout.values;
  const int32_t scores = layout.ranked ? kRankedValues - kBoxValues : layout.classes + (layout.objectness ? 1 : 0);
  const bool has_anchors = layout.cell_anchors > 0 && layout.cell_anchors <= kMostCellAnchors &&
                           layout.grid_columns > 0 && layout.boxes % (layout.grid_columns * layout.cell_anchors) == 0 &&
                           layout.classes > 0 && layout.values == kBoxValues + 1 + layout.classes;
  const bool is_grid = layout.cell_anchors == 0 && layout.grid_columns > 0 && layout.boxes % layout.grid_columns == 0 &&
                       layout.classes > 0 && layout.values == layout.classes + (layout.centers ? 0 : 1);
  const bool is_plain = layout.grid_columns == 0 && layout.bins == 0 && layout.strides[0] == 0 && !layout.objectness;
  if (layout.rotated && (!is_plain || layout.further != kAngles)) {
    return invalid_argument("rotated boxes have a score per class and an angle, and nothing else");
  }
  const bool fits =
      is_grid || has_anchors || has_distributions ||
      (layout.bins == 0 && layout.grid_columns == 0 && layout.further >= 0 && (layout.ranked || layout.classes > 0) &&
       int64_t{kBoxValues} + scores + layout.further == layout.values);
  if (fits && layout.width > 0 && layout.height > 0) return {};
  return invalid_argument("the scores and further values of a box are not its " + std::to_string(layout.values) +
                          " values");
}

constexpr GLsizeiptr bytes_of(int32_t items, size_t size) { return GLsizeiptr{items} * static_cast<GLsizeiptr>(size); }
constexpr size_t kBestBytes = 2 * sizeof(float);
// A box, or a Rotated of shaders/detect/rotated.glsl.
GLsizeiptr bytes_of_boxes(const YoloLayout& layout) {
  return bytes_of(layout.boxes, (layout.rotated ? 8 : 4) * sizeof(float));
}

}  // namespace

YoloDecoder::YoloDecoder(std::shared_ptr<ShareGroup> group, const YoloLayout& layout)
    : group_(std::move(group)),
      gl_(&group_->gl()),
      layout_(layout),
      head_block_(*gl_),
      grid_block_(*gl_),
      anchor_block_(*gl_),
      block_(*gl_) {}

Result<std::unique_ptr<YoloDecoder>> YoloDecoder::create(std::shared_ptr<ShareGroup> group, const YoloLayout& layout) {
  SIGHTGLASS_RETURN_IF_ERROR(check(layout));
  const GlApi& gl = group->gl();
  clear_gl_errors(gl);
  std::unique_ptr<YoloDecoder> decoder(new YoloDecoder(std::move(group), layout));
  const ShaderKey boxes = layout.cell_anchors > 0   ? kAnchorBoxesShader
                          : layout.grid_columns > 0 ? grid_boxes_shader(layout.centers, layout.logits)
                          : layout.bins > 0         ? kDistributionBoxesShader
                          : layout.rotated          ? kRotatedBoxesShader
                                                    : kYoloBoxesShader;
  const std::array<ProgramKey, 2> keys{ProgramKey{boxes},
                                       ProgramKey{layout.rotated ? kSuppressRotatedShader : kSuppressYoloShader}};
  SIGHTGLASS_ASSIGN_OR_RETURN(decoder->programs_, decoder->group_->programs(keys));
  const Detections none;
  const std::array<uint32_t, 4> zero{};
  decoder->boxes_ = make_storage(gl, bytes_of_boxes(layout));
  decoder->best_ = make_storage(gl, bytes_of(layout.boxes, kBestBytes));
  decoder->largest_ = make_storage(gl, sizeof(zero), zero.data());
  decoder->detections_ = make_storage(gl, sizeof(none), &none);
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(gl, "allocating the buffers of a detector"));
  return decoder;
}

Status YoloDecoder::check_size(const BufferRange& output, const CenterOffsets& centers) const {
  const GLsizeiptr scores = bytes_of(layout_.boxes, sizeof(float)) * layout_.values;
  const auto end = [&](int32_t first, int32_t values) {
    return bytes_of(first, sizeof(float)) + bytes_of(layout_.boxes, sizeof(float)) * values;
  };
  const GLsizeiptr expected =
      layout_.centers ? std::max({end(centers.scores, layout_.values), end(centers.sizes, 2), end(centers.offsets, 2)})
                      : scores;
  const bool fits = layout_.centers ? output.size >= expected : output.size == expected;
  if (fits && std::min({centers.scores, centers.sizes, centers.offsets}) >= 0) return {};
  return invalid_argument("the output of a detector with " + std::to_string(layout_.boxes) + " boxes has " +
                          std::to_string(output.size) + " bytes, expected " + std::to_string(expected));
}

Status YoloDecoder::decode(const BufferRange& output, const InputTransform& to_upright, const SsdChoice& choice,
                           const CenterOffsets& centers) {
  SIGHTGLASS_RETURN_IF_ERROR(check_size(output, centers));
  HeadBlock head;
  head.steps = {layout_.box_step(), layout_.value_step(), layout_.boxes, layout_.bins};
  head.head = {layout_.classes, layout_.objectness ? 1 : 0, layout_.ranked ? 1 : 0, layout_.first_further()};
  head.size = {layout_.width, layout_.height, 0, 0};
  head.strides = layout_.strides;
  constexpr float kNeverOverlaps = 2;
  SsdBlock block;
  block.boxes = {layout_.boxes, 0, 0, 0};
  block.classes = {0, 0, 0, std::clamp(choice.most, 0, kMaxDetections)};
  block.scales = {static_cast<float>(layout_.width), static_cast<float>(layout_.height), 1, 1};
  block.limits = {choice.threshold, layout_.ranked ? kNeverOverlaps : choice.iou_threshold, 0, 0};
  const auto& m = to_upright.m;
  block.place = {m[0], m[1], m[2], 0, m[3], m[4], m[5], 0};

  gl_->MemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
  const BufferRange boxes{boxes_.id(), 0, bytes_of_boxes(layout_)};
  const BufferRange best{best_.id(), 0, bytes_of(layout_.boxes, kBestBytes)};
  const BufferRange largest{largest_.id(), 0, 4 * sizeof(uint32_t)};
  Pass pass(*gl_);
  if (layout_.cell_anchors > 0) {
    const int32_t rows = layout_.boxes / (layout_.grid_columns * layout_.cell_anchors);
    pass.uniforms(kParamsBinding, anchor_block_,
                  {{layout_.grid_columns, rows, layout_.values, layout_.cell_anchors}, layout_.anchor_sizes});
    pass.storage({output, boxes, best});
  } else if (layout_.grid_columns > 0) {
    const int32_t rows = layout_.boxes / layout_.grid_columns;
    pass.uniforms(kParamsBinding, grid_block_,
                  {layout_.grid_columns, rows, layout_.values, 0, centers.scores, centers.sizes, centers.offsets, 0});
    pass.storage({output, boxes, best});
  } else {
    pass.uniforms(kParamsBinding, head_block_, head);
    if (layout_.bins > 0) {
      pass.storage({output, boxes, best});
    } else {
      pass.storage({output, boxes, best, largest});
    }
  }
  pass.dispatch(programs_[0]->id(), groups_of(layout_.boxes));
  pass.uniforms(kParamsBinding, block_, block);
  pass.storage({boxes, best, largest, {detections_.id(), 0, sizeof(Detections)}});
  pass.dispatch(programs_[1]->id());
  return {};
}

Result<YoloMasks> YoloMasks::create(const std::shared_ptr<ShareGroup>& group, const YoloLayout& layout,
                                    const Shape& prototypes, Shows shows, const std::vector<int32_t>& counted) {
  if (prototypes.rank() != 4 || prototypes.dim(3) != layout.further) {
    return invalid_argument("prototypes of " + prototypes.to_string() + " do not fit the " +
                            std::to_string(layout.further) + " coefficients of a box");
  }
  const ShaderKey& shader = shows == Shows::kForeground ? kInstanceForegroundShader
                            : shows == Shows::kNumbers  ? kInstanceNumbersShader
                                                        : kInstanceMasksShader;
  const std::array<ProgramKey, 1> keys{ProgramKey{shader}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  clear_gl_errors(group->gl());
  Block content;
  content.size = {prototypes.dim(2), prototypes.dim(1), prototypes.dim(3), 0};
  content.steps = {layout.box_step(), layout.value_step(), layout.first_further(), 0};
  for (const int32_t c : counted) {
    if (c >= 0 && c < kCountedClasses) content.counted[static_cast<size_t>(c / 32)] |= 1U << (c % 32);
  }
  YoloMasks masks(group->gl(), std::move(programs[0]), content);
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(group->gl(), "allocating the masks of a detector"));
  return masks;
}

YoloMasks::YoloMasks(const GlApi& gl, SharedProgram program, const Block& content)
    : gl_(&gl), program_(std::move(program)), block_content_(content), block_(gl) {
  texture_ = make_texture(gl, GL_RGBA8, content.size[0], content.size[1]);
}

void YoloMasks::run(const BufferRange& output, const BufferRange& prototypes, GLuint detections,
                    const InputTransform& to_upright) {
  const auto& m = to_upright.m;
  block_content_.place = {m[0], m[1], m[2], 0, m[3], m[4], m[5], 0};
  Pass pass(*gl_);
  pass.uniforms(kParamsBinding, block_, block_content_);
  pass.storage({output, prototypes, {detections, 0, sizeof(Detections)}});
  pass.write(0, texture_.id(), GL_RGBA8);
  pass.dispatch(program_->id(), groups_across(block_content_.size[0]), groups_across(block_content_.size[1]));
}

}  // namespace sightglass
