// Operators of the graph, which graph/operators.h lists, and their attributes. Names follow TensorFlow Lite. Parameters
// that a file stores as constant tensors (paddings, axes, slice bounds) are attributes here, so the inputs of a node
// are only data.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "sightglass/tensor.h"

namespace sightglass {

enum class OpType : uint8_t {
#define OPERATOR(op, ...) op,
#include "graph/operators.h"
  kCount,  // the number of operators
};

// Applied to the first output of a node.
enum class Activation : uint8_t {
  kNone,
  kRelu,
  kRelu6,
  kReluN1To1,
  kTanh,
  kLogistic,
  kHardSwish,    // x * relu6(x + 3) / 6
  kHardSigmoid,  // relu6(x + 3) / 6
  kSwish,        // x * logistic(x)
  kPrelu,        // x < 0 ? slope * x : x, slope per channel
};

enum class PaddingMode : uint8_t { kSame, kValid, kExplicit };

// Padding of rows and columns. For kSame and kValid, infer_shapes() computes the four numbers.
struct Padding2d {
  PaddingMode mode = PaddingMode::kValid;
  int32_t top = 0, bottom = 0, left = 0, right = 0;
};

// Attributes. describe(), if there is something to say, adds those to a text that matter to people (AttributeText of
// dump.cpp).
struct Conv2dAttr {
  Padding2d padding;
  int32_t stride_h = 1, stride_w = 1;
  int32_t dilation_h = 1, dilation_w = 1;
  void describe(auto& text) const {
    text.add(padding).add("stride", stride_h, stride_w).add("dilation", dilation_h, dilation_w);
  }
};
struct DepthwiseConv2dAttr {
  Padding2d padding;
  int32_t stride_h = 1, stride_w = 1;
  int32_t dilation_h = 1, dilation_w = 1;
  int32_t multiplier = 1;  // output channel o reads input channel o / multiplier
  void describe(auto& text) const {
    text.add(padding)
        .add("stride", stride_h, stride_w)
        .add("dilation", dilation_h, dilation_w)
        .add("multiplier", multiplier);
  }
};
struct DepthwisePointwiseAttr {
  DepthwiseConv2dAttr depthwise;           // with a multiplier of 1
  Activation between = Activation::kNone;  // of the depthwise convolution, not kPrelu
  bool spread = false;                     // the four output channels become 2×2 pixels of one, row by row
  void describe(auto& text) const {
    depthwise.describe(text);
    if (spread) text.add("spread", spread);
    if (between != Activation::kNone) text.add("between", between);
  }
};
struct SqueezeExciteAttr {
  Activation between = Activation::kNone;  // of the first convolution, not kPrelu
  void describe(auto& text) const {
    if (between != Activation::kNone) text.add("between", between);
  }
};
// Output pixel (y, x) sums input (i, j) through tap (ky, kx) with y = i * stride_h + ky - top, likewise x.
struct TransposeConvAttr {
  Padding2d padding;
  int32_t stride_h = 1, stride_w = 1;
  int32_t out_h = 0, out_w = 0;
  void describe(auto& text) const { text.add(padding).add("stride", stride_h, stride_w).add("size", out_h, out_w); }
};
struct FullyConnectedAttr {
  bool keep_num_dims = false;
  bool asymmetric_quantize_inputs = false;  // with 8-bit weights
  void describe(auto& text) const { text.add("keep_num_dims", keep_num_dims); }
};
struct Pool2dAttr {
  Padding2d padding;
  int32_t stride_h = 1, stride_w = 1;
  int32_t filter_h = 1, filter_w = 1;
  void describe(auto& text) const {
    text.add(padding).add("stride", stride_h, stride_w).add("filter", filter_h, filter_w);
  }
};
struct ReduceAttr {
  std::vector<int32_t> axes;  // each in [0, rank), ascending, no duplicates
  bool keep_dims = false;
  void describe(auto& text) const { text.add("axes", axes).add("keep_dims", keep_dims); }
};
// Optional for ADD and SUB.
struct SumAttr {
  bool by_shifts = false;  // 16-bit integers whose scales are powers of two are only shifted
  void describe(auto& text) const { text.add("by_shifts", by_shifts); }
};
struct SoftmaxAttr {
  float beta = 1.0f;
  void describe(auto& text) const { text.add("beta", beta); }
};
struct ConcatAttr {
  int32_t axis = 0;  // in [0, rank)
  void describe(auto& text) const { text.add("axis", axis); }
};
struct PadAttr {
  std::array<int32_t, Shape::kMaxRank> before{}, after{};  // by dimension, not negative
  float value = 0.0f;                                      // for quantized tensors, in steps from the zero point
  void describe(auto& text) const { text.add("before", before).add("after", after).add("value", value); }
};
struct ReshapeAttr {
  Shape shape;  // complete: no -1
};
// output[i…] = input[begin + i * stride …]; masks, negative indices and clamping are resolved by the importer.
struct StridedSliceAttr {
  std::array<int32_t, Shape::kMaxRank> begin{}, stride{}, size{};  // by input dimension; stride is not 0
  Shape shape;                                                     // of the output: `size` without shrunk axes
  void describe(auto& text) const { text.add("begin", begin).add("stride", stride).add("size", size); }
};
struct ResizeAttr {
  int32_t out_h = 0, out_w = 0;
  bool align_corners = false;
  bool half_pixel_centers = false;

