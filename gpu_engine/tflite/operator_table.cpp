// Operators of the file format, built-in and custom, one row each: the sibling of graph/operator_table.h.
#include "tflite/operator_table.h"

#include <algorithm>
#include <array>

#include "graph/detection.h"
#include "graph/operator_table.h"

namespace sightglass::tflite {
namespace {

Status decode_nothing(const OperatorView&, DecodedOp&) { return {}; }

// For options whose only relevant field is the activation.
template <typename Options>
Status decode_arithmetic(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.options<Options>());
  if (options == nullptr) return {};
  SIGHTGLASS_ASSIGN_OR_RETURN(node.activation, decode_activation(options->fused_activation_function()));
  return {};
}

// ADD and SUB.
template <typename Options>
Status decode_sum(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.options<Options>());
  const bool wide = view.input(0).type == DataType::kInt16;
  if (wide && options != nullptr && options->pot_scale_int16()) node.attributes = SumAttr{true};
  return decode_arithmetic<Options>(view, node);
}

struct Row {
  schema::BuiltinOperator code;
  OperatorRule rule;
};

using B = schema::BuiltinOperator;
constexpr size_t kAnyNumber = SIZE_MAX;

// Each row: operator, minimum and maximum number of inputs, whether the last input is optional, decoder, and the
// maximum number of outputs if it is not 1.
constexpr auto kOperators = std::to_array<Row>({
    {B::CONV_2D, {OpType::kConv2d, 2, 3, true, decode_conv2d}},
    {B::DEPTHWISE_CONV_2D, {OpType::kDepthwiseConv2d, 2, 3, true, decode_depthwise_conv2d}},
    {B::TRANSPOSE_CONV, {OpType::kTransposeConv, 3, 4, true, decode_transpose_conv}},
    {B::FULLY_CONNECTED,
     {.op = OpType::kFullyConnected,
      .min_inputs = 2,
      .max_inputs = 3,
      .optional_last_input = true,
      .decode = decode_fully_connected,
      .limits = "weights in the default order"}},
    {B::BATCH_MATMUL,
     {.op = OpType::kBatchMatmul,
      .min_inputs = 2,
      .max_inputs = 2,
      .decode = decode_batch_matmul,
      .limits = "both operands of one type"}},
    {B::AVERAGE_POOL_2D, {OpType::kAveragePool2d, 1, 1, false, decode_pool2d}},
    {B::MAX_POOL_2D, {OpType::kMaxPool2d, 1, 1, false, decode_pool2d}},
    {B::MEAN, {OpType::kMean, 2, 2, false, decode_reduction}},
    {B::ADD, {OpType::kAdd, 2, 2, false, decode_sum<schema::AddOptions>}},
    {B::SUB, {OpType::kSub, 2, 2, false, decode_sum<schema::SubOptions>}},
    {B::MUL, {OpType::kMul, 2, 2, false, decode_arithmetic<schema::MulOptions>}},
    {B::MAXIMUM, {OpType::kMaximum, 2, 2, false, decode_nothing}},
    {B::MINIMUM, {OpType::kMinimum, 2, 2, false, decode_nothing}},
    {B::PRELU, {OpType::kPrelu, 2, 2, false, decode_nothing}},
    {B::RELU, {OpType::kRelu, 1, 1, false, decode_nothing}},
    {B::RELU6, {OpType::kRelu6, 1, 1, false, decode_nothing}},
    {B::RELU_N1_TO_1, {OpType::kReluN1To1, 1, 1, false, decode_nothing}},
    {B::LOGISTIC, {OpType::kLogistic, 1, 1, false, decode_nothing}},
    {B::TANH, {OpType::kTanh, 1, 1, false, decode_nothing}},
    {B::HARD_SWISH, {OpType::kHardSwish, 1, 1, false, decode_nothing}},
    {B::EXP, {OpType::kExp, 1, 1, false, decode_nothing}},
    {B::SOFTMAX, {OpType::kSoftmax, 1, 1, false, decode_softmax}},
    {B::CONCATENATION, {OpType::kConcat, 1, kAnyNumber, false, decode_concatenation}},
    {B::PAD, {OpType::kPad, 2, 2, false, decode_pad}},
    {B::PADV2, {OpType::kPad, 3, 3, false, decode_pad_v2}},
    {B::RESHAPE, {OpType::kReshape, 1, 2, true, decode_reshape}},
    {B::SQUEEZE, {OpType::kReshape, 1, 1, false, decode_squeeze}},
    {B::EXPAND_DIMS, {OpType::kReshape, 2, 2, false, decode_expand_dims}},
    {B::STRIDED_SLICE, {OpType::kStridedSlice, 4, 4, false, decode_strided_slice}},
    {B::RESIZE_BILINEAR, {OpType::kResizeBilinear, 2, 2, false, decode_resize_bilinear}},
    {B::DEPTH_TO_SPACE, {OpType::kDepthToSpace, 1, 1, false, decode_depth_to_space}},
    {B::TRANSPOSE, {OpType::kTranspose, 2, 2, false, decode_transpose}},
    {B::SLICE, {OpType::kStridedSlice, 3, 3, false, decode_slice}},
    {B::SPLIT, {OpType::kSplit, 2, 2, false, decode_split, kAnyNumber}},
    {B::SPLIT_V, {OpType::kSplit, 3, 3, false, decode_split_v, kAnyNumber}},
    {B::PACK, {OpType::kPack, 1, kAnyNumber, false, decode_pack}},
    {B::UNPACK, {OpType::kSplit, 1, 1, false, decode_unpack, kAnyNumber}},
    {B::TILE, {OpType::kTile, 2, 2, false, decode_tile}},
    {B::REVERSE_V2, {OpType::kStridedSlice, 2, 2, false, decode_reverse}},
    {B::MIRROR_PAD, {OpType::kMirrorPad, 2, 2, false, decode_mirror_pad}},
    {B::SPACE_TO_DEPTH, {OpType::kSpaceToDepth, 1, 1, false, decode_space_to_depth}},
    {B::SPACE_TO_BATCH_ND, {OpType::kSpaceToBatch, 3, 3, false, decode_space_to_batch}},
    {B::BATCH_TO_SPACE_ND, {OpType::kBatchToSpace, 3, 3, false, decode_batch_to_space}},
    {B::RESIZE_NEAREST_NEIGHBOR, {OpType::kResizeNearest, 2, 2, false, decode_resize_nearest}},
    {B::GATHER, {OpType::kGather, 2, 2, false, decode_gather}},
    {B::GATHER_ND, {OpType::kGatherNd, 2, 2, false, decode_nothing}},
    {B::LSTM,
     {.op = OpType::kLstm,
      .min_inputs = 5,
      .max_inputs = 24,
      .decode = decode_lstm,
      .max_outputs = 4,
      .any_input_optional = true,
      .limits =
          "integers: int8 data, int16 cells, no layer normalization; the basic kind: float32, tanh, no clipping"}},
    {B::UNIDIRECTIONAL_SEQUENCE_LSTM,
     {.op = OpType::kLstm,
      .min_inputs = 20,
      .max_inputs = 24,
      .decode = decode_sequence_lstm,
      .any_input_optional = true,
      .limits = "integers: int8 data, int16 cells, no layer normalization; recurrent weights as full matrices"}},
    {B::DENSIFY,
     {.op = OpType::kReshape, .min_inputs = 1, .max_inputs = 1, .decode = decode_densify, .while_loading = true}},
    {B::QUANTIZE, {OpType::kQuantize, 1, 1, false, decode_nothing}},
    {B::DEQUANTIZE, {OpType::kDequantize, 1, 1, false, decode_nothing}},
    {B::SUM, {OpType::kSum, 2, 2, false, decode_reduction}},
    {B::REDUCE_MAX, {OpType::kReduceMax, 2, 2, false, decode_reduction}},
    {B::REDUCE_MIN, {OpType::kReduceMin, 2, 2, false, decode_reduction}},
    {B::REDUCE_PROD, {OpType::kReduceProd, 2, 2, false, decode_reduction}},
    {B::REDUCE_ANY, {OpType::kReduceAny, 2, 2, false, decode_reduction}},
    {B::REDUCE_ALL, {OpType::kReduceAll, 2, 2, false, decode_reduction}},
    {B::ARG_MAX, {OpType::kArgMax, 2, 2, false, decode_arg_extreme}},
    {B::ARG_MIN, {OpType::kArgMin, 2, 2, false, decode_arg_extreme}},
    {B::TOPK_V2, {OpType::kTopK, 2, 2, false, decode_top_k, 2}},
    {B::LOG_SOFTMAX, {OpType::kLogSoftmax, 1, 1, false, decode_nothing}},
    {B::L2_NORMALIZATION, {OpType::kL2Normalization, 1, 1, false, decode_arithmetic<schema::L2NormOptions>}},
    {B::RSQRT, {OpType::kRsqrt, 1, 1, false, decode_nothing}},
    {B::SQRT, {OpType::kSqrt, 1, 1, false, decode_nothing}},
    {B::SQUARE, {OpType::kSquare, 1, 1, false, decode_nothing}},
    {B::NEG, {OpType::kNeg, 1, 1, false, decode_nothing}},
    {B::ABS, {OpType::kAbs, 1, 1, false, decode_nothing}},
    {B::LOG, {OpType::kLog, 1, 1, false, decode_nothing}},
    {B::FLOOR, {OpType::kFloor, 1, 1, false, decode_nothing}},
    {B::CEIL, {OpType::kCeil, 1, 1, false, decode_nothing}},
    {B::ROUND, {OpType::kRound, 1, 1, false, decode_nothing}},
    {B::SIGN, {OpType::kSign, 1, 1, false, decode_nothing}},
    {B::SIN, {OpType::kSin, 1, 1, false, decode_nothing}},
    {B::COS, {OpType::kCos, 1, 1, false, decode_nothing}},
    {B::ELU, {OpType::kElu, 1, 1, false, decode_nothing}},
    {B::RELU_0_TO_1, {OpType::kRelu0To1, 1, 1, false, decode_nothing}},
    {B::LOGICAL_NOT, {OpType::kLogicalNot, 1, 1, false, decode_nothing}},
    {B::ZEROS_LIKE, {OpType::kZerosLike, 1, 1, false, decode_nothing}},
    {B::CAST, {OpType::kCast, 1, 1, false, decode_nothing}},
    {B::LEAKY_RELU, {OpType::kLeakyRelu, 1, 1, false, decode_leaky_relu}},
    {B::GELU, {OpType::kGelu, 1, 1, false, decode_gelu}},
    {B::DIV, {OpType::kDiv, 2, 2, false, decode_arithmetic<schema::DivOptions>}},
    {B::POW, {OpType::kPow, 2, 2, false, decode_nothing}},
    {B::SQUARED_DIFFERENCE, {OpType::kSquaredDifference, 2, 2, false, decode_nothing}},
    {B::FLOOR_DIV, {OpType::kFloorDiv, 2, 2, false, decode_nothing}},
    {B::FLOOR_MOD, {OpType::kFloorMod, 2, 2, false, decode_nothing}},
    {B::ATAN2, {OpType::kAtan2, 2, 2, false, decode_nothing}},
    {B::LOGICAL_AND, {OpType::kLogicalAnd, 2, 2, false, decode_nothing}},
    {B::LOGICAL_OR, {OpType::kLogicalOr, 2, 2, false, decode_nothing}},
    {B::EQUAL, {OpType::kEqual, 2, 2, false, decode_nothing}},
    {B::NOT_EQUAL, {OpType::kNotEqual, 2, 2, false, decode_nothing}},
    {B::LESS, {OpType::kLess, 2, 2, false, decode_nothing}},
    {B::LESS_EQUAL, {OpType::kLessEqual, 2, 2, false, decode_nothing}},
    {B::GREATER, {OpType::kGreater, 2, 2, false, decode_nothing}},
    {B::GREATER_EQUAL, {OpType::kGreaterEqual, 2, 2, false, decode_nothing}},
    {B::SELECT, {OpType::kSelect, 3, 3, false, decode_select}},
    {B::SELECT_V2, {OpType::kSelect, 3, 3, false, decode_select_v2}},
    {B::ADD_N, {OpType::kAddN, 1, kAnyNumber, false, decode_nothing}},
    {B::BROADCAST_TO, {OpType::kBroadcastTo, 2, 2, false, decode_broadcast_to}},
    {B::FILL, {OpType::kBroadcastTo, 2, 2, false, decode_fill}},
    {B::SHAPE,
     {.op = OpType::kReshape, .min_inputs = 1, .max_inputs = 1, .decode = decode_shape, .while_loading = true}},
    {B::RANK, {.op = OpType::kReshape, .min_inputs = 1, .max_inputs = 1, .decode = decode_rank, .while_loading = true}},
    {B::RANGE,
     {.op = OpType::kReshape,
      .min_inputs = 3,
      .max_inputs = 3,
      .decode = decode_range,
      .while_loading = true,
      .limits = "constant bounds of float32, int32 or int64"}},
});

