// The table of operators: one row each with the name, attributes, shape function, types, and traits. Its siblings are
// tflite/operator_table.cpp (import), ref/ref_run.cpp (reference), and ops/registry.cpp (kernels).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

#include "graph/op.h"
#include "graph/shapes/node_shapes.h"

namespace sightglass::operators {

// Element types that an operator accepts and produces, as stated in graph/operator_table.h.

// Sets of types. 8-bit and 16-bit integers are distinguished by their quantization.
using Types = uint32_t;
inline constexpr Types kF = 1;                        // float32
inline constexpr Types kH = 1 << 1;                   // float16
inline constexpr Types kQ = 1 << 2;                   // 8 or 16 bits with one scale for all elements
inline constexpr Types kAxes = 1 << 3;                // the same with per-axis scales, or unusable scales
inline constexpr Types kN = 1 << 4;                   // the same without a scale
inline constexpr Types kI = 1 << 5;                   // int32
inline constexpr Types kL = 1 << 6;                   // int64
inline constexpr Types kB = 1 << 7;                   // bool
inline constexpr Types kReal = kF | kQ;               // real numbers, quantized or not
inline constexpr Types kIntegers = kI | kL;           // int32 and int64
inline constexpr Types kNumbers = kReal | kIntegers;  // operands of arithmetic
inline constexpr Types kElements = kNumbers | kN | kB;
inline constexpr Types kAny = kElements | kH | kAxes;

inline constexpr Types kAsData = 0;  // for results: the type of the data

// Types of the inputs other than the data.
enum class OtherInputs : uint8_t {
  kAlike,      // the type of input 0
  kWeights,    // weights and biases, possibly stored as other types
  kIndices,    // int32 or int64
  kCondition,  // input 0 is a bool, the others are the data
};

struct TypeRule {
  Types data;            // input 0, and other inputs if they are kAlike
  Types made = kAsData;  // outputs
  OtherInputs others = OtherInputs::kAlike;
};

// Sets of properties: code asks for them to treat operators alike.
using Traits = uint32_t;
inline constexpr Traits kNoTraits = 0;
inline constexpr Traits kUnary = 1;                  // element-wise function of one operand that keeps its type
inline constexpr Traits kBinary = 1 << 1;            // function of two operands that broadcast, not a comparison
inline constexpr Traits kCompares = 1 << 2;          // comparison of two operands that broadcast
inline constexpr Traits kReduces = 1 << 3;           // reduction along axes: MEAN and the like
inline constexpr Traits kMovesAsIs = 1 << 4;         // moves_as_is()
inline constexpr Traits kBySteps = 1 << 5;           // movements() describes it
inline constexpr Traits kKeepsEqualShapes = 1 << 6;  // copies its input if input and output have the same shape
inline constexpr Traits kNotNegative = 1 << 8;       // known to produce no negative values
inline constexpr Traits kTakesActivation = 1 << 9;   // rewrites may fuse any activation but PRELU into it
inline constexpr Traits kPacksConstants = 1 << 10;   // packs_constants()
// has_weights(); takes a fused PRELU as well
inline constexpr Traits kHasWeights = 1 << 11 | kTakesActivation | kPacksConstants;
inline constexpr Traits kNotInFiles = 1 << 12;  // only rewrites and the importer make it
// Copies, compares, or averages stored numbers: its quantized tensors have one quantization. If they differ in a file,
// the numbers count (graph/analyses.h).
inline constexpr Traits kKeepsNumbers = 1 << 13;

using ShapeFunction = Result<std::vector<Shape>>(const NodeShapes& n);

struct Row {
  OpType op;
  const char* name;   // in TensorFlow Lite
  size_t attributes;  // index of their type in Attributes
  ShapeFunction& shapes;
  TypeRule types;
  Traits traits = kNoTraits;
  Activation activation = Activation::kNone;  // computed by the operator itself
};

template <typename T, typename... All>
constexpr size_t index_among(std::type_identity<std::variant<All...>>) {
  constexpr std::array same{std::is_same_v<T, All>...};
  return static_cast<size_t>(std::ranges::find(same, true) - same.begin());
}
template <typename T>
inline constexpr size_t kAttr = index_among<T>(std::type_identity<Attributes>());
inline constexpr size_t kNoAttributes = kAttr<std::monostate>;

// Shape functions of operators with one output, and with two outputs of the same shape.
template <Result<Shape> (*infer)(const NodeShapes&)>
Result<std::vector<Shape>> one(const NodeShapes& n) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const Shape shape, infer(n));
  return std::vector<Shape>{shape};
}
template <Result<Shape> (*infer)(const NodeShapes&)>
Result<std::vector<Shape>> two(const NodeShapes& n) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const Shape shape, infer(n));
  return std::vector<Shape>{shape, shape};
}

