// Operators of the graph and their attributes. graph/operator_table.h lists their other properties. Names follow
// TensorFlow Lite. Parameters that a file stores as constant tensors (paddings, axes, slice bounds) are attributes
// here, so the inputs of a node are only data.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "sightglass/tensor.h"

namespace sightglass {

enum class OpType : uint8_t {
  kConv2d,           // inputs: data, weights [O,kh,kw,I], bias [O] or none, PReLU slope [O] when activation is kPrelu;
                     // tensor added before the activation, of the output shape or [B,1,1,O], or none
                     // (kResidualInput);
                     // factor per channel of the data, [B,1,1,I*groups], or none (kGateInput);
                     // filter o reads the I channels of its group: all channels if I is their number
  kDepthwiseConv2d,  // inputs: data, weights [1,kh,kw,I*multiplier], bias or none, slope as above
  kDepthwisePointwise,  // a DEPTHWISE_CONV_2D and the 1×1 CONV_2D that is its only reader; inputs: data of the
                        // depthwise convolution, other inputs of the CONV_2D, and depthwise weights, bias or none
                        // (kDepthwiseWeights, kDepthwiseBias)
  kTransposeConv,       // inputs: data, weights [O,kh,kw,I], bias or none, slope as above
  kFullyConnected,      // inputs: data, weights [O,I], bias or none, slope as above
  kAveragePool2d,
  kMaxPool2d,
  kMaxPoolWithArgmax,  // outputs: maxima, their positions in the window: row * filter_w + column + 0.1
  kMaxUnpool,          // inputs: data, positions from such a pool; zero elsewhere
  kMean,
  kAdd,
  kSub,
  kMul,
  kMaximum,
  kMinimum,
  kPrelu,  // inputs: data, slope (broadcast)
  kRelu,
  kRelu6,
  kReluN1To1,
  kLogistic,
  kTanh,
  kHardSwish,
  kExp,
  kSoftmax,  // over the last dimension
  kConcat,
  kPad,
  kReshape,  // also SQUEEZE and EXPAND_DIMS
  kStridedSlice,
  kResizeBilinear,
  kDepthToSpace,
  kLstm,  // also UNIDIRECTIONAL_SEQUENCE_LSTM; operands: graph/lstm.h; outputs: data, next hidden state, next cell
          // state
  kDetectionPostprocess,  // operands: graph/detection.h
  kDequantize,
  kQuantize,         // from float32, or from one quantization to another
  kReinterpret,      // the same stored numbers in another quantization
  kDynamicQuantize,  // float32 quantized to 8 bits over its own range, for operators with 8-bit weights

  // Elementwise, one operand.
  kRsqrt,
  kSqrt,
  kSquare,
  kNeg,
  kAbs,
  kLog,
  kFloor,
  kCeil,
  kRound,  // rounds halves to even
  kSign,
  kSin,
  kCos,
  kElu,  // with alpha 1
  kLeakyRelu,
  kGelu,
  kRelu0To1,
  kLogicalNot,
  kZerosLike,
  kCast,  // to the type of its output

  // Two operands that broadcast.
  kDiv,
  kPow,
  kSquaredDifference,
  kFloorDiv,
  kFloorMod,
  kAtan2,
  kLogicalAnd,
  kLogicalOr,
  kEqual,  // this and the following output bool
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,

  kSelect,       // inputs: condition, values if true, values if false; all broadcast
  kBroadcastTo,  // also FILL
  kAddN,

  kSum,
  kReduceMax,
  kReduceMin,
  kReduceProd,
  kReduceAny,
  kReduceAll,
  kArgMax,
  kArgMin,
  kLogSoftmax,       // over the last dimension
  kL2Normalization,  // likewise

  // Movements of unchanged elements.
  kTranspose,
  kSplit,  // also SPLIT_V and UNPACK; several outputs
  kPack,   // the axis is new in the output
  kTile,
  kMirrorPad,
  kSpaceToDepth,
  kSpaceToBatch,
  kBatchToSpace,
  kResizeNearest,
  kGather,    // inputs: data, indices
  kGatherNd,  // inputs: data, indices: each row of the last dimension is a position

