// The reference of each operator, one row each: the sibling of graph/operator_table.h.
#include "graph/operator_table.h"

#include "ref/kernels.h"

namespace sightglass::ref {
namespace {

struct Row {
  OpType op;
  Reference reference;
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
    {OpType::kQuantize, reshape},  // of real numbers; evaluate() rounds the result
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
    {OpType::kTranspose, move_by_steps},
    {OpType::kSplit, move_by_steps},
    {OpType::kPack, pack},
    {OpType::kTile, move_by_steps},
    {OpType::kMirrorPad, move_by_steps},
    {OpType::kSpaceToDepth, move_by_steps},
    {OpType::kSpaceToBatch, move_by_steps},
    {OpType::kBatchToSpace, move_by_steps},
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

// Every operator has a row, in the order of OpType. movements() describes those that move_by_steps() serves.
constexpr bool is_complete() {
  if (kTable.size() != operators::kTable.size()) return false;
  for (size_t i = 0; i < kTable.size(); ++i) {
    const Row& row = kTable[i];
    const bool exists = std::visit([](auto function) { return function != nullptr; }, row.reference);
    if (row.op != static_cast<OpType>(i) || !exists) return false;
    const auto* whole = std::get_if<WholeFunction>(&row.reference);
    const bool by_steps = whole != nullptr && *whole == move_by_steps;
    if (by_steps && !operators::has(row.op, operators::kMovesAsIs | operators::kBySteps)) return false;
  }
  return true;
}
static_assert(is_complete());

}  // namespace

const Reference& reference_of(OpType op) { return kTable[static_cast<size_t>(op)].reference; }

}  // namespace sightglass::ref
