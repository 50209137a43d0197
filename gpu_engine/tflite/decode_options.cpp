// Decoders of operators with weights or windows, and code shared by all decoders.
#include <algorithm>
#include <array>
#include <cmath>

#include "graph/lstm.h"
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

// The options that all windows share: padding, strides, and a fused activation.
template <typename Options, typename Attr>
Status decode_window(const Options& options, Attr& attr, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.padding.mode, decode_padding(options.padding()));
  SIGHTGLASS_ASSIGN_OR_RETURN(node.activation, decode_activation(options.fused_activation_function()));
  attr.stride_h = options.stride_h();
  attr.stride_w = options.stride_w();
  return {};
}

template <typename Options, typename Attr>
void decode_dilation(const Options& options, Attr& attr) {
  attr.dilation_h = options.dilation_h_factor();
  attr.dilation_w = options.dilation_w_factor();
}

}  // namespace

Status decode_conv2d(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.required_options<schema::Conv2DOptions>());
  Conv2dAttr attr;
  SIGHTGLASS_RETURN_IF_ERROR(decode_window(*options, attr, node));
  decode_dilation(*options, attr);
  node.attributes = attr;
  return {};
}

// The multiplier follows from the shapes: the options of some files contain 0 or a wrong one.
Status decode_depthwise_conv2d(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.required_options<schema::DepthwiseConv2DOptions>());
  DepthwiseConv2dAttr attr;
  SIGHTGLASS_RETURN_IF_ERROR(decode_window(*options, attr, node));
  decode_dilation(*options, attr);
  if (view.has(0) && view.has(1) && view.shape(0).rank() == 4 && view.shape(1).rank() == 4 &&
      view.shape(0).dim(3) > 0) {
    attr.multiplier = view.shape(1).dim(3) / view.shape(0).dim(3);
  }
  node.attributes = attr;
  return {};
}

// Inputs: output shape, weights, data, and since version 3 a bias.
Status decode_transpose_conv(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.required_options<schema::TransposeConvOptions>());
  TransposeConvAttr attr;
  SIGHTGLASS_RETURN_IF_ERROR(decode_window(*options, attr, node));
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<int64_t> shape,
                              view.integers(0, "output shape numbers", Shape::kMaxRank));
  const bool in_range = std::ranges::all_of(shape, [](int64_t d) { return d >= 1 && d <= INT32_MAX; });
  if (shape.size() != 4 || !in_range) return invalid_model("its output shape is not four positive numbers");
  if (!view.has(2)) return invalid_model("it has no data");
  if (view.shape(1).rank() == 4 && view.shape(2).rank() == 4 &&
      (shape[0] != view.shape(2).dim(0) || shape[3] != view.shape(1).dim(0))) {
    return invalid_model("its output shape has batch " + std::to_string(shape[0]) + " and " + std::to_string(shape[3]) +
                         " channels, but data and weights make batch " + std::to_string(view.shape(2).dim(0)) +
                         " and " + std::to_string(view.shape(1).dim(0)) + " channels");
  }
  attr.out_h = static_cast<int32_t>(shape[1]);
  attr.out_w = static_cast<int32_t>(shape[2]);
  node.attributes = attr;
  node.data = {2, 1};
  if (view.has(3)) node.data.push_back(3);
  return {};
}

Status decode_svdf(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.required_options<schema::SVDFOptions>());
  SIGHTGLASS_ASSIGN_OR_RETURN(node.activation, decode_activation(options->fused_activation_function()));
  node.call = DecodedCall{
      .kind = DecodedCall::Kind::kSvdf, .first = options->rank(), .asymmetric = options->asymmetric_quantize_inputs()};
  node.states = {{4, 0}};
  return {};
}

