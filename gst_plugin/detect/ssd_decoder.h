// Decodes single-shot detectors on the GPU: converts raw boxes (relative to anchors) and scores to a short list of
// detections. For BlazeFace, the BlazePose and palm detectors, and SSD models without a detection operator.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "detect/detections.h"
#include "gl/objects.h"
#include "sightglass/gl_objects.h"
#include "sightglass/input_transform.h"
#include "sightglass/session.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"

namespace sightglass {

// The anchors to which single-shot detectors relate their boxes, in the layout of MediaPipe's SSD anchor calculator.
// Center and size in fractions of the model input.
struct Anchor {
  float x = 0, y = 0, width = 1, height = 1;
  bool operator==(const Anchor&) const = default;
};

struct AnchorGrid {
  int32_t input_width = 0, input_height = 0;  // pixels
  // One per layer of anchors, finest first; consecutive layers of equal stride share their positions.
  std::vector<int32_t> strides;
  std::vector<float> aspect_ratios{1};  // width / height
  // Of an additional anchor between the scales of this layer and the next; 0: no such anchor.
  float interpolated_aspect_ratio = 1;
  float least_scale = 0, greatest_scale = 0;  // of the first and the last layer; linear in between
  bool unit_sizes = true;                     // all anchors have the size of the input: the model outputs sizes
  bool three_in_lowest_layer = false;         // the first layer has only anchors of ratio 1 (scale 0.1), 2 and 1/2
  // Instead of these scales, if above 0, as in EfficientDet: the sides of anchors are that many cells, times
  // 2^(i/octaves) for i below `octaves`, with all ratios each; or by ratio, with all sizes each.
  float anchor_scale = 0;
  int32_t octaves = 1;
  bool by_ratio = false;
};

// Ordered by layer, then row; at each position in the order of the ratios.
std::vector<Anchor> make_anchors(const AnchorGrid& grid);

// What the outputs of a detector do not show: its anchors, for an input of that size, and how boxes are encoded.
struct AnchorChoice {
  AnchorGrid grid;
  std::array<float, 2> factors{1, 1};  // SsdLayout: x_scale, y_scale; width_scale, height_scale
  bool y_first = true;
  int32_t background = 0;
};
// Reads "strides=8,16,32,64,128; anchor-scale=4; octaves=3; ratios=1,2,0.5; factors=1,1": the key `strides`, and any of
// `ratios`, `scales` (first and last), `lowest-three`, `interpolated`, `anchor-scale`, `octaves`, `by-ratio`,
// `factors`, `order` (yx or xy), and `background`. Those without scales have anchors of the size of the input. The
// error names the key.
Result<AnchorChoice> parse_anchors(const std::string& text, int32_t width, int32_t height);

// The anchors that every cell of a grid has: widths and heights in fractions of the model input, or in cells.
inline constexpr int32_t kMostCellAnchors = 16;
struct CellAnchors {
  std::vector<std::array<float, 2>> sizes;  // 1 to kMostCellAnchors
  bool in_cells = false;
};
// Whether the text is for parse_cell_anchors(), and not for parse_anchors().
bool describes_cell_anchors(const std::string& text);
// Reads "sizes=0.1x0.2,0.3x0.3", or "cells=" in cells.
Result<CellAnchors> parse_cell_anchors(const std::string& text);

// Layout of the outputs. A box is: center x, center y, width, height (`y_first`: y, x, height, width), then points that
// begin with x and y. Each value is in units of input size / scale, relative to the anchor center:
//   x = value / x_scale * anchor.width + anchor.x      width = value / width_scale * anchor.width
// or, with exponential_sizes, width = exp(value / width_scale) * anchor.width.
struct SsdLayout {
  std::vector<Anchor> anchors;  // one per box
  int32_t values = 4;           // per box
  int32_t points = 0;           // per box, at most kMaxDetectionPoints
  int32_t first_point = 4;      // index of its first value
  int32_t point_values = 2;     // values per point
  int32_t classes = 1;          // scores per box
  int32_t background = 0;       // number of leading background classes
  bool logits = true;           // apply the logistic function to scores
  float logit_limit = 100;      // clamp them to ± this first
  float x_scale = 1, y_scale = 1, width_scale = 1, height_scale = 1;
  bool exponential_sizes = false;
  bool y_first = false;
};

// Which boxes become detections.
struct SsdChoice {
  float threshold = 0.5f;      // minimum score
  float iou_threshold = 0.3f;  // boxes that overlap by more (intersection over union) are merged
  bool weighted = true;        // average merged boxes as MediaPipe does; otherwise keep the best one
  int32_t most = kMaxDetections;
};

// The uniform block Ssd of shaders/detect/ssd_block.glsl.
struct SsdBlock {
  std::array<int32_t, 4> boxes{}, classes{}, layout{};
  std::array<float, 4> scales{}, limits{};
  std::array<float, 8> place{};
  bool operator==(const SsdBlock&) const = default;
};

class SsdDecoder {
 public:
  static constexpr int32_t kMostBoxes = 81920;

