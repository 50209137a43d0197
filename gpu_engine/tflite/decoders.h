// Decoders convert an operator of a file to a node of the graph. tflite/operator_table.cpp assigns them.
#pragma once

#include <optional>
#include <vector>

#include "tflite/operator_view.h"

namespace sightglass::tflite {

// An input that keeps its contents from run to run, and the node output that becomes its next contents.
struct DecodedState {
  size_t input = 0, output = 0;
};

inline constexpr size_t kNoOutput = SIZE_MAX;

// Result of a decoder.
struct DecodedOp {
  OpType op = OpType::kReshape;
  Attributes attributes;
  Activation activation = Activation::kNone;
  std::vector<size_t> data;          // inputs that the node reads; without parameter tensors
  std::vector<size_t> outputs{0};    // by node output, the output of the operator; kNoOutput: only a state
  std::vector<DecodedState> states;  // with the inputs of the operator
  std::optional<HostTensor> result;  // the result, if already known: no node is needed
};

// Fails with kUnsupported for valid but unsupported operators, with kInvalidModel for inconsistent ones. The caller
// prepends the name of the operator to the message.
using Decoder = Status(const OperatorView& view, DecodedOp& node);

Result<PaddingMode> decode_padding(schema::Padding padding);
// Dimensions from a file. Fails if one is out of range or there are too many.
Result<Shape> narrow_shape(std::span<const int64_t> dims);
// A dimension counted from the front or, if negative, from the back.
Result<int> resolve_axis(int64_t axis, int rank);
Result<Activation> decode_activation(schema::ActivationFunctionType activation);

// Operators with weights or windows; decode_options.cpp.
Status decode_conv2d(const OperatorView& view, DecodedOp& node);
Status decode_depthwise_conv2d(const OperatorView& view, DecodedOp& node);
Status decode_transpose_conv(const OperatorView& view, DecodedOp& node);
Status decode_fully_connected(const OperatorView& view, DecodedOp& node);
Status decode_batch_matmul(const OperatorView& view, DecodedOp& node);
Status decode_pool2d(const OperatorView& view, DecodedOp& node);
Status decode_densify(const OperatorView& view, DecodedOp& node);
Status decode_softmax(const OperatorView& view, DecodedOp& node);

// Custom operators; decode_custom.cpp.
Status decode_convolution_2d_transpose_bias(const OperatorView& view, DecodedOp& node);
Status decode_max_pool_with_argmax(const OperatorView& view, DecodedOp& node);
Status decode_max_unpool(const OperatorView& view, DecodedOp& node);
Status decode_detection_postprocess(const OperatorView& view, DecodedOp& node);
Status decode_posenet_decoder(const OperatorView& view, DecodedOp& node);

// MediaPipe operators on landmarks; decode_custom.cpp.
Status decode_landmarks_to_matrix(const OperatorView& view, DecodedOp& node);
Status decode_transform_landmarks(const OperatorView& view, DecodedOp& node);
Status decode_transform_image(const OperatorView& view, DecodedOp& node);

// Elementwise operators, and those whose results follow from shapes and constants; decode_options.cpp.
Status decode_reduction(const OperatorView& view, DecodedOp& node);
Status decode_arg_extreme(const OperatorView& view, DecodedOp& node);
Status decode_top_k(const OperatorView& view, DecodedOp& node);
Status decode_leaky_relu(const OperatorView& view, DecodedOp& node);
Status decode_gelu(const OperatorView& view, DecodedOp& node);
Status decode_select(const OperatorView& view, DecodedOp& node);
Status decode_select_v2(const OperatorView& view, DecodedOp& node);
Status decode_broadcast_to(const OperatorView& view, DecodedOp& node);
Status decode_fill(const OperatorView& view, DecodedOp& node);
Status decode_shape(const OperatorView& view, DecodedOp& node);
Status decode_rank(const OperatorView& view, DecodedOp& node);
Status decode_range(const OperatorView& view, DecodedOp& node);

// Operators that move elements; decode_movement.cpp.
Status decode_pad(const OperatorView& view, DecodedOp& node);
Status decode_pad_v2(const OperatorView& view, DecodedOp& node);
Status decode_reshape(const OperatorView& view, DecodedOp& node);
Status decode_squeeze(const OperatorView& view, DecodedOp& node);
Status decode_expand_dims(const OperatorView& view, DecodedOp& node);
Status decode_strided_slice(const OperatorView& view, DecodedOp& node);
Status decode_concatenation(const OperatorView& view, DecodedOp& node);
Status decode_depth_to_space(const OperatorView& view, DecodedOp& node);
Status decode_resize_bilinear(const OperatorView& view, DecodedOp& node);

// The same; decode_movement.cpp.
Status decode_transpose(const OperatorView& view, DecodedOp& node);
Status decode_slice(const OperatorView& view, DecodedOp& node);
Status decode_split(const OperatorView& view, DecodedOp& node);
Status decode_split_v(const OperatorView& view, DecodedOp& node);
Status decode_pack(const OperatorView& view, DecodedOp& node);
Status decode_unpack(const OperatorView& view, DecodedOp& node);
Status decode_tile(const OperatorView& view, DecodedOp& node);
Status decode_reverse(const OperatorView& view, DecodedOp& node);
Status decode_mirror_pad(const OperatorView& view, DecodedOp& node);
Status decode_space_to_depth(const OperatorView& view, DecodedOp& node);
Status decode_space_to_batch(const OperatorView& view, DecodedOp& node);
Status decode_batch_to_space(const OperatorView& view, DecodedOp& node);
Status decode_resize_nearest(const OperatorView& view, DecodedOp& node);
Status decode_gather(const OperatorView& view, DecodedOp& node);

// Recurrent operators; decode_options.cpp.
Status decode_lstm(const OperatorView& view, DecodedOp& node);
Status decode_sequence_lstm(const OperatorView& view, DecodedOp& node);

}  // namespace sightglass::tflite