using enum OpType;
using enum OtherInputs;

inline constexpr auto kTable = std::to_array<Row>({
    {kConv2d, "CONV_2D", kAttr<Conv2dAttr>, one<infer_conv2d>, {kReal, kAsData, kWeights}, kHasWeights},
    {kDepthwiseConv2d,
     "DEPTHWISE_CONV_2D",
     kAttr<DepthwiseConv2dAttr>,
     one<infer_depthwise_conv2d>,
     {kReal, kAsData, kWeights},
     kHasWeights},
    {kDepthwisePointwise,
     "DEPTHWISE_POINTWISE",
     kAttr<DepthwisePointwiseAttr>,
     one<infer_depthwise_pointwise>,
     {kF, kAsData, kWeights},
     kHasWeights | kNotInFiles},
    {kTransposeConv,
     "TRANSPOSE_CONV",
     kAttr<TransposeConvAttr>,
     one<infer_transpose_conv>,
     {kReal, kAsData, kWeights},
     kHasWeights},
    {kFullyConnected,
     "FULLY_CONNECTED",
     kAttr<FullyConnectedAttr>,
     one<infer_fully_connected>,
     {kReal, kAsData, kWeights},
     kHasWeights},
    {kAveragePool2d,
     "AVERAGE_POOL_2D",
     kAttr<Pool2dAttr>,
     one<infer_pool2d>,
     {kReal},
     kTakesActivation | kKeepsNumbers},
    {kMaxPool2d, "MAX_POOL_2D", kAttr<Pool2dAttr>, one<infer_pool2d>, {kReal}, kTakesActivation | kKeepsNumbers},
    {kMaxPoolWithArgmax, "MaxPoolingWithArgmax2D", kAttr<Pool2dAttr>, two<infer_pool2d>, {kF}},
    {kMaxUnpool, "MaxUnpooling2D", kAttr<Pool2dAttr>, one<infer_max_unpool>, {kF}},
    {kMean, "MEAN", kAttr<ReduceAttr>, one<infer_reduction>, {kNumbers}, kReduces | kTakesActivation},
    {kAdd, "ADD", kNoAttributes, one<infer_binary>, {kNumbers}, kBinary | kTakesActivation},
    {kSub, "SUB", kNoAttributes, one<infer_binary>, {kNumbers}, kBinary | kTakesActivation},
    {kMul, "MUL", kNoAttributes, one<infer_binary>, {kNumbers}, kBinary | kTakesActivation},
    {kMaximum, "MAXIMUM", kNoAttributes, one<infer_binary>, {kNumbers}, kBinary | kTakesActivation | kKeepsNumbers},
    {kMinimum, "MINIMUM", kNoAttributes, one<infer_binary>, {kNumbers}, kBinary | kTakesActivation | kKeepsNumbers},
    {kPrelu, "PRELU", kNoAttributes, one<infer_binary>, {kReal}, kBinary, Activation::kPrelu},
    {kRelu, "RELU", kNoAttributes, one<infer_unary>, {kReal}, kUnary | kNotNegative, Activation::kRelu},
    {kRelu6, "RELU6", kNoAttributes, one<infer_unary>, {kReal}, kUnary | kNotNegative, Activation::kRelu6},
    {kReluN1To1, "RELU_N1_TO_1", kNoAttributes, one<infer_unary>, {kReal}, kUnary, Activation::kReluN1To1},
    {kLogistic, "LOGISTIC", kNoAttributes, one<infer_unary>, {kReal}, kUnary | kNotNegative, Activation::kLogistic},
    {kTanh, "TANH", kNoAttributes, one<infer_unary>, {kReal}, kUnary, Activation::kTanh},
    {kHardSwish, "HARD_SWISH", kNoAttributes, one<infer_unary>, {kReal}, kUnary, Activation::kHardSwish},
    {kExp, "EXP", kNoAttributes, one<infer_unary>, {kReal}, kUnary | kNotNegative},
    {kSoftmax, "SOFTMAX", kAttr<SoftmaxAttr>, one<infer_softmax>, {kReal}, kNotNegative},
    {kConcat, "CONCATENATION", kAttr<ConcatAttr>, one<infer_concat>, {kAny}, kTakesActivation},
    {kPad, "PAD", kAttr<PadAttr>, one<infer_pad>, {kAny}, kBySteps | kKeepsEqualShapes | kKeepsNumbers},
    {kReshape, "RESHAPE", kAttr<ReshapeAttr>, one<infer_reshape>, {kAny}, kKeepsEqualShapes | kKeepsNumbers},
    {kStridedSlice,
     "STRIDED_SLICE",
     kAttr<StridedSliceAttr>,
     one<infer_strided_slice>,
     {kAny},
     kBySteps | kKeepsNumbers},
    {kResizeBilinear,
     "RESIZE_BILINEAR",
     kAttr<ResizeAttr>,
     one<infer_resize>,
     {kReal},
     kTakesActivation | kKeepsEqualShapes | kKeepsNumbers},
    {kDepthToSpace,
     "DEPTH_TO_SPACE",
     kAttr<DepthToSpaceAttr>,
     one<infer_depth_to_space>,
     {kAny},
     kKeepsEqualShapes | kKeepsNumbers},
    {kLstm, "LSTM", kAttr<LstmAttr>, infer_lstm, {kReal, kReal, kWeights}, kPacksConstants},
    {kDetectionPostprocess,
     "TFLite_Detection_PostProcess",
     kAttr<DetectionAttr>,
     infer_detection,
     {kReal, kF, kWeights},
     kPacksConstants},
    {kDequantize, "DEQUANTIZE", kNoAttributes, one<infer_unary>, {kH | kQ | kAxes, kF}},
    {kQuantize, "QUANTIZE", kNoAttributes, one<infer_unary>, {kReal, kQ}},
    {kReinterpret, "REINTERPRET", kNoAttributes, one<infer_unary>, {kQ}, kNotInFiles},
    {kDynamicQuantize, "DYNAMIC_QUANTIZE", kAttr<DynamicQuantizeAttr>, one<infer_dynamic_quantize>, {kF}, kNotInFiles},
    {kRsqrt, "RSQRT", kNoAttributes, one<infer_unary>, {kReal}, kUnary},
    {kSqrt, "SQRT", kNoAttributes, one<infer_unary>, {kReal}, kUnary},
    {kSquare, "SQUARE", kNoAttributes, one<infer_unary>, {kF}, kUnary},
    {kNeg, "NEG", kNoAttributes, one<infer_unary>, {kNumbers}, kUnary},
    {kAbs, "ABS", kNoAttributes, one<infer_unary>, {kReal | kI}, kUnary},
    {kLog, "LOG", kNoAttributes, one<infer_unary>, {kReal}, kUnary},
    {kFloor, "FLOOR", kNoAttributes, one<infer_unary>, {kF}, kUnary},
    {kCeil, "CEIL", kNoAttributes, one<infer_unary>, {kF}, kUnary},
    {kRound, "ROUND", kNoAttributes, one<infer_unary>, {kF}, kUnary},
    {kSign, "SIGN", kNoAttributes, one<infer_unary>, {kF | kI}, kUnary},
    {kSin, "SIN", kNoAttributes, one<infer_unary>, {kF}, kUnary},
    {kCos, "COS", kNoAttributes, one<infer_unary>, {kF}, kUnary},
    {kElu, "ELU", kNoAttributes, one<infer_unary>, {kReal}, kUnary},
    {kLeakyRelu, "LEAKY_RELU", kAttr<LeakyReluAttr>, one<infer_unary>, {kReal}, kUnary},
    {kGelu, "GELU", kAttr<GeluAttr>, one<infer_unary>, {kReal}, kUnary},
    {kRelu0To1, "RELU_0_TO_1", kNoAttributes, one<infer_unary>, {kReal}, kUnary},
    {kLogicalNot, "LOGICAL_NOT", kNoAttributes, one<infer_unary>, {kB}, kUnary},
    {kZerosLike, "ZEROS_LIKE", kNoAttributes, one<infer_unary>, {kF | kIntegers}, kUnary},
    {kCast, "CAST", kNoAttributes, one<infer_unary>, {kElements, kElements}},
    {kDiv, "DIV", kNoAttributes, one<infer_binary>, {kReal | kI}, kBinary},
    {kPow, "POW", kNoAttributes, one<infer_binary>, {kF | kI}, kBinary},
    {kSquaredDifference, "SQUARED_DIFFERENCE", kNoAttributes, one<infer_binary>, {kReal | kI}, kBinary},
    {kFloorDiv, "FLOOR_DIV", kNoAttributes, one<infer_binary>, {kF | kIntegers}, kBinary},
    {kFloorMod, "FLOOR_MOD", kNoAttributes, one<infer_binary>, {kF | kIntegers}, kBinary},
    {kAtan2, "ATAN2", kNoAttributes, one<infer_binary>, {kF}, kBinary},
    {kLogicalAnd, "LOGICAL_AND", kNoAttributes, one<infer_binary>, {kB}, kBinary},
    {kLogicalOr, "LOGICAL_OR", kNoAttributes, one<infer_binary>, {kB}, kBinary},
    {kEqual, "EQUAL", kNoAttributes, one<infer_binary>, {kNumbers | kB, kB}, kCompares},
    {kNotEqual, "NOT_EQUAL", kNoAttributes, one<infer_binary>, {kNumbers | kB, kB}, kCompares},
    {kLess, "LESS", kNoAttributes, one<infer_binary>, {kNumbers, kB}, kCompares},
    {kLessEqual, "LESS_EQUAL", kNoAttributes, one<infer_binary>, {kNumbers, kB}, kCompares},
    {kGreater, "GREATER", kNoAttributes, one<infer_binary>, {kNumbers, kB}, kCompares},
    {kGreaterEqual, "GREATER_EQUAL", kNoAttributes, one<infer_binary>, {kNumbers, kB}, kCompares},
    {kSelect, "SELECT", kAttr<SelectAttr>, one<infer_select>, {kElements, kAsData, kCondition}, kKeepsNumbers},
    {kBroadcastTo,
     "BROADCAST_TO",
     kAttr<BroadcastToAttr>,
     one<infer_broadcast_to>,
     {kElements},
     kKeepsEqualShapes | kKeepsNumbers},
    {kAddN, "ADD_N", kNoAttributes, one<infer_add_n>, {kF | kI}},
    {kSum, "SUM", kAttr<ReduceAttr>, one<infer_reduction>, {kNumbers}, kReduces},
    {kReduceMax, "REDUCE_MAX", kAttr<ReduceAttr>, one<infer_reduction>, {kNumbers}, kReduces},
    {kReduceMin, "REDUCE_MIN", kAttr<ReduceAttr>, one<infer_reduction>, {kNumbers}, kReduces},
    {kReduceProd, "REDUCE_PROD", kAttr<ReduceAttr>, one<infer_reduction>, {kNumbers}, kReduces},
    {kReduceAny, "REDUCE_ANY", kAttr<ReduceAttr>, one<infer_reduction>, {kB}, kReduces},
    {kReduceAll, "REDUCE_ALL", kAttr<ReduceAttr>, one<infer_reduction>, {kB}, kReduces},
    {kArgMax, "ARG_MAX", kAttr<ArgAttr>, one<infer_arg_extreme>, {kReal | kI | kB, kIntegers}},
    {kArgMin, "ARG_MIN", kAttr<ArgAttr>, one<infer_arg_extreme>, {kReal | kI | kB, kIntegers}},
    {kLogSoftmax, "LOG_SOFTMAX", kNoAttributes, one<infer_softmax>, {kReal}},
    {kL2Normalization, "L2_NORMALIZATION", kNoAttributes, one<infer_softmax>, {kReal}},
    {kTranspose,
     "TRANSPOSE",
     kAttr<TransposeAttr>,
     one<infer_transpose>,
     {kAny},
     kMovesAsIs | kBySteps | kKeepsNumbers},
    {kSplit, "SPLIT", kAttr<SplitAttr>, infer_split, {kAny}, kMovesAsIs | kBySteps | kKeepsNumbers},
    {kPack, "PACK", kAttr<ConcatAttr>, one<infer_pack>, {kAny}, kMovesAsIs},
    {kTile, "TILE", kAttr<TileAttr>, one<infer_tile>, {kAny}, kMovesAsIs | kBySteps | kKeepsNumbers},
    {kMirrorPad, "MIRROR_PAD", kAttr<MirrorPadAttr>, one<infer_mirror_pad>, {kAny}, kMovesAsIs | kBySteps},
    {kSpaceToDepth,
     "SPACE_TO_DEPTH",
     kAttr<DepthToSpaceAttr>,
     one<infer_space_to_depth>,
     {kAny},
     kMovesAsIs | kBySteps | kKeepsNumbers},
    {kSpaceToBatch,
     "SPACE_TO_BATCH_ND",
     kAttr<BatchSpaceAttr>,
     one<infer_space_to_batch>,
     {kAny},
     kMovesAsIs | kBySteps},
    {kBatchToSpace,
     "BATCH_TO_SPACE_ND",
     kAttr<BatchSpaceAttr>,
     one<infer_batch_to_space>,
     {kAny},
     kMovesAsIs | kBySteps},
    {kResizeNearest,
     "RESIZE_NEAREST_NEIGHBOR",
     kAttr<ResizeAttr>,
     one<infer_resize>,
     {kAny},
     kMovesAsIs | kKeepsNumbers},
    {kGather, "GATHER", kAttr<GatherAttr>, one<infer_gather>, {kAny, kAsData, kIndices}, kMovesAsIs | kKeepsNumbers},
    {kGatherNd,
     "GATHER_ND",
     kNoAttributes,
     one<infer_gather_nd>,
     {kAny, kAsData, kIndices},
     kMovesAsIs | kKeepsNumbers},
    {kBatchMatmul, "BATCH_MATMUL", kAttr<BatchMatmulAttr>, one<infer_batch_matmul>, {kReal}},
    {kTopK, "TOPK_V2", kAttr<TopKAttr>, two<infer_top_k>, {kReal | kN | kIntegers}},
    {kLandmarksToMatrix,
     "Landmarks2TransformMatrix",
     kAttr<LandmarksToMatrixAttr>,
     one<infer_landmarks_to_matrix>,
     {kF}},
    {kTransformLandmarks, "TransformLandmarks", kAttr<TransformLandmarksAttr>, one<infer_transform_landmarks>, {kF}},
    {kTransformImage, "TransformTensorBilinear", kAttr<TransformImageAttr>, one<infer_transform_image>, {kF}},
    {kPosenetDecoder, "PosenetDecoderOp", kAttr<PosenetDecoderAttr>, infer_posenet_decoder, {kReal, kF, kWeights}},
});