Status decode_fully_connected(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.options<schema::FullyConnectedOptions>());
  FullyConnectedAttr attr;
  if (options != nullptr) {
    if (options->weights_format() != schema::WeightsFormat::DEFAULT) {
      return unsupported(
          "its weights are shuffled for one kind of CPU; convert the model with weights in the default order");
    }
    attr.keep_num_dims = options->keep_num_dims();
    attr.asymmetric_quantize_inputs = options->asymmetric_quantize_inputs();
    SIGHTGLASS_ASSIGN_OR_RETURN(node.activation, decode_activation(options->fused_activation_function()));
  }
  node.attributes = attr;
  return {};
}

Status decode_batch_matmul(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.options<schema::BatchMatMulOptions>());
  node.attributes = options == nullptr ? BatchMatmulAttr{} : BatchMatmulAttr{options->adj_x(), options->adj_y()};
  const auto is_integer = [](const FileTensor& t) { return t.type == DataType::kInt8 || t.type == DataType::kUInt8; };
  if (view.has(0) && view.has(1) && view.input(0).type == DataType::kFloat32 && is_integer(view.input(1))) {
    return unsupported("it multiplies float32 data with 8-bit weights, " + view.input(1).describe() +
                       "; convert the model without dynamic-range quantization of it");
  }
  return {};
}

Status decode_pool2d(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.required_options<schema::Pool2DOptions>());
  Pool2dAttr attr;
  SIGHTGLASS_RETURN_IF_ERROR(decode_window(*options, attr, node));
  attr.filter_h = options->filter_height();
  attr.filter_w = options->filter_width();
  node.attributes = attr;
  return {};
}

// Sparse constants were expanded when they were read.
Status decode_densify(const OperatorView& view, DecodedOp& node) {
  node.attributes = ReshapeAttr{view.shape(0)};
  return {};
}

Status decode_softmax(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.required_options<schema::SoftmaxOptions>());
  node.attributes = SoftmaxAttr{options->beta()};
  return {};
}

// Operators with a state that persists between runs.

namespace {

constexpr size_t kData = lstm::kData;

Result<float> positive_or_none(float clip, const char* what) {
  if (clip >= 0 && std::isfinite(clip)) return clip;
  return invalid_model(std::string("its ") + what + " is " + std::to_string(clip));
}

// An integer LSTM: an intermediate tensor has the scale of the cell outputs, and TensorFlow Lite computes TANH whatever
// the declared activation. Shape inference checks types and scales.
Status decode_integers(const OperatorView& view, LstmAttr& attr) {
  constexpr size_t kIntermediates = 5, kMade = 4;
  const auto& intermediates = view.intermediates();
  if (intermediates.size() != kIntermediates) {
    return unsupported("an integer LSTM with " + std::to_string(intermediates.size()) +
                       " intermediate tensors, not 5; use the float32 version of the model");
  }
  const FileTensor* made = intermediates[kMade];
  if (made == nullptr || made->quantization.scale.size() != 1 || made->quantization.zero_point.size() > 1) {
    return invalid_model("its intermediate tensor 4 has no single scale");
  }
  attr.activation = Activation::kTanh;
  attr.made_scale = made->quantization.scale[0];
  if (!made->quantization.zero_point.empty()) {
    const int64_t zero = made->quantization.zero_point[0];
    if (zero < INT8_MIN || zero > INT8_MAX) {
      return invalid_model("its intermediate tensor 4 has the zero point " + std::to_string(zero));
    }
    attr.made_zero_point = static_cast<int32_t>(zero);
  }
  return {};
}

Status decode_full(const OperatorView& view, LstmAttr& attr, DecodedOp& node) {
  if (view.input_count() != lstm::kNorm && view.input_count() != lstm::kInputs) {
    return invalid_model("it has " + std::to_string(view.input_count()) + " inputs, not 20 or 24");
  }
  for (const size_t i : {kData, lstm::kHidden, lstm::kCell}) {
    if (!view.has(i)) return invalid_model("input " + std::to_string(i) + " is absent");
  }
  if (view.input(kData).type != DataType::kFloat32) SIGHTGLASS_RETURN_IF_ERROR(decode_integers(view, attr));
  node.outputs = {0, kNoOutput, kNoOutput};
  node.states = {{lstm::kHidden, 1}, {lstm::kCell, 2}};
  return {};
}

// Outputs: the result, the cells, and two that only its own computation uses.
Status decode_basic(const OperatorView& view, LstmAttr& attr, DecodedOp& node) {
  constexpr size_t kBasicOutputs = 4, kMade = 0, kCells = 1;
  if (view.input_count() != lstm::kBasicInputs || view.output_count() != kBasicOutputs) {
    return invalid_model("the basic kind has 5 inputs and 4 outputs, not " + std::to_string(view.input_count()) +
                         " and " + std::to_string(view.output_count()));
  }
  for (size_t i = 0; i < lstm::kBasicInputs; ++i) {
    if (!view.has(i)) return invalid_model("input " + std::to_string(i) + " is absent");
  }
  if (view.input(kData).type != DataType::kFloat32) {
    return unsupported("the basic kind is only supported in float32; convert the model to float32");
  }
  if (attr.activation != Activation::kTanh || attr.cell_clip != 0 || attr.projection_clip != 0) {
    return invalid_model("the basic kind must have the activation TANH and no clipping");
  }
  attr.basic = true;
  node.outputs = {kMade, kNoOutput, kCells};
  node.states = {{lstm::kBasicHidden, 1}, {lstm::kBasicCell, 2}};
  return {};
}

template <typename Options>
Result<LstmAttr> decode_common(const Options& options) {
  LstmAttr attr;
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.activation, decode_activation(options.fused_activation_function()));
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.cell_clip, positive_or_none(options.cell_clip(), "clip of the cells"));
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.projection_clip, positive_or_none(options.proj_clip(), "clip of the projection"));
  return attr;
}

}  // namespace

