// Decodes the heads of the YOLO family on the GPU, from v3 on: boxes with a score per class become a short list of
// detections. Finds the layout of a head in the shapes of a model and the notes of its exporter.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "detect/detections.h"
#include "detect/ssd_decoder.h"
#include "gl/objects.h"
#include "sightglass/input_transform.h"
#include "sightglass/model.h"
#include "sightglass/session.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"
#include "sightglass/texture_ref.h"

namespace sightglass {

// Coordinates whose largest center is above this are pixels, otherwise fractions of the model input.
inline constexpr float kLargestFraction = 8.0F;
inline constexpr float kFarthest = 1000000000.0F;  // of coordinates; boxes beyond are no boxes
inline constexpr int32_t kBoxValues = 4;           // of a box; its scores follow
inline constexpr int32_t kCountedClasses = 256;    // for masks; others do not count
inline constexpr float kYoloOverlap = 0.45F;       // of boxes of one object, unless an application says otherwise
// Coordinates, sides, and radians of rotated boxes; others are no boxes. Products of four sides are finite and not 0.
inline constexpr float kFarthestRotated = 100000.0F, kNarrowestRotated = 0.000001F, kLargestAngle = 1000.0F;

// A row has the values of a box: center x and y, width, height; a score of any object, if there is one; a score per
// class; then further values. Ranked rows have minimum x and y, maximum x and y, score, class; then further values.
// Rotated boxes always have center and size, and their angle is the only further value: in radians, clockwise.
struct YoloLayout {
  int32_t boxes = 0, values = 0;  // rows, and values per row
  bool boxes_last = false;        // the output is 1 x values x boxes
  int32_t classes = 0;            // 0: not known, for ranked rows
  bool objectness = false;        // a score of any object precedes those of the classes, and multiplies them
  bool ranked = false;            // the model has chosen the boxes: none is suppressed
  int32_t further = 0;            // values that follow: coefficients of masks, or keypoints
  int32_t width = 0, height = 0;  // of the model input in pixels
  // Of the layers of cells, if the values of a box are relative to its cell (YOLOX): center = (value + cell) * stride,
  // size = exp(value) * stride. All 0: they are not.
  std::array<int32_t, 4> strides{};
  // FOMO: a row is a cell of a grid with this many columns, and has a score of the background, then one per class.
  int32_t grid_columns = 0;
  // CenterNet: a row has only scores of classes, and other outputs have width and height, and the offset of the center
  // from the cell, x and y, all in cells.
  bool centers = false;
  bool logits = false;  // only with a grid: a softmax applies, or with centers the logistic function
  // YOLO v2: each cell of the grid has so many boxes, with logits of the center in the cell, logarithms of the size
  // relative to an anchor, logits of any object and of the classes.
  int32_t cell_anchors = 0;
  std::array<std::array<float, 2>, kMostCellAnchors> anchor_sizes{};  // width and height, in fractions of the input
  // NanoDet: a row has a score per class, then for each side of a box so many logits of its distance from the cell.
  int32_t bins = 0;
  bool rotated = false;
  int32_t first_further() const { return values - further; }
  // Between the values of two boxes, and between two values of a box.
  int32_t box_step() const { return boxes_last ? 1 : values; }
  int32_t value_step() const { return boxes_last ? boxes : 1; }
};

enum class YoloHead : uint8_t {
  kPlain,
  kObjectness,
  kRanked,
  kCells,
  kGrid,
  kDistributions,
  kCenters,
  kCellAnchors,
  kRotated,
  kRankedRotated,
};

// What a model has in addition to boxes.
struct YoloModel {
  YoloHead head = YoloHead::kPlain;
  YoloLayout layout;
  size_t output = 0;                        // with the boxes
  std::optional<size_t> prototypes;         // output with those of masks: 1 x height x width x coefficients
  size_t sizes = 0, offsets = 0;            // further outputs with YoloLayout::centers
  int32_t points = 0, values_of_point = 0;  // keypoints of each box: x, y, and a score if there is a third
  std::vector<std::string> names;           // by class; may be empty
};

struct YoloSearch {
  std::optional<YoloModel> found;
  std::string reason;    // why there is none
  bool is_near = false;  // an output has the shape of a list of boxes
};
// Whether the exporter notes that the boxes are rotated. Only heads for those are then found.
bool has_rotated_boxes(const Model& model);
inline constexpr const char* kRotatedBoxes =
    "its boxes are rotated (task \"obb\" of the exporter); run it as a detector, with decoder=yolo-obb or auto";

// Finds a head of this kind. `is_asked_for`: also with a number of boxes that is not that of the cells of the input.
// `classes`: their number if it is known, otherwise 0.
YoloSearch find_yolo(const Model& model, YoloHead head, bool is_asked_for = false, size_t classes = 0);

// The grid of a model whose only output has scores of the background and of classes per cell: 1 x rows x columns x
// scores. `logits`: a softmax applies. Nothing if there is no such output.
std::optional<YoloModel> find_grid(const Model& model, bool logits);

// The grid of a model with three outputs, for cells of 4 pixels: scores of classes, two values, and two values, of
// which the offsets are called so ("reg", "off"), or follow the sizes (YoloLayout::centers).
std::optional<YoloModel> find_centers(const Model& model);

// The grid of a model whose only output has boxes with anchors: 1 x rows x columns x (anchors * (5 + classes)).
// `anchors` is for parse_cell_anchors(). The error names what does not fit.
Result<YoloModel> find_cell_anchors(const Model& model, const std::string& anchors);

// Of the first value of an output in the buffer of all outputs, in floats.
struct CenterOffsets {
  int32_t scores = 0, sizes = 0, offsets = 0;
};

class YoloDecoder {
 public:
  // Compiles the programs that the share group does not have yet. Fails if the layout is invalid. The context must be
  // current here, for every call, and for destruction.
  static Result<std::unique_ptr<YoloDecoder>> create(std::shared_ptr<ShareGroup> group, const YoloLayout& layout);

