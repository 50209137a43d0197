// Custom operators, by name.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "graph/detection.h"
#include "graph/posenet.h"
#include "tflite/decoders.h"
#include "tflite/flex_options.h"

namespace sightglass::tflite {
namespace {

struct Extent {
  int64_t output = 0, before = 0, after = 0;  // size along one axis, and the padding removed from its ends
};

// SAME removes from the full size the padding of the reversed convolution, so the output for an odd input is not always
// stride times as large.
Extent transposed(int64_t input, int64_t kernel, int64_t stride, bool same) {
  const int64_t padding = same ? std::max<int64_t>(0, kernel - (input - 1) % stride - 1) : 0;
  return {stride * (input - 1) + kernel - padding, padding / 2, padding - padding / 2};
}

// The first numbers in the options of an operator.
template <size_t kCount>
Status read_options(const OperatorView& view, std::array<int32_t, kCount>& options) {
  const auto* bytes = view.custom_options();
  const size_t length = bytes == nullptr ? 0 : bytes->size();
  if (length < sizeof(options)) {
    return invalid_model("its options are " + std::to_string(length) + " bytes long instead of " +
                         std::to_string(sizeof(options)));
  }
  static_assert(std::endian::native == std::endian::little, "numbers in the file are read in native byte order");
  std::memcpy(options.data(), bytes->data(), sizeof(options));
  return {};
}

// MediaPipe pools that return the positions of their maxima, and the unpooling. Their options are the TensorFlow Lite
// pool parameters as in memory: little-endian int32, of which those after the activation are meaningless in a file.
Status decode_pool_parameters(const OperatorView& view, Pool2dAttr& attr, Activation& activation) {
  constexpr int32_t kSame = 1, kValid = 2;
  std::array<int32_t, 6> options{};
  SIGHTGLASS_RETURN_IF_ERROR(read_options(view, options));
  const auto [padding, stride_w, stride_h, filter_w, filter_h, activation_code] = options;
  if (padding != kSame && padding != kValid) {
    return invalid_model("its padding scheme " + std::to_string(padding) + " does not exist");
  }
  if (activation_code < 0 || activation_code > INT8_MAX) {
    return invalid_model("its activation " + std::to_string(activation_code) + " does not exist");
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(activation,
                              decode_activation(static_cast<schema::ActivationFunctionType>(activation_code)));
  attr.padding.mode = padding == kSame ? PaddingMode::kSame : PaddingMode::kValid;
  attr.stride_h = stride_h;
  attr.stride_w = stride_w;
  attr.filter_h = filter_h;
  attr.filter_w = filter_w;
  return {};
}

}  // namespace

// MediaPipe transposed convolution with a bias. Its options are three little-endian int32: padding (1 is SAME, 2 is
// VALID), stride along the width, stride along the height. Inputs are data, weights [O,kh,kw,I], bias.
Status decode_convolution_2d_transpose_bias(const OperatorView& view, DecodedOp& node) {
  constexpr int32_t kSame = 1, kValid = 2;
  std::array<int32_t, 3> options{};
  SIGHTGLASS_RETURN_IF_ERROR(read_options(view, options));
  const auto [padding, stride_w, stride_h] = options;
  if (padding != kSame && padding != kValid) {
    return invalid_model("its padding scheme " + std::to_string(padding) + " does not exist");
  }
  if (stride_w < 1 || stride_h < 1) {
    return invalid_model("its strides are " + std::to_string(stride_h) + " x " + std::to_string(stride_w));
  }
  if (view.shape(0).rank() != 4 || view.shape(1).rank() != 4) {
    return invalid_model("its data " + view.shape(0).to_string() + " and weights " + view.shape(1).to_string() +
                         " need 4 dimensions");
  }
  TransposeConvAttr attr;
  attr.stride_h = stride_h;
  attr.stride_w = stride_w;
  const bool same = padding == kSame;
  const Extent rows = transposed(view.shape(0).dim(1), view.shape(1).dim(1), stride_h, same);
  const Extent columns = transposed(view.shape(0).dim(2), view.shape(1).dim(2), stride_w, same);
  for (const Extent& extent : {rows, columns}) {
    if (extent.output < 1 || extent.output > INT32_MAX) {
      return invalid_model("its output would be " + std::to_string(extent.output) + " wide or high");
    }
  }
  attr.out_h = static_cast<int32_t>(rows.output);
  attr.out_w = static_cast<int32_t>(columns.output);
  attr.padding = {PaddingMode::kExplicit, static_cast<int32_t>(rows.before), static_cast<int32_t>(rows.after),
                  static_cast<int32_t>(columns.before), static_cast<int32_t>(columns.after)};
  node.attributes = attr;
  return {};
}

Status decode_max_pool_with_argmax(const OperatorView& view, DecodedOp& node) {
  Pool2dAttr attr;
  SIGHTGLASS_RETURN_IF_ERROR(decode_pool_parameters(view, attr, node.activation));
  node.attributes = attr;
  node.outputs = {0, 1};
  return {};
}

// Ignores the padding scheme and the activation, as the MediaPipe kernel does.
Status decode_max_unpool(const OperatorView& view, DecodedOp& node) {
  Pool2dAttr attr;
  Activation ignored = Activation::kNone;
  SIGHTGLASS_RETURN_IF_ERROR(decode_pool_parameters(view, attr, ignored));
  node.attributes = attr;
  return {};
}

// From TensorFlow Lite, at the end of single-shot detectors.
Status decode_detection_postprocess(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const FlexOptions options, FlexOptions::open(view));
  DetectionAttr attr;
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.max_detections, options.integer("max_detections"));
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.max_classes, options.integer("max_classes_per_detection"));
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.per_class, options.integer("detections_per_class", attr.per_class));
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.regular, options.boolean("use_regular_nms", false));
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.score_threshold, options.number("nms_score_threshold"));
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.iou_threshold, options.number("nms_iou_threshold"));
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.classes, options.integer("num_classes"));
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.y_scale, options.number("y_scale"));
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.x_scale, options.number("x_scale"));
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.h_scale, options.number("h_scale"));
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.w_scale, options.number("w_scale"));
  if (view.output_count() != detection::kOutputs) {
    return invalid_model("it has " + std::to_string(view.output_count()) + " outputs, not 4");
  }
  node.attributes = attr;
  node.outputs = {detection::kOutBoxes, detection::kOutClasses, detection::kOutScores, detection::kOutNumber};
  return {};
}

// From Coral, at the end of PoseNet and BodyPix. With long offsets it also outputs masks of people.
Status decode_posenet_decoder(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const FlexOptions options, FlexOptions::open(view));
  PosenetDecoderAttr attr;
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.max_detections, options.integer("max_detections"));
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.score_threshold, options.number("score_threshold"));
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.stride, options.integer("stride"));
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.nms_radius, options.number("nms_radius"));
  const bool masks = view.has(posenet::kLongOffsets);
  const size_t outputs = masks ? posenet::kOutMasks + 1 : posenet::kOutMasks;
  if (view.output_count() != outputs) {
    return invalid_model("it has " + std::to_string(view.input_count()) + " inputs and " +
                         std::to_string(view.output_count()) + " outputs, not 3 and 4 or 4 and 5");
  }
  node.attributes = attr;
  node.outputs.clear();
  for (size_t i = 0; i < outputs; ++i) node.outputs.push_back(i);
  return {};
}

}  // namespace sightglass::tflite