Status decode_lstm(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.required_options<schema::LSTMOptions>());
  SIGHTGLASS_ASSIGN_OR_RETURN(LstmAttr attr, decode_common(*options));
  switch (options->kernel_type()) {
    case schema::LSTMKernelType::FULL:
      SIGHTGLASS_RETURN_IF_ERROR(decode_full(view, attr, node));
      break;
    case schema::LSTMKernelType::BASIC:
      SIGHTGLASS_RETURN_IF_ERROR(decode_basic(view, attr, node));
      break;
    default:
      return invalid_model("its kind " + std::to_string(static_cast<int>(options->kernel_type())) + " does not exist");
  }
  if (view.shape(kData).rank() != 2) return invalid_model("its data needs two dimensions");
  node.attributes = attr;
  return {};
}

Status decode_sequence_lstm(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.required_options<schema::UnidirectionalSequenceLSTMOptions>());
  SIGHTGLASS_ASSIGN_OR_RETURN(LstmAttr attr, decode_common(*options));
  if (options->diagonal_recurrent_tensors()) {
    return unsupported("its recurrent weights are diagonals, which is not supported; write them as full matrices");
  }
  attr.time_major = options->time_major();
  SIGHTGLASS_RETURN_IF_ERROR(decode_full(view, attr, node));
  if (view.shape(kData).rank() != 3) return invalid_model("its data needs three dimensions");
  node.attributes = attr;
  return {};
}

// Elementwise operators with options, and operators whose results follow from shapes and constants.

namespace {

// For integer results, int32 or int64.
template <typename T>
void store(std::span<const double> numbers, HostTensor& tensor) {
  std::ranges::transform(numbers, tensor.as<T>().begin(), [](double v) { return static_cast<T>(v); });
}

Result<Shape> shape_operand(const OperatorView& view, size_t input) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<int64_t> dims,
                              view.integers(input, "shape's numbers", Shape::kMaxRank));
  return narrow_shape(dims);
}