  // Issues two dispatches, without wait, readback or upload (except changed parameters). `output` is that of a session;
  // `to_upright` maps model input coordinates to the upright frame. Boxes of the same class suppress each other.
  // Rotated ones overlap by ProbIoU in pixels of the model input (shaders/detect/rotated.glsl). Afterwards,
  // detections() is visible to compute shaders and GL copies, and GL state is as sessions leave it. With centers,
  // `output` begins at offset 0 of its buffer and has all outputs.
  Status decode(const BufferRange& output, const InputTransform& to_upright, const SsdChoice& choice = {},
                const CenterOffsets& centers = {});
  // A buffer with Detections (detections.h), best first, and the first of equals before others; initially zero. Always
  // the same buffer.
  GLuint detections() const { return detections_.id(); }
  const YoloLayout& layout() const { return layout_; }

 private:
  struct HeadBlock {  // Yolo of shaders/detect/yolo_block.glsl
    std::array<int32_t, 4> steps{}, head{}, size{}, strides{};
    bool operator==(const HeadBlock&) const = default;
  };
  YoloDecoder(std::shared_ptr<ShareGroup> group, const YoloLayout& layout);
  Status check_size(const BufferRange& output, const CenterOffsets& centers) const;

  std::shared_ptr<ShareGroup> group_;  // first: everything below refers to its function table
  const GlApi* gl_;
  YoloLayout layout_;
  std::vector<SharedProgram> programs_;  // boxes, suppression
  UniformBlock<HeadBlock> head_block_;
  UniformBlock<std::array<int32_t, 8>> grid_block_;  // Grid of shaders/detect/grid_boxes.comp
  struct AnchorBlock {                               // Anchors of shaders/detect/anchor_boxes.comp
    std::array<int32_t, 4> grid{};
    std::array<std::array<float, 2>, kMostCellAnchors> sizes{};
    bool operator==(const AnchorBlock&) const = default;
  };
  UniformBlock<AnchorBlock> anchor_block_;
  UniformBlock<SsdBlock> block_;
  GlBuffer boxes_, best_, largest_, detections_;
};

// The masks of the objects that a YoloDecoder has found, from the prototypes of a segmentation model. They cover the
// model input. Same rules as YoloDecoder.
class YoloMasks {
 public:
  enum class Shows : uint8_t {
    kObjects,     // colors of classes, multiplied by probabilities, which are in A (shaders/draw/masks.frag)
    kForeground,  // the probability of the classes that count, in R
    kNumbers,     // that of all classes in R, and the number of the object in G: a byte, 1 for the first, 0 for none
  };
  // `prototypes` is the shape of that output. `counted`: classes for kForeground.
  static Result<YoloMasks> create(const std::shared_ptr<ShareGroup>& group, const YoloLayout& layout,
                                  const Shape& prototypes, Shows shows, const std::vector<int32_t>& counted = {});

  // Issues one dispatch after YoloDecoder::decode() with the same `output` and `to_upright`.
  void run(const BufferRange& output, const BufferRange& prototypes, GLuint detections,
           const InputTransform& to_upright);
  TextureRef texture() const { return {texture_.id(), GL_TEXTURE_2D, block_content_.size[0], block_content_.size[1]}; }

 private:
  struct Block {  // Params of shaders/detect/instance_masks.comp
    std::array<int32_t, 4> size{}, steps{};
    std::array<uint32_t, kCountedClasses / 32> counted{};
    std::array<float, 8> place{};
    bool operator==(const Block&) const = default;
  };
  YoloMasks(const GlApi& gl, SharedProgram program, const Block& content);

  const GlApi* gl_;
  SharedProgram program_;
  Block block_content_;
  UniformBlock<Block> block_;
  GlTexture texture_;
};

}  // namespace sightglass
