// The reference of each operator, selected by its traits or by its own row. The counterpart of graph/operator_table.h.
#include "graph/operator_table.h"

#include <algorithm>
#include <array>

#include "ref/kernels.h"

namespace sightglass::ref {
namespace {

// Operators that have all of these traits, and no row, share a reference.
struct Family {
  constexpr Family(operators::Traits family_traits, Reference function) : traits(family_traits), reference(function) {}

  operators::Traits traits;
  Reference reference;
};

constexpr auto kFamilies = std::to_array<Family>({
    {operators::kUnary, unary},
    {operators::kBinary, binary},
    {operators::kCompares, compare},
    {operators::kReduces, reduce},
    {operators::kMovesAsIs | operators::kBySteps, move_by_steps},
});

struct Row {
  // A constructor, so that a row without a function does not compile.
  constexpr Row(OpType row_op, Reference function) : op(row_op), reference(function) {}

  OpType op;
  Reference reference;
};

constexpr auto kRows = std::to_array<Row>({
    {OpType::kConv2d, conv2d},
    {OpType::kDepthwiseConv2d, depthwise_conv2d},
    {OpType::kDepthwisePointwise, depthwise_pointwise},
    {OpType::kTransposeConv, transpose_conv},
    {OpType::kFullyConnected, fully_connected},
    {OpType::kAveragePool2d, pool2d},
    {OpType::kMaxPool2d, pool2d},
    {OpType::kMaxPoolWithArgmax, max_pool_with_argmax},
    {OpType::kMaxUnpool, max_unpool},
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
    {OpType::kReinterpret, reshape},
    {OpType::kDynamicQuantize, dynamic_quantize},
    {OpType::kCast, cast},
    {OpType::kSelect, select},
    {OpType::kBroadcastTo, broadcast_to},
    {OpType::kAddN, add_n},
    {OpType::kArgMax, arg_extreme},
    {OpType::kArgMin, arg_extreme},
    {OpType::kLogSoftmax, softmax},
    {OpType::kL2Normalization, l2_normalization},
    {OpType::kPack, pack},
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

constexpr auto in_family(OpType op) {
  return [op](const Family& family) { return operators::has(op, family.traits); };
}

constexpr bool is_complete() {
  return std::ranges::all_of(operators::kTable, [](const operators::Row& row) {
    return operators::rows_of(kRows, row.op) + std::ranges::count_if(kFamilies, in_family(row.op)) == 1;
  });
}
static_assert(is_complete(), "every operator has one row or belongs to one family");

}  // namespace

const Reference& reference_of(OpType op) {
  const auto family = std::ranges::find_if(kFamilies, in_family(op));
  return family == kFamilies.end() ? operators::find_row(kRows, op).reference : family->reference;
}

}  // namespace sightglass::ref