Shape shape_without(const Shape& shape, const ReduceAttr& attr) {
  std::vector<int32_t> dims;
  for (int d = 0; d < shape.rank(); ++d) {
    if (attr.keep_dims || std::ranges::find(attr.axes, d) == attr.axes.end()) dims.push_back(shape.dim(d));
  }
  return Shape(dims);
}

}  // namespace

Status decode_reduction(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.options<schema::ReducerOptions>());
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<int64_t> axes, view.integers(1, "axes", size_t{2} * Shape::kMaxRank));
  const int rank = view.shape(0).rank();
  ReduceAttr attr;
  attr.keep_dims = options != nullptr && options->keep_dims();
  for (const int64_t axis : axes) {
    if (axis < -rank || axis >= rank) {
      return invalid_model("its axis " + std::to_string(axis) + " does not exist in an input of shape " +
                           view.shape(0).to_string());
    }
    attr.axes.push_back(static_cast<int32_t>(axis < 0 ? axis + rank : axis));
  }
  std::ranges::sort(attr.axes);
  attr.axes.erase(std::unique(attr.axes.begin(), attr.axes.end()), attr.axes.end());
  node.data = {0};
  const auto single = [&](int32_t axis) { return view.shape(0).dim(axis) == 1; };
  if (std::ranges::all_of(attr.axes, single)) {  // of single elements
    node.op = OpType::kReshape;
    node.attributes = ReshapeAttr{shape_without(view.shape(0), attr)};
    return {};
  }
  node.attributes = attr;
  return {};
}

// The output declares whether indices are int32 or int64.
Status decode_arg_extreme(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<int64_t> axis, view.integers(1, "axis", 1));
  const int rank = view.shape(0).rank();
  if (axis.size() != 1 || axis[0] < -rank || axis[0] >= rank) {
    return invalid_model("its axis does not exist in an input of shape " + view.shape(0).to_string());
  }
  node.attributes = ArgAttr{static_cast<int32_t>(axis[0] < 0 ? axis[0] + rank : axis[0])};
  node.data = {0};
  return {};
}

Status decode_top_k(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<int64_t> count, view.integers(1, "number of elements to select", 1));
  if (count.size() != 1 || count[0] < 0 || count[0] > INT32_MAX) {
    return invalid_model("its number of elements to select is not one nonnegative number");
  }
  node.attributes = TopKAttr{static_cast<int32_t>(count[0])};
  node.data = {0};
  node.outputs = {0, 1};
  return {};
}

Status decode_nothing(const OperatorView&, DecodedOp&) { return {}; }

namespace {

// For options whose only relevant field is the activation.
template <typename Options>
Status decode_arithmetic(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.options<Options>());
  if (options == nullptr) return {};
  SIGHTGLASS_ASSIGN_OR_RETURN(node.activation, decode_activation(options->fused_activation_function()));
  return {};
}

template <typename Options>
Status decode_sum(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.options<Options>());
  const bool wide = view.input(0).type == DataType::kInt16;
  if (wide && options != nullptr && options->pot_scale_int16()) node.attributes = SumAttr{true};
  return decode_arithmetic<Options>(view, node);
}

}  // namespace

Status decode_add(const OperatorView& view, DecodedOp& node) { return decode_sum<schema::AddOptions>(view, node); }
Status decode_sub(const OperatorView& view, DecodedOp& node) { return decode_sum<schema::SubOptions>(view, node); }
Status decode_mul(const OperatorView& view, DecodedOp& node) {
  return decode_arithmetic<schema::MulOptions>(view, node);
}
Status decode_div(const OperatorView& view, DecodedOp& node) {
  return decode_arithmetic<schema::DivOptions>(view, node);
}
Status decode_l2_normalization(const OperatorView& view, DecodedOp& node) {
  return decode_arithmetic<schema::L2NormOptions>(view, node);
}

