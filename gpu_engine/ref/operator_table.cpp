// The reference of each operator, one row each: the sibling of graph/operator_table.h.
#include "graph/operator_table.h"

#include "ref/kernels.h"

namespace sightglass::ref {
namespace {

// The reference of operators that movements() covers.
struct BySteps {};

struct Row {
  // Constructors, so that a row without a function does not compile.
  constexpr Row(OpType row_op, Reference function) : op(row_op), reference(function) {}
  constexpr Row(OpType row_op, BySteps) : op(row_op), reference(move_by_steps), by_steps(true) {}

  OpType op;
  Reference reference;
  bool by_steps = false;
};

constexpr auto kTable = std::to_array<Row>({
    {OpType::kConv2d, conv2d},
    {OpType::kDepthwiseConv2d, depthwise_conv2d},
    {OpType::kDepthwisePointwise, depthwise_pointwise},
    {OpType::kTransposeConv, transpose_conv},
    {OpType::kFullyConnected, fully_connected},
    {OpType::kAveragePool2d, pool2d},
    {OpType::kMaxPool2d, pool2d},
    {OpType::kMaxPoolWithArgmax, max_pool_with_argmax},
    {OpType::kMaxUnpool, max_unpool},
    {OpType::kMean, reduce},
    {OpType::kAdd, binary},
    {OpType::kSub, binary},
    {OpType::kMul, binary},
    {OpType::kMaximum, binary},
    {OpType::kMinimum, binary},
    {OpType::kPrelu, binary},
    {OpType::kRelu, unary},
    {OpType::kRelu6, unary},
    {OpType::kReluN1To1, unary},
    {OpType::kLogistic, unary},
    {OpType::kTanh, unary},
    {OpType::kHardSwish, unary},
    {OpType::kExp, unary},
    {OpType::kSoftmax, softmax},
    {OpType::kConcat, concat},
    {OpType::kPad, pad},
    {OpType::kReshape, reshape},
    {OpType::kStridedSlice, strided_slice},
    {OpType::kResizeBilinear, resize_bilinear},
    {OpType::kDepthToSpace, depth_to_space},
    {OpType::kLstm, lstm},
    {OpType::kDetectionPostprocess, detection_postprocess},
    {OpType::kDequantize, dequantize},
    {OpType::kQuantize, reshape},  // for floats; evaluate() quantizes the result
    {OpType::kDynamicQuantize, dynamic_quantize},
    {OpType::kRsqrt, unary},
    {OpType::kSqrt, unary},
    {OpType::kSquare, unary},
    {OpType::kNeg, unary},
    {OpType::kAbs, unary},
    {OpType::kLog, unary},
    {OpType::kFloor, unary},
    {OpType::kCeil, unary},
    {OpType::kRound, unary},
    {OpType::kSign, unary},
    {OpType::kSin, unary},
    {OpType::kCos, unary},
    {OpType::kElu, unary},
    {OpType::kLeakyRelu, unary},
    {OpType::kGelu, unary},
    {OpType::kRelu0To1, unary},
    {OpType::kLogicalNot, unary},
    {OpType::kZerosLike, unary},
    {OpType::kCast, cast},
    {OpType::kDiv, binary},
    {OpType::kPow, binary},
    {OpType::kSquaredDifference, binary},
    {OpType::kFloorDiv, binary},
    {OpType::kFloorMod, binary},
    {OpType::kAtan2, binary},
    {OpType::kLogicalAnd, binary},
    {OpType::kLogicalOr, binary},
    {OpType::kEqual, compare},
    {OpType::kNotEqual, compare},
    {OpType::kLess, compare},
    {OpType::kLessEqual, compare},
    {OpType::kGreater, compare},
    {OpType::kGreaterEqual, compare},
    {OpType::kSelect, select},
    {OpType::kBroadcastTo, broadcast_to},
    {OpType::kAddN, add_n},
    {OpType::kSum, reduce},
    {OpType::kReduceMax, reduce},
    {OpType::kReduceMin, reduce},
    {OpType::kReduceProd, reduce},
    {OpType::kReduceAny, reduce},
    {OpType::kReduceAll, reduce},
    {OpType::kArgMax, arg_extreme},
    {OpType::kArgMin, arg_extreme},
    {OpType::kLogSoftmax, softmax},
    {OpType::kL2Normalization, l2_normalization},
    {OpType::kTranspose, BySteps()},
    {OpType::kSplit, BySteps()},
    {OpType::kPack, pack},
    {OpType::kTile, BySteps()},
    {OpType::kMirrorPad, BySteps()},
    {OpType::kSpaceToDepth, BySteps()},
    {OpType::kSpaceToBatch, BySteps()},
    {OpType::kBatchToSpace, BySteps()},
    {OpType::kResizeNearest, resize_nearest},
    {OpType::kGather, gather},
    {OpType::kGatherNd, gather_nd},
    {OpType::kBatchMatmul, batch_matmul},
    {OpType::kTopK, top_k},
    {OpType::kLandmarksToMatrix, landmarks_to_matrix},
    {OpType::kTransformLandmarks, transform_landmarks},
    {OpType::kTransformImage, transform_image},
    {OpType::kPosenetDecoder, posenet_decoder},
});

// Every operator has a row, in the order of OpType.
constexpr bool is_complete() {
  if (kTable.size() != operators::kTable.size()) return false;
  for (size_t i = 0; i < kTable.size(); ++i) {
    const Row& row = kTable[i];
    if (row.op != static_cast<OpType>(i)) return false;
    if (row.by_steps && !operators::has(row.op, operators::kMovesAsIs | operators::kBySteps)) return false;
  }
  return true;
}
static_assert(is_complete());

}  // namespace

const Reference& reference_of(OpType op) { return kTable[static_cast<size_t>(op)].reference; }

}  // namespace sightglass::ref