struct CustomRow {
  const char* name;
  OperatorRule rule;
};
constexpr auto kCustomOperators = std::to_array<CustomRow>({
    {"Convolution2DTransposeBias", {OpType::kTransposeConv, 2, 3, true, decode_convolution_2d_transpose_bias}},
    {"MaxPoolingWithArgmax2D", {OpType::kMaxPoolWithArgmax, 1, 1, false, decode_max_pool_with_argmax, 2}},
    {"MaxUnpooling2D", {OpType::kMaxUnpool, 2, 2, false, decode_max_unpool}},
    {"Landmarks2TransformMatrix", {OpType::kLandmarksToMatrix, 1, 1, false, decode_landmarks_to_matrix}},
    {"TransformLandmarks", {OpType::kTransformLandmarks, 2, 2, false, decode_transform_landmarks}},
    {"TransformTensor", {OpType::kTransformImage, 2, 2, false, decode_transform_image}},
    {"TransformTensorBilinear", {OpType::kTransformImage, 2, 2, false, decode_transform_image}},
    {"TFLite_Detection_PostProcess",
     {OpType::kDetectionPostprocess, 3, 3, false, decode_detection_postprocess, detection::kOutputs}},
    {"PosenetDecoderOp", {OpType::kPosenetDecoder, 3, 4, false, decode_posenet_decoder, 5}},
});