Status decode_leaky_relu(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.required_options<schema::LeakyReluOptions>());
  if (!std::isfinite(options->alpha())) return invalid_model("its alpha is not a finite number");
  node.attributes = LeakyReluAttr{options->alpha()};
  return {};
}

Status decode_gelu(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.options<schema::GeluOptions>());
  node.attributes = GeluAttr{options != nullptr && options->approximate()};
  return {};
}

// The condition has the shape of the data, one bool, or one per row of the data.
Status decode_select(const OperatorView& view, DecodedOp& node) {
  const Shape &condition = view.shape(0), &data = view.shape(1);
  const bool alike = condition == data || condition.elements() == 1;
  node.attributes = SelectAttr{!alike};
  return {};
}

Status decode_select_v2(const OperatorView&, DecodedOp& node) {
  node.attributes = SelectAttr{};
  return {};
}

Status decode_broadcast_to(const OperatorView& view, DecodedOp& node) {
  BroadcastToAttr attr;
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.shape, shape_operand(view, 1));
  node.attributes = attr;
  node.data = {0};
  return {};
}

Status decode_fill(const OperatorView& view, DecodedOp& node) {
  BroadcastToAttr attr;
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.shape, shape_operand(view, 0));
  if (view.shape(1).elements() != 1) {
    return invalid_model("its value " + view.input(1).describe() + " of shape " + view.shape(1).to_string() +
                         " is not one number");
  }
  node.attributes = attr;
  node.data = {1};
  return {};
}

Status decode_shape(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.options<schema::ShapeOptions>());
  const bool wide = options != nullptr && options->out_type() == schema::TensorType::INT64;
  const std::span<const int32_t> dims = view.shape(0).dims();
  node.result = HostTensor(wide ? DataType::kInt64 : DataType::kInt32, {static_cast<int32_t>(dims.size())});
  const std::vector<double> numbers(dims.begin(), dims.end());
  wide ? store<int64_t>(numbers, *node.result) : store<int32_t>(numbers, *node.result);
  node.data = {};
  return {};
}

Status decode_rank(const OperatorView& view, DecodedOp& node) {
  node.result = HostTensor(DataType::kInt32, Shape());
  node.result->as<int32_t>()[0] = view.shape(0).rank();
  node.data = {};
  return {};
}

Status decode_range(const OperatorView& view, DecodedOp& node) {
  constexpr double kMost = 1 << 20;
  constexpr std::array kNames{"start", "limit", "step"};
  std::array<double, 3> bounds{};
  for (size_t i = 0; i < bounds.size(); ++i) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<double> number, view.numbers(i, kNames[i], 1));
    if (number.size() != 1 || !std::isfinite(number[0])) {
      return invalid_model(std::string("its ") + kNames[i] + " is not one finite number");
    }
    bounds[i] = number[0];
  }
  const auto [start, limit, step] = bounds;
  if (step == 0 || (limit - start) / step < 0) {
    return invalid_model("its range from " + std::to_string(start) + " to " + std::to_string(limit) + " in steps of " +
                         std::to_string(step) + " never ends");
  }
  const double count = std::ceil((limit - start) / step);
  if (count > kMost)
    return unsupported("its range has more than " + std::to_string(static_cast<int64_t>(kMost)) +
                       " numbers; put them into the model as a constant");
  const DataType type = view.input(0).constant->type;
  if (view.input(1).constant->type != type || view.input(2).constant->type != type) {
    return invalid_model("its start, limit and step are not of one type");
  }
  std::vector<double> numbers(static_cast<size_t>(count));
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = start + static_cast<double>(i) * step;
  node.result = HostTensor(type, {static_cast<int32_t>(count)});
  if (type == DataType::kFloat32) store<float>(numbers, *node.result);
  if (type == DataType::kInt32) store<int32_t>(numbers, *node.result);
  if (type == DataType::kInt64) store<int64_t>(numbers, *node.result);
  node.data = {};
  return {};
}

}  // namespace sightglass::tflite
