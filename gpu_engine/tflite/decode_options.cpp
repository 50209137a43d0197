// Decoders of operators with weights or windows, and code shared by all decoders.
#include <algorithm>

#include "tflite/decoders.h"

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

}  // namespace sightglass::tflite
