#include <algorithm>
#include <array>
#include <iterator>

#include "tflite/operator_table.h"

namespace sightglass::tflite {

Result<PaddingMode> decode_padding(schema::Padding padding) {
  switch (padding) {
    case schema::Padding::SAME:
      return PaddingMode::kSame;
    case schema::Padding::VALID:
      return PaddingMode::kValid;
  }
  return invalid_model("its padding scheme " + std::to_string(static_cast<int>(padding)) + " does not exist");
}

Result<Activation> decode_activation(schema::ActivationFunctionType activation) {
  switch (activation) {
    case schema::ActivationFunctionType::NONE:
      return Activation::kNone;
    case schema::ActivationFunctionType::RELU:
      return Activation::kRelu;
    case schema::ActivationFunctionType::RELU_N1_TO_1:
      return Activation::kReluN1To1;
    case schema::ActivationFunctionType::RELU6:
      return Activation::kRelu6;
    case schema::ActivationFunctionType::TANH:
      return Activation::kTanh;
    case schema::ActivationFunctionType::SIGN_BIT:
      return unsupported("its activation SIGN_BIT is not supported; use a comparison with 0");
  }
  return invalid_model("its activation " + std::to_string(static_cast<int>(activation)) + " does not exist");
}

namespace {

Status decode_nothing(const OperatorView&, DecodedOp&) { return {}; }

Status decode_conv2d(const OperatorView& view, DecodedOp& node) {
  SG_ASSIGN_OR_RETURN(const auto* options, view.required_options<schema::Conv2DOptions>());
  Conv2dAttr attr;
  SG_ASSIGN_OR_RETURN(attr.padding.mode, decode_padding(options->padding()));
  SG_ASSIGN_OR_RETURN(node.activation, decode_activation(options->fused_activation_function()));
  attr.stride_h = options->stride_h();
  attr.stride_w = options->stride_w();
  attr.dilation_h = options->dilation_h_factor();
  attr.dilation_w = options->dilation_w_factor();
  node.attributes = attr;
  return {};
}

// The multiplier follows from the shapes: some files carry 0 or a wrong one in the options.
Status decode_depthwise_conv2d(const OperatorView& view, DecodedOp& node) {
  SG_ASSIGN_OR_RETURN(const auto* options, view.required_options<schema::DepthwiseConv2DOptions>());
  DepthwiseConv2dAttr attr;
  SG_ASSIGN_OR_RETURN(attr.padding.mode, decode_padding(options->padding()));
  SG_ASSIGN_OR_RETURN(node.activation, decode_activation(options->fused_activation_function()));
  attr.stride_h = options->stride_h();
  attr.stride_w = options->stride_w();
  attr.dilation_h = options->dilation_h_factor();
  attr.dilation_w = options->dilation_w_factor();
  if (view.has(0) && view.has(1) && view.shape(0).rank() == 4 && view.shape(1).rank() == 4 &&
      view.shape(0).dim(3) > 0) {
    attr.multiplier = view.shape(1).dim(3) / view.shape(0).dim(3);
  }
  node.attributes = attr;
  return {};
}

// Inputs: output shape, weights, data, and since version 3 a bias.
Status decode_transpose_conv(const OperatorView& view, DecodedOp& node) {
  SG_ASSIGN_OR_RETURN(const auto* options, view.required_options<schema::TransposeConvOptions>());
  TransposeConvAttr attr;
  SG_ASSIGN_OR_RETURN(attr.padding.mode, decode_padding(options->padding()));
  SG_ASSIGN_OR_RETURN(node.activation, decode_activation(options->fused_activation_function()));
  attr.stride_h = options->stride_h();
  attr.stride_w = options->stride_w();
  SG_ASSIGN_OR_RETURN(const std::vector<int64_t> shape, view.integers(0, "output shape numbers", Shape::kMaxRank));
  const bool in_range = std::ranges::all_of(shape, [](int64_t d) { return d >= 1 && d <= INT32_MAX; });
  if (shape.size() != 4 || !in_range) return invalid_model("its output shape is not one of four positive numbers");
  if (!view.has(2)) return invalid_model("it has no data");
  if (view.shape(1).rank() == 4 && view.shape(2).rank() == 4 &&
      (shape[0] != view.shape(2).dim(0) || shape[3] != view.shape(1).dim(0))) {
    return invalid_model("its output shape asks for batch " + std::to_string(shape[0]) + " and " +
                         std::to_string(shape[3]) + " channels, but data and weights make batch " +
                         std::to_string(view.shape(2).dim(0)) + " and " + std::to_string(view.shape(1).dim(0)) +
                         " channels");
  }
  attr.out_h = static_cast<int32_t>(shape[1]);
  attr.out_w = static_cast<int32_t>(shape[2]);
  node.attributes = attr;
  node.data = {2, 1};
  if (view.has(3)) node.data.push_back(3);
  return {};
}

Status decode_fully_connected(const OperatorView& view, DecodedOp& node) {
  SG_ASSIGN_OR_RETURN(const auto* options, view.options<schema::FullyConnectedOptions>());
  FullyConnectedAttr attr;
  if (options != nullptr) {
    if (options->weights_format() != schema::WeightsFormat::DEFAULT) {
      return unsupported("its weights are shuffled for one kind of CPU; convert the model without that");
    }
    attr.keep_num_dims = options->keep_num_dims();
    attr.asymmetric_quantize_inputs = options->asymmetric_quantize_inputs();
    SG_ASSIGN_OR_RETURN(node.activation, decode_activation(options->fused_activation_function()));
  }
  node.attributes = attr;
  return {};
}

Status decode_batch_matmul(const OperatorView& view, DecodedOp& node) {
  SG_ASSIGN_OR_RETURN(const auto* options, view.options<schema::BatchMatMulOptions>());
  node.attributes = options == nullptr ? BatchMatmulAttr{} : BatchMatmulAttr{options->adj_x(), options->adj_y()};
  const auto is_integer = [](const FileTensor& t) { return t.type == DataType::kInt8 || t.type == DataType::kUInt8; };
  if (view.has(0) && view.has(1) && view.input(0).type == DataType::kFloat32 && is_integer(view.input(1))) {
    return unsupported("it multiplies float32 numbers with the 8-bit ones of " + view.input(1).describe() +
                       "; convert the model without dynamic-range quantisation of it");
  }
  return {};
}

Status decode_pool2d(const OperatorView& view, DecodedOp& node) {
  SG_ASSIGN_OR_RETURN(const auto* options, view.required_options<schema::Pool2DOptions>());
  Pool2dAttr attr;
  SG_ASSIGN_OR_RETURN(attr.padding.mode, decode_padding(options->padding()));
  SG_ASSIGN_OR_RETURN(node.activation, decode_activation(options->fused_activation_function()));
  attr.stride_h = options->stride_h();
  attr.stride_w = options->stride_w();
  attr.filter_h = options->filter_height();
  attr.filter_w = options->filter_width();
  node.attributes = attr;
  return {};
}

// Sparse constants have been expanded when they were read.
Status decode_densify(const OperatorView& view, DecodedOp& node) {
  node.attributes = ReshapeAttr{view.shape(0)};
  return {};
}

template <typename Options>
Status decode_arithmetic(const OperatorView& view, DecodedOp& node) {
  SG_ASSIGN_OR_RETURN(const auto* options, view.options<Options>());
  if (options == nullptr) return {};
  SG_ASSIGN_OR_RETURN(node.activation, decode_activation(options->fused_activation_function()));
  return {};
}

Status decode_softmax(const OperatorView& view, DecodedOp& node) {
  SG_ASSIGN_OR_RETURN(const auto* options, view.required_options<schema::SoftmaxOptions>());
  node.attributes = SoftmaxAttr{options->beta()};
  return {};
}

struct Row {
  schema::BuiltinOperator code;
  OperatorRule rule;
};

using B = schema::BuiltinOperator;
constexpr size_t kAnyNumber = SIZE_MAX;

constexpr std::array kOperators = {
    Row{B::CONV_2D, {OpType::kConv2d, 2, 3, true, decode_conv2d}},
    Row{B::DEPTHWISE_CONV_2D, {OpType::kDepthwiseConv2d, 2, 3, true, decode_depthwise_conv2d}},
    Row{B::TRANSPOSE_CONV, {OpType::kTransposeConv, 3, 4, true, decode_transpose_conv}},
    Row{B::FULLY_CONNECTED,
        {OpType::kFullyConnected, 2, 3, true, decode_fully_connected, 1, false, false, "weights in the default order"}},
    Row{B::BATCH_MATMUL,
        {OpType::kBatchMatmul, 2, 2, false, decode_batch_matmul, 1, false, false, "both operands of one type"}},
    Row{B::AVERAGE_POOL_2D, {OpType::kAveragePool2d, 1, 1, false, decode_pool2d}},
    Row{B::MAX_POOL_2D, {OpType::kMaxPool2d, 1, 1, false, decode_pool2d}},
    Row{B::MEAN, {OpType::kMean, 2, 2, false, decode_reduction}},
    Row{B::ADD, {OpType::kAdd, 2, 2, false, decode_arithmetic<schema::AddOptions>}},
    Row{B::SUB, {OpType::kSub, 2, 2, false, decode_arithmetic<schema::SubOptions>}},
    Row{B::MUL, {OpType::kMul, 2, 2, false, decode_arithmetic<schema::MulOptions>}},
    Row{B::MAXIMUM, {OpType::kMaximum, 2, 2, false, decode_nothing}},
    Row{B::MINIMUM, {OpType::kMinimum, 2, 2, false, decode_nothing}},
    Row{B::PRELU, {OpType::kPrelu, 2, 2, false, decode_nothing}},
    Row{B::RELU, {OpType::kRelu, 1, 1, false, decode_nothing}},
    Row{B::RELU6, {OpType::kRelu6, 1, 1, false, decode_nothing}},
    Row{B::RELU_N1_TO_1, {OpType::kReluN1To1, 1, 1, false, decode_nothing}},
    Row{B::LOGISTIC, {OpType::kLogistic, 1, 1, false, decode_nothing}},
    Row{B::TANH, {OpType::kTanh, 1, 1, false, decode_nothing}},
    Row{B::HARD_SWISH, {OpType::kHardSwish, 1, 1, false, decode_nothing}},
    Row{B::EXP, {OpType::kExp, 1, 1, false, decode_nothing}},
    Row{B::SOFTMAX, {OpType::kSoftmax, 1, 1, false, decode_softmax}},
    Row{B::CONCATENATION, {OpType::kConcat, 1, kAnyNumber, false, decode_concatenation}},
    Row{B::PAD, {OpType::kPad, 2, 2, false, decode_pad}},
    Row{B::PADV2, {OpType::kPad, 3, 3, false, decode_pad_v2}},
    Row{B::RESHAPE, {OpType::kReshape, 1, 2, true, decode_reshape}},
    Row{B::SQUEEZE, {OpType::kReshape, 1, 1, false, decode_squeeze}},
    Row{B::EXPAND_DIMS, {OpType::kReshape, 2, 2, false, decode_expand_dims}},
    Row{B::STRIDED_SLICE, {OpType::kStridedSlice, 4, 4, false, decode_strided_slice}},
    Row{B::RESIZE_BILINEAR, {OpType::kResizeBilinear, 2, 2, false, decode_resize_bilinear}},
    Row{B::DEPTH_TO_SPACE, {OpType::kDepthToSpace, 1, 1, false, decode_depth_to_space}},
    Row{B::TRANSPOSE, {OpType::kTranspose, 2, 2, false, decode_transpose}},
    Row{B::SLICE, {OpType::kStridedSlice, 3, 3, false, decode_slice}},
    Row{B::SPLIT, {OpType::kSplit, 2, 2, false, decode_split, kAnyNumber}},
    Row{B::SPLIT_V, {OpType::kSplit, 3, 3, false, decode_split_v, kAnyNumber}},
    Row{B::PACK, {OpType::kPack, 1, kAnyNumber, false, decode_pack}},
    Row{B::UNPACK, {OpType::kSplit, 1, 1, false, decode_unpack, kAnyNumber}},
    Row{B::TILE, {OpType::kTile, 2, 2, false, decode_tile}},
    Row{B::REVERSE_V2, {OpType::kStridedSlice, 2, 2, false, decode_reverse}},
    Row{B::MIRROR_PAD, {OpType::kMirrorPad, 2, 2, false, decode_mirror_pad}},
    Row{B::SPACE_TO_DEPTH, {OpType::kSpaceToDepth, 1, 1, false, decode_space_to_depth}},
    Row{B::SPACE_TO_BATCH_ND, {OpType::kSpaceToBatch, 3, 3, false, decode_space_to_batch}},
    Row{B::BATCH_TO_SPACE_ND, {OpType::kBatchToSpace, 3, 3, false, decode_batch_to_space}},
    Row{B::RESIZE_NEAREST_NEIGHBOR, {OpType::kResizeNearest, 2, 2, false, decode_resize_nearest}},
    Row{B::GATHER, {OpType::kGather, 2, 2, false, decode_gather}},
    Row{B::GATHER_ND, {OpType::kGatherNd, 2, 2, false, decode_nothing}},
    Row{B::LSTM,
        {OpType::kLstm, 5, 24, false, decode_lstm, 4, true, false,
         "integers: int8 data, int16 cells, no layer normalisation; the basic kind: float32, tanh, no clipping"}},
    Row{B::UNIDIRECTIONAL_SEQUENCE_LSTM,
        {OpType::kLstm, 20, 24, false, decode_sequence_lstm, 1, true, false,
         "integers: int8 data, int16 cells, no layer normalisation; recurrent weights as full matrices"}},
    Row{B::DENSIFY, {OpType::kReshape, 1, 1, false, decode_densify, 1, false, true}},
    Row{B::QUANTIZE, {OpType::kQuantize, 1, 1, false, decode_nothing}},
    Row{B::DEQUANTIZE, {OpType::kDequantize, 1, 1, false, decode_nothing}},
    Row{B::SUM, {OpType::kSum, 2, 2, false, decode_reduction}},
    Row{B::REDUCE_MAX, {OpType::kReduceMax, 2, 2, false, decode_reduction}},
    Row{B::REDUCE_MIN, {OpType::kReduceMin, 2, 2, false, decode_reduction}},
    Row{B::REDUCE_PROD, {OpType::kReduceProd, 2, 2, false, decode_reduction}},
    Row{B::REDUCE_ANY, {OpType::kReduceAny, 2, 2, false, decode_reduction}},
    Row{B::REDUCE_ALL, {OpType::kReduceAll, 2, 2, false, decode_reduction}},
    Row{B::ARG_MAX, {OpType::kArgMax, 2, 2, false, decode_arg_extreme}},
    Row{B::ARG_MIN, {OpType::kArgMin, 2, 2, false, decode_arg_extreme}},
    Row{B::TOPK_V2, {OpType::kTopK, 2, 2, false, decode_top_k, 2}},
    Row{B::LOG_SOFTMAX, {OpType::kLogSoftmax, 1, 1, false, decode_nothing}},
    Row{B::L2_NORMALIZATION, {OpType::kL2Normalization, 1, 1, false, decode_arithmetic<schema::L2NormOptions>}},
    Row{B::RSQRT, {OpType::kRsqrt, 1, 1, false, decode_nothing}},
    Row{B::SQRT, {OpType::kSqrt, 1, 1, false, decode_nothing}},
    Row{B::SQUARE, {OpType::kSquare, 1, 1, false, decode_nothing}},
    Row{B::NEG, {OpType::kNeg, 1, 1, false, decode_nothing}},
    Row{B::ABS, {OpType::kAbs, 1, 1, false, decode_nothing}},
    Row{B::LOG, {OpType::kLog, 1, 1, false, decode_nothing}},
    Row{B::FLOOR, {OpType::kFloor, 1, 1, false, decode_nothing}},
    Row{B::CEIL, {OpType::kCeil, 1, 1, false, decode_nothing}},
    Row{B::ROUND, {OpType::kRound, 1, 1, false, decode_nothing}},
    Row{B::SIGN, {OpType::kSign, 1, 1, false, decode_nothing}},
    Row{B::SIN, {OpType::kSin, 1, 1, false, decode_nothing}},
    Row{B::COS, {OpType::kCos, 1, 1, false, decode_nothing}},
    Row{B::ELU, {OpType::kElu, 1, 1, false, decode_nothing}},
    Row{B::RELU_0_TO_1, {OpType::kRelu0To1, 1, 1, false, decode_nothing}},
    Row{B::LOGICAL_NOT, {OpType::kLogicalNot, 1, 1, false, decode_nothing}},
    Row{B::ZEROS_LIKE, {OpType::kZerosLike, 1, 1, false, decode_nothing}},
    Row{B::CAST, {OpType::kCast, 1, 1, false, decode_nothing}},
    Row{B::LEAKY_RELU, {OpType::kLeakyRelu, 1, 1, false, decode_leaky_relu}},
    Row{B::GELU, {OpType::kGelu, 1, 1, false, decode_gelu}},
    Row{B::DIV, {OpType::kDiv, 2, 2, false, decode_arithmetic<schema::DivOptions>}},
    Row{B::POW, {OpType::kPow, 2, 2, false, decode_nothing}},
    Row{B::SQUARED_DIFFERENCE, {OpType::kSquaredDifference, 2, 2, false, decode_nothing}},
    Row{B::FLOOR_DIV, {OpType::kFloorDiv, 2, 2, false, decode_nothing}},
    Row{B::FLOOR_MOD, {OpType::kFloorMod, 2, 2, false, decode_nothing}},
    Row{B::ATAN2, {OpType::kAtan2, 2, 2, false, decode_nothing}},
    Row{B::LOGICAL_AND, {OpType::kLogicalAnd, 2, 2, false, decode_nothing}},
    Row{B::LOGICAL_OR, {OpType::kLogicalOr, 2, 2, false, decode_nothing}},
    Row{B::EQUAL, {OpType::kEqual, 2, 2, false, decode_nothing}},
    Row{B::NOT_EQUAL, {OpType::kNotEqual, 2, 2, false, decode_nothing}},
    Row{B::LESS, {OpType::kLess, 2, 2, false, decode_nothing}},
    Row{B::LESS_EQUAL, {OpType::kLessEqual, 2, 2, false, decode_nothing}},
    Row{B::GREATER, {OpType::kGreater, 2, 2, false, decode_nothing}},
    Row{B::GREATER_EQUAL, {OpType::kGreaterEqual, 2, 2, false, decode_nothing}},
    Row{B::SELECT, {OpType::kSelect, 3, 3, false, decode_select}},
    Row{B::SELECT_V2, {OpType::kSelect, 3, 3, false, decode_select_v2}},
    Row{B::ADD_N, {OpType::kAddN, 1, kAnyNumber, false, decode_nothing}},
    Row{B::BROADCAST_TO, {OpType::kBroadcastTo, 2, 2, false, decode_broadcast_to}},
    Row{B::FILL, {OpType::kBroadcastTo, 2, 2, false, decode_fill}},
    Row{B::SHAPE, {OpType::kReshape, 1, 1, false, decode_shape, 1, false, true}},
    Row{B::RANK, {OpType::kReshape, 1, 1, false, decode_rank, 1, false, true}},
    Row{B::RANGE,
        {OpType::kReshape, 3, 3, false, decode_range, 1, false, true, "constant bounds of float32, int32 or int64"}},
};

// Operators that hold other subgraphs.
bool is_control_flow(B code) { return code == B::IF || code == B::WHILE || code == B::CALL || code == B::CALL_ONCE; }

// What comes after the network proper, and picks from its numbers.
bool selects(B code) {
  return code == B::NON_MAX_SUPPRESSION_V4 || code == B::NON_MAX_SUPPRESSION_V5 || code == B::UNIQUE;
}

}  // namespace

const OperatorRule* find_rule(schema::BuiltinOperator code, std::string_view custom_code) {
  if (code == B::CUSTOM) return find_custom_rule(custom_code);
  const auto* row = std::ranges::find(kOperators, code, &Row::code);
  return row == kOperators.end() ? nullptr : &row->rule;
}

std::vector<NamedRule> all_rules() {
  std::vector<NamedRule> rules;
  for (const B code : schema::EnumValuesBuiltinOperator()) {
    const auto* row = std::ranges::find(kOperators, code, &Row::code);
    if (row != kOperators.end()) rules.push_back({schema::EnumNameBuiltinOperator(code), &row->rule});
  }
  std::ranges::move(all_custom_rules(), std::back_inserter(rules));
  return rules;
}

std::vector<RefusedOperator> refused_operators() {
  // Names that stand for something else than one operator.
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
    return "the custom operator " + quoted(custom_code) +
           " is not known here; express it with built-in operators, or end the model before it";
  }
  if (is_control_flow(code)) return "control flow is not supported; convert the model with loops and branches unrolled";
  if (code == B::WHERE) {
    return "how many elements it gives depends on the data; use SELECT_V2 with masks, or end the model before it";
  }
  if (selects(code)) {
    return "the size of what it makes, or its order, depends on the data; end the model before it and pick from its "
           "outputs on the CPU";
  }
  return "this operator is not supported; replace it by others, or end the model before it";
}

}  // namespace sightglass::tflite