// Whether a row creates such nodes. Rules that only apply while loading create none.
constexpr bool is_made(OpType op) {
  const auto makes = [op](const auto& row) { return row.rule.op == op && !row.rule.while_loading; };
  return std::ranges::any_of(kOperators, makes) || std::ranges::any_of(kCustomOperators, makes);
}
static_assert(std::ranges::all_of(operators::kTable,
                                  [](const operators::Row& row) {
                                    return is_made(row.op) != operators::has(row, operators::kNotInFiles);
                                  }),
              "every operator is imported, except those that only rewrites and the importer make");

// Operators that contain subgraphs.
bool is_control_flow(B code) { return code == B::IF || code == B::WHILE || code == B::CALL || code == B::CALL_ONCE; }

// Postprocessing operators that select from the network outputs.
bool selects(B code) {
  return code == B::NON_MAX_SUPPRESSION_V4 || code == B::NON_MAX_SUPPRESSION_V5 || code == B::UNIQUE;
}

}  // namespace

const OperatorRule* find_rule(schema::BuiltinOperator code, std::string_view custom_code) {
  if (code == B::CUSTOM) {
    const auto* custom = std::ranges::find(kCustomOperators, custom_code, &CustomRow::name);
    return custom == kCustomOperators.end() ? nullptr : &custom->rule;
  }
  const auto* row = std::ranges::find(kOperators, code, &Row::code);
  return row == kOperators.end() ? nullptr : &row->rule;
}