constexpr bool is_complete() {
  if (kTable.size() != static_cast<size_t>(kCount)) return false;
  for (size_t i = 0; i < kTable.size(); ++i) {
    const Row& row = kTable[i];
    if (row.op != static_cast<OpType>(i) || row.name == nullptr) return false;
  }
  return true;
}
static_assert(is_complete(), "every operator has a row, in the order of OpType");

constexpr const Row& row_of(OpType op) { return kTable[static_cast<size_t>(op)]; }

constexpr bool has(const Row& row, Traits traits) { return (row.traits & traits) == traits; }
constexpr bool has(OpType op, Traits traits) { return has(row_of(op), traits); }

// For tables of some operators, whose rows have the operator as `op`: number of rows of an operator.
template <typename Rows>
constexpr auto rows_of(const Rows& rows, OpType op) {
  return std::ranges::count_if(rows, [op](const auto& row) { return row.op == op; });
}
// Whether the table has one row for every operator with the traits.
template <typename Rows>
constexpr bool lists_all(const Rows& rows, Traits traits) {
  return std::ranges::all_of(kTable, [&](const Row& row) { return !has(row, traits) || rows_of(rows, row.op) == 1; });
}
// Whether it has no other rows either.
template <typename Rows>
constexpr bool lists_exactly(const Rows& rows, Traits traits) {
  return lists_all(rows, traits) && std::ranges::all_of(rows, [&](const auto& row) { return has(row.op, traits); });
}
// The row of an operator; the table must list it.
template <typename Rows>
constexpr const auto& find_row(const Rows& rows, OpType op) {
  return *std::ranges::find_if(rows, [op](const auto& row) { return row.op == op; });
}

}  // namespace sightglass::operators