  // Input pixels per output pixel along a dimension of `from` input and `to` output pixels.
  float scale(int32_t from, int32_t to) const {
    return align_corners && to > 1 ? static_cast<float>(from - 1) / static_cast<float>(to - 1)
                                   : static_cast<float>(from) / static_cast<float>(to);
  }
  void describe(auto& text) const {
    text.add("size", out_h, out_w).add("align_corners", align_corners).add("half_pixel_centers", half_pixel_centers);
  }
};
struct DynamicQuantizeAttr {
  int32_t group = 0;        // neighboring elements that share a range; divides the number of elements
  bool asymmetric = false;  // range from minimum to maximum value; otherwise symmetric around zero
  bool operator==(const DynamicQuantizeAttr&) const = default;
  void describe(auto& text) const { text.add("group", group).add("asymmetric", asymmetric); }
};
struct BlockSizeAttr {
  int32_t block_size = 1;
  void describe(auto& text) const { text.add("block", block_size); }
};

struct LstmAttr {
  bool basic = false;                         // form of the inputs
  bool time_major = false;                    // of a sequence
  Activation activation = Activation::kTanh;  // of the cell gate and the cells
  float cell_clip = 0, projection_clip = 0;   // ± bounds; 0: none
  float made_scale = 0;                       // for integers: scale and zero point of the cell outputs, int8
  int32_t made_zero_point = 0;
  void describe(auto& text) const {
    text.add("basic", basic).add("time_major", time_major).add("cells", activation);
    if (cell_clip > 0) text.add("cell_clip", cell_clip);
    if (projection_clip > 0) text.add("projection_clip", projection_clip);
  }
};
struct ArgAttr {
  int32_t axis = 0;  // in [0, rank); removed from the result
  void describe(auto& text) const { text.add("axis", axis); }
};
struct LeakyReluAttr {
  float alpha = 0.0f;
  void describe(auto& text) const { text.add("alpha", alpha); }
};
// Of all integers of 8-bit data, from the lowest: the integers of the result.
struct LookupAttr {
  std::vector<int32_t> results;
};
struct GeluAttr {
  bool approximate = false;  // uses tanh, not the error function
  void describe(auto& text) const { text.add("approximate", approximate); }
};
struct BatchMatmulAttr {
  bool adj_x = false, adj_y = false;  // which operands are transposed
  void describe(auto& text) const { text.add("adj_x", adj_x).add("adj_y", adj_y); }
};
struct TopKAttr {
  int32_t k = 1;
  void describe(auto& text) const { text.add("k", k); }
};
struct LandmarksToMatrixAttr {
  int32_t left = 0, right = 0;       // landmarks on a line that defines the rotation
  bool directed = true;              // otherwise left and right are interchangeable
  float target_rotation = 0;         // of that line in the crop, in radians
  std::vector<int32_t> subset;       // landmarks inside the crop
  float scale_x = 1, scale_y = 1;    // of the crop, relative to the box around them
  float columns = 1, rows = 1;       // width and height of the crop in its own pixels
  float pixels_x = 1, pixels_y = 1;  // of the image, for the unit of the landmarks
  void describe(auto& text) const { text.add("line", left, right).add("subset", subset); }
};
struct TransformLandmarksAttr {
  int32_t dimensions = 3;  // of a landmark: 2 or 3
  float scale = 1;         // from the unit of the matrix to that of the landmarks
  void describe(auto& text) const { text.add("dimensions", dimensions).add("scale", scale); }
};
struct TransformImageAttr {
  int32_t out_h = 0, out_w = 0;
  bool half_pixel_centers = false;  // positions count from pixel corners, otherwise from pixel centers
  void describe(auto& text) const { text.add("size", out_h, out_w).add("half_pixel_centers", half_pixel_centers); }
};
struct SelectAttr {
  bool by_row = false;  // the condition is a vector with one element per index of the first dimension
  void describe(auto& text) const { text.add("by_row", by_row); }
};
struct BroadcastToAttr {
  Shape shape;
};

// Operands of TFLite_Detection_PostProcess.
namespace detection {
// Inputs: box offsets from anchors [1, boxes, 4 or more]: y, x, height, width; scores [1, boxes, classes, optionally
// preceded by a background score]; anchors [boxes, 4]: center y and x, height, width.
inline constexpr size_t kBoxes = 0, kScores = 1, kAnchors = 2;
// Outputs: corners [1, detections, 4]: ymin, xmin, ymax, xmax; classes and scores [1, detections]; their number [1].
inline constexpr size_t kOutBoxes = 0, kOutClasses = 1, kOutScores = 2, kOutNumber = 3, kOutputs = 4;
}  // namespace detection

struct DetectionAttr {
  int32_t max_detections = 0, max_classes = 1;  // per detection, listed separately
  int32_t per_class = 100, classes = 0;
  bool regular = false;  // suppresses boxes per class and keeps `per_class`; otherwise by their best class
  float score_threshold = 0, iou_threshold = 0;
  float y_scale = 1, x_scale = 1, h_scale = 1, w_scale = 1;  // divisors of the box values
  void describe(auto& text) const {
    text.add("detections", max_detections)
        .add("classes", max_classes, classes, "/")
        .add("regular", regular)
        .add("score", score_threshold)
        .add("iou", iou_threshold);
  }
};

struct PosenetDecoderAttr {
  int32_t max_detections = 0;  // maximum number of poses
  float score_threshold = 0;   // of a pose, and of its first keypoint
  int32_t stride = 0;          // pixels per cell
  float nms_radius = 0;        // two keypoints of a kind within this many pixels belong to one person
  void describe(auto& text) const {
    text.add("detections", max_detections)
        .add("score", score_threshold)
        .add("radius", nms_radius)
        .add("stride", stride);
  }
};

struct TransposeAttr {
  std::vector<int32_t> permutation;  // output dimension d is input dimension permutation[d]
  void describe(auto& text) const { text.add("permutation", permutation); }
};
struct SplitAttr {
  int32_t axis = 0;            // in [0, rank)
  std::vector<int32_t> sizes;  // of the outputs along the axis
  bool drop_axis = false;      // of outputs of size 1
  void describe(auto& text) const { text.add("axis", axis).add("sizes", sizes).add("drop_axis", drop_axis); }
};
struct TileAttr {
  std::vector<int32_t> multiples;  // by dimension
  void describe(auto& text) const { text.add("multiples", multiples); }
};
struct MirrorPadAttr {
  std::array<int32_t, Shape::kMaxRank> before{}, after{};  // by dimension, not negative
  bool symmetric = false;                                  // also repeats border elements
  void describe(auto& text) const { text.add("before", before).add("after", after).add("symmetric", symmetric); }
};
// Per image dimension: after the batch, before the channels.
struct BatchSpaceAttr {
  std::vector<int32_t> block;
  std::vector<int32_t> before, after;  // zero padding or cropped part
  void describe(auto& text) const { text.add("block", block).add("before", before).add("after", after); }
};
struct GatherAttr {
  int32_t axis = 0;        // in [0, rank) of the data
  int32_t batch_dims = 0;  // leading dimensions shared by data and indices
  void describe(auto& text) const {
    text.add("axis", axis);
    if (batch_dims > 0) text.add("batch_dims", batch_dims);
  }
};

using NoAttr = std::monostate;

// A variant of distinct types: operators share some.
template <typename Variant, typename...>
struct Distinct {
  using type = Variant;
};
template <typename... Known, typename Next, typename... More>
struct Distinct<std::variant<Known...>, Next, More...>
    : Distinct<std::conditional_t<(std::is_same_v<Known, Next> || ...), std::variant<Known...>,
                                  std::variant<Known..., Next>>,
               More...> {};

#define OPERATOR(op, name, attributes, ...) , attributes
using Attributes = Distinct<std::variant<NoAttr, SumAttr>
#include "graph/operators.h"
                            >::type;

// Convolutions and the fully connected layer: input 1 is the weights, 2 the bias, 3 the slopes of a fused PRELU.
bool has_weights(OpType op);

// Operators whose constant operands are converted to floats for the GPU layout, whatever their type.
bool packs_constants(OpType op);

std::vector<OpType> all_ops();

// Whether the attributes are those of the operator.
bool fits(OpType op, const Attributes& attributes);

// The activation computed by the operator itself; kNone for other operators.
Activation activation_of(OpType op);

// Whether elements are moved unchanged, whatever their type. A quantized output then has the quantization of the input.
bool moves_as_is(OpType op);

const char* to_string(OpType op);  // TensorFlow Lite name: "CONV_2D"
const char* to_string(Activation activation);

}  // namespace sightglass