std::vector<NamedRule> all_rules() {
  std::vector<NamedRule> rules;
  for (const B code : schema::EnumValuesBuiltinOperator()) {
    const auto* row = std::ranges::find(kOperators, code, &Row::code);
    if (row != kOperators.end()) rules.push_back({schema::EnumNameBuiltinOperator(code), &row->rule});
  }
  for (const CustomRow& row : kCustomOperators) rules.push_back({"CUSTOM " + quote(row.name), &row.rule});
  return rules;
}

std::vector<RefusedOperator> refused_operators() {
  // Enumerators that do not name one operator.
  constexpr std::array kNone{B::CUSTOM, B::DELEGATE, B::PLACEHOLDER_FOR_GREATER_OP_CODES};
  std::vector<RefusedOperator> refused;
  for (const B code : schema::EnumValuesBuiltinOperator()) {
    if (std::ranges::find(kNone, code) != kNone.end() || find_rule(code, {}) != nullptr) continue;
    refused.push_back({schema::EnumNameBuiltinOperator(code), unsupported_reason(code, {})});
  }
  return refused;
}

std::string unsupported_reason(schema::BuiltinOperator code, std::string_view custom_code) {
  if (code == B::CUSTOM) {
    return "the custom operator " + quote(custom_code) +
           " is unknown; express it with built-in operators, or end the model before it";
  }
  if (is_control_flow(code)) return "control flow is not supported; convert the model with loops and branches unrolled";
  if (code == B::WHERE) {
    return "its number of outputs depends on the data; use SELECT_V2 with masks, or end the model before it";
  }
  if (selects(code)) {
    return "the size or order of its output depends on the data; end the model before it and select from its "
           "outputs on the CPU";
  }
  return "this operator is not supported; replace it, or end the model before it";
}

}  // namespace sightglass::tflite