  // Compiles the programs that the share group does not have yet. Fails if the layout is invalid. The context must be
  // current here, for every call, and for destruction.
  static Result<std::unique_ptr<SsdDecoder>> create(std::shared_ptr<ShareGroup> group, SsdLayout layout);

  // Issues two dispatches, without wait, readback or upload (except changed parameters). `boxes` and `scores` are
  // outputs of one session (Session::output_buffer()); `to_upright` maps model input coordinates to the upright frame.
  // Afterwards, detections() is visible to compute shaders and GL copies, and GL state is as sessions leave it.
  Status decode(const BufferRange& boxes, const BufferRange& scores, const InputTransform& to_upright,
                const SsdChoice& choice = {});
  // A buffer with Detections (detections.h), best first; initially zero. Always the same buffer.
  GLuint detections() const { return detections_.id(); }

 private:
  SsdDecoder(std::shared_ptr<ShareGroup> group, SsdLayout layout);
  GLsizeiptr anchors_bytes() const { return static_cast<GLsizeiptr>(layout_.anchors.size() * sizeof(Anchor)); }
  GLsizeiptr best_bytes() const { return static_cast<GLsizeiptr>(layout_.anchors.size() * 2 * sizeof(float)); }

  std::shared_ptr<ShareGroup> group_;  // first: everything below refers to its function table
  const GlApi* gl_;
  SsdLayout layout_;
  std::vector<SharedProgram> programs_;  // best class, suppression
  UniformBlock<SsdBlock> block_;
  GlBuffer anchors_, best_, detections_;
};

// Face detectors with several outputs, each with rows of the cells of one layer or of all layers, finest first, row by
// row:
//   SCRFD       per layer: a score; distances from the corner of the cell to the sides of the box, in strides; points
//   YuNet       per layer: two scores, of which the geometric mean counts; center and logarithm of the size; points
//   RetinaFace  scores of background and face; center and logarithm of the size relative to anchors; points
//   DBFace      a score, which counts if it is the highest of the cells around; distances from the corner of the cell
//   to
//               the sides of the box, in strides; x of all points, then y of all, a quarter of the logarithms of their
//               distances from there
enum class FaceKind : int32_t { kScrfd, kYuNet, kRetinaFace, kDbFace };
inline constexpr int32_t kMostFaceLayers = 4;

struct FaceLayout {
  FaceKind kind = FaceKind::kScrfd;
  int32_t width = 0, height = 0;                   // of the model input in pixels
  int32_t anchors = 1;                             // per cell
  int32_t points = 0;                              // per box: 0 or 5
  bool logits = false;                             // apply the logistic function to scores; of RetinaFace, a softmax
  std::array<int32_t, kMostFaceLayers> strides{};  // 0: no such layer
  std::array<std::array<float, 4>, kMostFaceLayers> anchor_sizes{};  // of RetinaFace, in pixels

  int32_t columns(int32_t stride) const { return (width + stride - 1) / stride; }
  int32_t boxes_of(int32_t stride) const { return anchors * columns(stride) * ((height + stride - 1) / stride); }
  int32_t boxes() const {
    int32_t all = 0;
    for (const int32_t stride : strides) all += stride > 0 ? boxes_of(stride) : 0;
    return all;
  }
  // Values per box of an output with the scores.
  int32_t score_values() const { return kind == FaceKind::kRetinaFace ? 2 : 1; }
};

// Converts the outputs of such a detector to those that SsdDecoder takes. Same rules.
class FaceDecoder {
 public:
  // Of the first box of a layer in the buffer of all outputs, in floats.
  struct Offsets {
    int32_t score = 0, other_score = 0, box = 0, points = 0;
  };
  static Result<std::unique_ptr<FaceDecoder>> create(std::shared_ptr<ShareGroup> group, const FaceLayout& layout);

  // `outputs` begins at offset 0 of its buffer and has all outputs. Issues three dispatches.
  Status decode(const BufferRange& outputs, const std::array<Offsets, kMostFaceLayers>& offsets,
                const InputTransform& to_upright, SsdChoice choice);
  GLuint detections() const { return decoder_->detections(); }
  const FaceLayout& layout() const { return layout_; }

 private:
  struct Block {  // Faces of shaders/detect/gather_faces.comp
    std::array<int32_t, 4> faces{}, input{};
    std::array<std::array<int32_t, 4>, kMostFaceLayers> layers{}, outputs{};
    std::array<std::array<float, 4>, kMostFaceLayers> sizes{};
    bool operator==(const Block&) const = default;
  };
  FaceDecoder(const GlApi& gl, const FaceLayout& layout, SharedProgram program, std::unique_ptr<SsdDecoder> decoder);
  GLsizeiptr bytes(int32_t values) const { return GLsizeiptr{layout_.boxes()} * values * GLsizeiptr{sizeof(float)}; }

  const GlApi* gl_;
  FaceLayout layout_;
  SharedProgram program_;
  std::unique_ptr<SsdDecoder> decoder_;  // keeps the group
  UniformBlock<Block> block_;
  GlBuffer boxes_, scores_;
};

}  // namespace sightglass