  kBatchMatmul,  // matrices in the last two dimensions; those before broadcast
  kTopK,         // along the last dimension, largest first; outputs: elements, indices (lower index first if equal)

  // From MediaPipe. A matrix is 4 x 4, row by row; its first two rows map a position (x, y, 0, 1) to another.
  kLandmarksToMatrix,   // inputs: landmarks (x, y, z each); output: maps a crop around them to their image
  kTransformLandmarks,  // inputs: landmarks, matrix
  kTransformImage,      // inputs: data, matrix from output to data positions; bilinear, zero outside

  kPosenetDecoder,  // from Coral; operands: graph/posenet.h

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

struct Conv2dAttr {
  Padding2d padding;
  int32_t stride_h = 1, stride_w = 1;
  int32_t dilation_h = 1, dilation_w = 1;
};
struct DepthwiseConv2dAttr {
  Padding2d padding;
  int32_t stride_h = 1, stride_w = 1;
  int32_t dilation_h = 1, dilation_w = 1;
  int32_t multiplier = 1;  // output channel o reads input channel o / multiplier
};
struct DepthwisePointwiseAttr {
  DepthwiseConv2dAttr depthwise;           // with a multiplier of 1
  Activation between = Activation::kNone;  // of the depthwise convolution, not kPrelu
};
// Output pixel (y, x) sums input (i, j) through tap (ky, kx) with y = i * stride_h + ky - top, likewise x.
struct TransposeConvAttr {
  Padding2d padding;
  int32_t stride_h = 1, stride_w = 1;
  int32_t out_h = 0, out_w = 0;
};
struct FullyConnectedAttr {
  bool keep_num_dims = false;
  bool asymmetric_quantize_inputs = false;  // with 8-bit weights
};
struct Pool2dAttr {
  Padding2d padding;
  int32_t stride_h = 1, stride_w = 1;
  int32_t filter_h = 1, filter_w = 1;
};
struct ReduceAttr {
  std::vector<int32_t> axes;  // each in [0, rank), ascending, no duplicates
  bool keep_dims = false;
};
// Optional for ADD and SUB.
struct SumAttr {
  bool by_shifts = false;  // 16-bit integers whose scales are powers of two are only shifted
};
struct SoftmaxAttr {
  float beta = 1.0f;
};
struct ConcatAttr {
  int32_t axis = 0;  // in [0, rank)
};
struct PadAttr {
  std::array<int32_t, Shape::kMaxRank> before{}, after{};  // by dimension, not negative
  float value = 0.0f;                                      // for quantized tensors, in steps from the zero point
};
struct ReshapeAttr {
  Shape shape;  // complete: no -1
};
// output[i…] = input[begin + i * stride …]; masks, negative indices and clamping are resolved by the importer.
struct StridedSliceAttr {
  std::array<int32_t, Shape::kMaxRank> begin{}, stride{}, size{};  // by input dimension; stride is not 0
  Shape shape;                                                     // of the output: `size` without shrunk axes
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
};
struct DynamicQuantizeAttr {
  int32_t group = 0;        // neighboring elements that share a range; divides the number of elements
  bool asymmetric = false;  // range from minimum to maximum value; otherwise symmetric around zero
  bool operator==(const DynamicQuantizeAttr&) const = default;
};
struct DepthToSpaceAttr {
  int32_t block_size = 1;
};

struct LstmAttr {
  bool basic = false;                         // form of the inputs
  bool time_major = false;                    // of a sequence
  Activation activation = Activation::kTanh;  // of the cell gate and the cells
  float cell_clip = 0, projection_clip = 0;   // ± bounds; 0: none
  float made_scale = 0;                       // for integers: scale and zero point of the cell outputs, int8
  int32_t made_zero_point = 0;
};
struct ArgAttr {
  int32_t axis = 0;  // in [0, rank); removed from the result
};
struct LeakyReluAttr {
  float alpha = 0.0f;
};
struct GeluAttr {
  bool approximate = false;  // uses tanh, not the error function
};
struct BatchMatmulAttr {
  bool adj_x = false, adj_y = false;  // which operands are transposed
};
struct TopKAttr {
  int32_t k = 1;
};
struct LandmarksToMatrixAttr {
  int32_t left = 0, right = 0;       // landmarks on a line that defines the rotation
  bool directed = true;              // otherwise left and right are interchangeable
  float target_rotation = 0;         // of that line in the crop, in radians
  std::vector<int32_t> subset;       // landmarks inside the crop
  float scale_x = 1, scale_y = 1;    // of the crop, relative to the box around them
  float columns = 1, rows = 1;       // width and height of the crop in its own pixels
  float pixels_x = 1, pixels_y = 1;  // of the image, for the unit of the landmarks
};
struct TransformLandmarksAttr {
  int32_t dimensions = 3;  // of a landmark: 2 or 3
  float scale = 1;         // from the unit of the matrix to that of the landmarks
};
struct TransformImageAttr {
  int32_t out_h = 0, out_w = 0;
  bool half_pixel_centers = false;  // positions count from pixel corners, otherwise from pixel centers
};
struct SelectAttr {
  bool by_row = false;  // the condition is a vector with one element per index of the first dimension
};
struct BroadcastToAttr {
  Shape shape;
};

struct DetectionAttr {
  int32_t max_detections = 0, max_classes = 1;  // per detection, listed separately
  int32_t per_class = 100, classes = 0;
  bool regular = false;  // suppresses boxes per class and keeps `per_class`; otherwise by their best class
  float score_threshold = 0, iou_threshold = 0;
  float y_scale = 1, x_scale = 1, h_scale = 1, w_scale = 1;  // divisors of the box values
};

struct PosenetDecoderAttr {
  int32_t max_detections = 0;  // maximum number of poses
  float score_threshold = 0;   // of a pose, and of its first keypoint
  int32_t stride = 0;          // pixels per cell
  float nms_radius = 0;        // two keypoints of a kind within this many pixels belong to one person
};

struct TransposeAttr {
  std::vector<int32_t> permutation;  // output dimension d is input dimension permutation[d]
};
struct SplitAttr {
  int32_t axis = 0;            // in [0, rank)
  std::vector<int32_t> sizes;  // of the outputs along the axis
  bool drop_axis = false;      // of outputs of size 1
};
struct TileAttr {
  std::vector<int32_t> multiples;  // by dimension
};
struct MirrorPadAttr {
  std::array<int32_t, Shape::kMaxRank> before{}, after{};  // by dimension, not negative
  bool symmetric = false;                                  // also repeats border elements
};
// Per image dimension: after the batch, before the channels.
struct BatchSpaceAttr {
  std::vector<int32_t> block;
  std::vector<int32_t> before, after;  // zero padding or cropped part
};
struct GatherAttr {
  int32_t axis = 0;        // in [0, rank) of the data
  int32_t batch_dims = 0;  // leading dimensions shared by data and indices
};

using Attributes =
    std::variant<std::monostate, Conv2dAttr, DepthwiseConv2dAttr, DepthwisePointwiseAttr, TransposeConvAttr,
                 FullyConnectedAttr, Pool2dAttr, ReduceAttr, SumAttr, SoftmaxAttr, ConcatAttr, PadAttr, ReshapeAttr,
                 StridedSliceAttr, ResizeAttr, DepthToSpaceAttr, DynamicQuantizeAttr, LstmAttr, LeakyReluAttr, GeluAttr,
                 SelectAttr, BroadcastToAttr, ArgAttr, DetectionAttr, TransposeAttr, SplitAttr, TileAttr, MirrorPadAttr,
                 BatchSpaceAttr, GatherAttr, BatchMatmulAttr, TopKAttr, LandmarksToMatrixAttr, TransformLandmarksAttr,
                 TransformImageAttr, PosenetDecoderAttr>;

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
