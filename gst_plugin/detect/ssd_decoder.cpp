#include "detect/ssd_decoder.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "detect/shaders.h"
#include "gl/compute.h"
#include "gl/objects.h"
#include "gl/pass.h"

namespace sightglass {

namespace {

constexpr float kFarthestAnchor = 1000000;  // of any number that describes anchors

struct Form {
  float scale, ratio;
};

float scale_of_layer(const AnchorGrid& grid, size_t layer) {
  const size_t layers = grid.strides.size();
  if (layers == 1) return (grid.least_scale + grid.greatest_scale) / 2;
  return grid.least_scale +
         (grid.greatest_scale - grid.least_scale) * static_cast<float>(layer) / static_cast<float>(layers - 1);
}

// With sides in cells.
std::vector<Form> octave_forms(const AnchorGrid& grid) {
  std::vector<Form> forms;
  const auto octaves = static_cast<size_t>(grid.octaves), ratios = grid.aspect_ratios.size();
  for (size_t i = 0; i < octaves * ratios; ++i) {
    const size_t octave = grid.by_ratio ? i % octaves : i / ratios, ratio = grid.by_ratio ? i / octaves : i % ratios;
    const float power = static_cast<float>(octave) / static_cast<float>(octaves);
    forms.push_back({grid.anchor_scale * std::exp2(power), grid.aspect_ratios[ratio]});
  }
  return forms;
}

void add_forms(const AnchorGrid& grid, size_t layer, std::vector<Form>& forms) {
  if (grid.anchor_scale > 0) {
    const std::vector<Form> more = octave_forms(grid);
    forms.insert(forms.end(), more.begin(), more.end());
    return;
  }
  const float scale = scale_of_layer(grid, layer);
  if (layer == 0 && grid.three_in_lowest_layer) {
    forms.insert(forms.end(), {{0.1f, 1.0f}, {scale, 2.0f}, {scale, 0.5f}});
    return;
  }
  for (const float ratio : grid.aspect_ratios) forms.push_back({scale, ratio});
  if (grid.interpolated_aspect_ratio > 0) {
    const float next = layer + 1 == grid.strides.size() ? 1 : scale_of_layer(grid, layer + 1);
    forms.push_back({std::sqrt(scale * next), grid.interpolated_aspect_ratio});
  }
}

}  // namespace

std::vector<Anchor> make_anchors(const AnchorGrid& grid) {
  std::vector<Anchor> anchors;
  for (size_t layer = 0; layer < grid.strides.size();) {
    const int32_t stride = grid.strides[layer];
    std::vector<Form> forms;
    for (; layer < grid.strides.size() && grid.strides[layer] == stride; ++layer) add_forms(grid, layer, forms);
    const int32_t columns = (grid.input_width + stride - 1) / stride, rows = (grid.input_height + stride - 1) / stride;
    for (int32_t y = 0; y < rows; ++y) {
      for (int32_t x = 0; x < columns; ++x) {
        for (const auto& [scale, ratio] : forms) {
          Anchor anchor{(static_cast<float>(x) + 0.5f) / static_cast<float>(columns),
                        (static_cast<float>(y) + 0.5f) / static_cast<float>(rows)};
          if (!grid.unit_sizes) {
            const bool in_cells = grid.anchor_scale > 0;
            anchor.width = scale * std::sqrt(ratio) / (in_cells ? static_cast<float>(columns) : 1);
            anchor.height = scale / std::sqrt(ratio) / (in_cells ? static_cast<float>(rows) : 1);
          }
          anchors.push_back(anchor);
        }
      }
    }
  }
  return anchors;
}

namespace {

std::vector<std::string> parts_of(const std::string& text, const char* separators) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find_first_of(separators, begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// An upper bound, without making them.
int64_t count_of(const AnchorGrid& grid) {
  const auto ratios = static_cast<int64_t>(grid.aspect_ratios.size());
  const int64_t forms = grid.anchor_scale > 0 ? grid.octaves * ratios : ratios + 1;
  int64_t count = 0;
  for (const int32_t stride : grid.strides) {
    count += forms * ((grid.input_width + stride - 1) / stride) * ((grid.input_height + stride - 1) / stride);
  }
  return count;
}

// Positive numbers; nothing if one of them is none.
std::vector<float> numbers_of(const std::string& text, const char* separators = ",") {
  std::vector<float> numbers;
  for (const std::string& part : parts_of(text, separators)) {
    float number = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    const bool is_number = error == std::errc() && end == part.data() + part.size();
    if (!is_number || !(number >= 0 && number <= kFarthestAnchor)) return {};
    numbers.push_back(number);
  }
  return numbers;
}

struct AnchorKey {
  const char* name;
  size_t fewest, most;  // numbers
  void (*set)(AnchorChoice& choice, const std::vector<float>& numbers);
};
constexpr size_t kMostLayers = 16, kMostRatios = 16;
constexpr AnchorKey kAnchorKeys[] = {
    {"strides", 1, kMostLayers,
     [](AnchorChoice& choice, const std::vector<float>& numbers) {
       for (const float number : numbers) choice.grid.strides.push_back(static_cast<int32_t>(number));
     }},
    {"ratios", 1, kMostRatios,
     [](AnchorChoice& choice, const std::vector<float>& numbers) { choice.grid.aspect_ratios = numbers; }},
    {"scales", 2, 2,
     [](AnchorChoice& choice, const std::vector<float>& numbers) {
       choice.grid.least_scale = numbers[0];
       choice.grid.greatest_scale = numbers[1];
       choice.grid.unit_sizes = false;
     }},
    {"lowest-three", 1, 1,
     [](AnchorChoice& choice, const std::vector<float>& numbers) {
       choice.grid.three_in_lowest_layer = numbers[0] > 0;
     }},
    {"interpolated", 1, 1,
     [](AnchorChoice& choice, const std::vector<float>& numbers) {
       choice.grid.interpolated_aspect_ratio = numbers[0];
     }},
    {"anchor-scale", 1, 1,
     [](AnchorChoice& choice, const std::vector<float>& numbers) {
       choice.grid.anchor_scale = numbers[0];
       choice.grid.unit_sizes = false;
     }},
    {"octaves", 1, 1,
     [](AnchorChoice& choice, const std::vector<float>& numbers) {
       choice.grid.octaves = static_cast<int32_t>(numbers[0]);
     }},
    {"by-ratio", 1, 1,
     [](AnchorChoice& choice, const std::vector<float>& numbers) { choice.grid.by_ratio = numbers[0] > 0; }},
    {"factors", 2, 2,
     [](AnchorChoice& choice, const std::vector<float>& numbers) {
       choice.factors = {numbers[0], numbers[1]};
     }},
    {"background", 1, 1,
     [](AnchorChoice& choice, const std::vector<float>& numbers) {
       choice.background = static_cast<int32_t>(numbers[0]);
     }},
};

}  // namespace

Result<AnchorChoice> parse_anchors(const std::string& text, int32_t width, int32_t height) {
  AnchorChoice choice;
  choice.grid.input_width = width;
  choice.grid.input_height = height;
  std::string names = "order";
  for (const AnchorKey& key : kAnchorKeys) names += std::string(", ") + key.name;
  for (const std::string& part : parts_of(text, "; ")) {
    const size_t equals = std::min(part.find('='), part.size());
    const std::string name = part.substr(0, equals), value = part.substr(std::min(equals + 1, part.size()));
    const std::string here = "anchors=" + text + ": " + name + "=" + value;
    if (name == "order") {
      if (value != "yx" && value != "xy") return invalid_argument(here + ": expected yx or xy");
      choice.y_first = value == "yx";
      continue;
    }
    const auto* const key = std::ranges::find_if(kAnchorKeys, [&](const AnchorKey& one) { return one.name == name; });
    if (key == std::end(kAnchorKeys)) return invalid_argument(here + ": unknown key; use one of " + names);
    const std::vector<float> numbers = numbers_of(value);
    if (numbers.size() < key->fewest || numbers.size() > key->most) {
      return invalid_argument(here + ": expected " + std::to_string(key->fewest) +
                              (key->most > key->fewest ? " or more numbers" : " number(s)") + ", separated by commas");
    }
    key->set(choice, numbers);
  }
  const AnchorGrid& grid = choice.grid;
  const bool has_strides = !grid.strides.empty() && std::ranges::none_of(grid.strides, [](int32_t s) { return s < 1; });
  if (!has_strides) return invalid_argument("anchors=" + text + ": set strides, such as strides=8,16,32,64,128");
  const bool has_ratios = std::ranges::none_of(grid.aspect_ratios, [](float ratio) { return ratio == 0; });
  if (!has_ratios || grid.octaves < 1 || grid.octaves > 16 || choice.factors[0] == 0 || choice.factors[1] == 0) {
    return invalid_argument("anchors=" + text + ": ratios, octaves (at most 16), and factors are above 0");
  }
  if (count_of(grid) > int64_t{2} * SsdDecoder::kMostBoxes) {
    return invalid_argument("anchors=" + text + ": these are more than the supported " +
                            std::to_string(SsdDecoder::kMostBoxes) + " anchors");
  }
  return choice;
}

namespace {

constexpr std::string_view kSizesKey = "sizes=", kCellsKey = "cells=";

}  // namespace

bool describes_cell_anchors(const std::string& text) {
  return text.starts_with(kSizesKey) || text.starts_with(kCellsKey);
}

Result<CellAnchors> parse_cell_anchors(const std::string& text) {
  constexpr const char* kExample =
      "set anchors, such as sizes=0.1x0.2,0.3x0.3 (fractions of the input) or cells=1.3x2.6";
  if (text.empty()) return invalid_argument(kExample);
  if (!describes_cell_anchors(text)) return invalid_argument("anchors=" + text + ": " + kExample);
  CellAnchors anchors;
  anchors.in_cells = text.starts_with(kCellsKey);
  for (const std::string& part : parts_of(text.substr(kSizesKey.size()), ",")) {
    const std::vector<float> numbers = numbers_of(part, "x");
    if (numbers.size() != 2 || numbers[0] == 0 || numbers[1] == 0) {
      return invalid_argument("anchors=" + text + ": " + part +
                              ": expected a width and a height above 0, such as 0.1x0.2");
    }
    anchors.sizes.push_back({numbers[0], numbers[1]});
  }
  if (anchors.sizes.empty() || std::cmp_greater(anchors.sizes.size(), kMostCellAnchors)) {
    return invalid_argument("anchors=" + text + ": expected 1 to " + std::to_string(kMostCellAnchors) + " anchors");
  }
  return anchors;
}

namespace {

Status check(const SsdLayout& layout) {
  const auto boxes = static_cast<int64_t>(layout.anchors.size());
  if (boxes == 0 || boxes > SsdDecoder::kMostBoxes) {
    return unsupported("unsupported number of anchors: " + std::to_string(boxes) + ", expected 1 to " +
                       std::to_string(SsdDecoder::kMostBoxes));
  }
  if (layout.points < 0 || layout.points > kMaxDetectionPoints) {
    return unsupported("unsupported number of points per box: " + std::to_string(layout.points) + ", maximum " +
                       std::to_string(kMaxDetectionPoints));
  }
  const bool fits = layout.values >= 4 && layout.first_point >= 0 && layout.point_values >= 2 &&
                    layout.first_point + int64_t{layout.points} * layout.point_values <= layout.values;
  if (!fits) {
    return invalid_argument("the points of a box exceed its " + std::to_string(layout.values) + " values");
  }
  if (layout.background < 0 || layout.background >= layout.classes) {
    return invalid_argument("invalid number of background classes: " + std::to_string(layout.background) + " of " +
                            std::to_string(layout.classes));
  }
  return {};
}

}  // namespace

SsdDecoder::SsdDecoder(std::shared_ptr<ShareGroup> group, SsdLayout layout)
    : group_(std::move(group)), gl_(&group_->gl()), layout_(std::move(layout)), block_(*gl_) {}

Result<std::unique_ptr<SsdDecoder>> SsdDecoder::create(std::shared_ptr<ShareGroup> group, SsdLayout layout) {
  SIGHTGLASS_RETURN_IF_ERROR(check(layout));
  const GlApi& gl = group->gl();
  clear_gl_errors(gl);
  std::unique_ptr<SsdDecoder> decoder(new SsdDecoder(std::move(group), std::move(layout)));
  const std::array<ProgramKey, 2> keys{ProgramKey{kBestClassShader}, ProgramKey{kSuppressShader}};
  SIGHTGLASS_ASSIGN_OR_RETURN(decoder->programs_, decoder->group_->programs(keys));
  const std::vector<Anchor>& anchors = decoder->layout_.anchors;
  const Detections none;
  decoder->anchors_ = make_storage(gl, decoder->anchors_bytes(), anchors.data());
  decoder->best_ = make_storage(gl, decoder->best_bytes());
  decoder->detections_ = make_storage(gl, sizeof(none), &none);
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(gl, "allocating the buffers of a detector"));
  return decoder;
}

Status SsdDecoder::decode(const BufferRange& boxes, const BufferRange& scores, const InputTransform& to_upright,
                          const SsdChoice& choice) {
  const auto count = static_cast<int32_t>(layout_.anchors.size());
  const auto bytes = [count](int32_t numbers) { return GLsizeiptr{count} * numbers * GLsizeiptr{sizeof(float)}; };
  if (boxes.size != bytes(layout_.values) || scores.size != bytes(layout_.classes)) {
    return invalid_argument("the outputs of a detector with " + std::to_string(count) + " boxes have " +
                            std::to_string(boxes.size) + " and " + std::to_string(scores.size) + " bytes, expected " +
                            std::to_string(bytes(layout_.values)) + " and " + std::to_string(bytes(layout_.classes)));
  }
  SsdBlock block;
  block.boxes = {count, layout_.values, layout_.points, layout_.point_values};
  block.classes = {layout_.classes, layout_.background, layout_.logits ? 1 : 0,
                   std::clamp(choice.most, 0, kMaxDetections)};
  block.layout = {layout_.first_point, layout_.exponential_sizes ? 1 : 0, layout_.y_first ? 1 : 0,
                  choice.weighted ? 1 : 0};
  block.scales = {layout_.x_scale, layout_.y_scale, layout_.width_scale, layout_.height_scale};
  block.limits = {choice.threshold, choice.iou_threshold, layout_.logit_limit, 0};
  const auto& m = to_upright.m;
  block.place = {m[0], m[1], m[2], 0, m[3], m[4], m[5], 0};

  gl_->MemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
  const BufferRange anchors{anchors_.id(), 0, anchors_bytes()}, best{best_.id(), 0, best_bytes()};
  const BufferRange detections{detections_.id(), 0, sizeof(Detections)};
  Pass pass(*gl_);
  pass.uniforms(kParamsBinding, block_, block);
  pass.storage({scores, best});
  pass.dispatch(programs_[0]->id(), groups_of(count));
  pass.storage({boxes, best, anchors, detections});
  pass.dispatch(programs_[1]->id());
  return {};
}

Result<std::unique_ptr<FaceDecoder>> FaceDecoder::create(std::shared_ptr<ShareGroup> group, const FaceLayout& layout) {
  const ProgramKey keys[] = {{kGatherFacesShader}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  SsdLayout boxes;
  boxes.anchors.assign(static_cast<size_t>(layout.boxes()), {});
  boxes.points = layout.points;
  boxes.values = 4 + 2 * layout.points;
  boxes.logits = false;
  const GlApi& gl = group->gl();
  SIGHTGLASS_ASSIGN_OR_RETURN(std::unique_ptr<SsdDecoder> decoder, SsdDecoder::create(std::move(group), boxes));
  std::unique_ptr<FaceDecoder> faces(new FaceDecoder(gl, layout, std::move(programs[0]), std::move(decoder)));
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(gl, "allocating the buffers of a face detector"));
  return faces;
}

FaceDecoder::FaceDecoder(const GlApi& gl, const FaceLayout& layout, SharedProgram program,
                         std::unique_ptr<SsdDecoder> decoder)
    : gl_(&gl), layout_(layout), program_(std::move(program)), decoder_(std::move(decoder)), block_(gl) {
  boxes_ = make_storage(gl, bytes(4 + 2 * layout.points));
  scores_ = make_storage(gl, bytes(1));
}

Status FaceDecoder::decode(const BufferRange& outputs, const std::array<Offsets, kMostFaceLayers>& offsets,
                           const InputTransform& to_upright, SsdChoice choice) {
  Block block;
  block.faces = {static_cast<int32_t>(layout_.kind), layout_.boxes(), layout_.anchors, layout_.points};
  block.input = {layout_.width, layout_.height, layout_.logits ? 1 : 0, 0};
  block.sizes = layout_.anchor_sizes;
  int32_t first = 0;
  for (size_t i = 0; i < offsets.size() && layout_.strides[i] > 0; ++i) {
    const int32_t stride = layout_.strides[i], count = layout_.boxes_of(stride);
    block.layers[i] = {stride, layout_.columns(stride), first, 0};
    block.outputs[i] = {offsets[i].score, offsets[i].other_score, offsets[i].box, offsets[i].points};
    const std::pair<int32_t, int32_t> parts[] = {{offsets[i].score, layout_.score_values()},
                                                 {offsets[i].other_score, 0},
                                                 {offsets[i].box, 4},
                                                 {offsets[i].points, 2 * layout_.points}};
    for (const auto& [offset, values] : parts) {
      if (offset < 0 || (int64_t{offset} + int64_t{count} * values) * 4 > outputs.size) {
        return invalid_argument("a face detector with " + std::to_string(count) + " boxes of stride " +
                                std::to_string(stride) + " exceeds the " + std::to_string(outputs.size) +
                                " bytes of its outputs");
      }
    }
    first += count;
  }
  const BufferRange boxes{boxes_.id(), 0, bytes(4 + 2 * layout_.points)}, scores{scores_.id(), 0, bytes(1)};
  {
    Pass pass(*gl_);
    pass.uniforms(kParamsBinding, block_, block);
    pass.storage({outputs, boxes, scores});
    pass.dispatch(program_->id(), groups_of(layout_.boxes()));
  }
  choice.weighted = false;
  return decoder_->decode(boxes, scores, to_upright, choice);
}

}  // namespace sightglass
