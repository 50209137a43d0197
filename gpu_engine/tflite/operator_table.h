// Which operators of the format are known, and how each becomes a node.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tflite/operator_view.h"

namespace sightglass::tflite {

// An input that keeps its contents from run to run, and which of the node's outputs it becomes.
struct DecodedState {
  size_t input = 0, output = 0;
};

inline constexpr size_t kNoOutput = SIZE_MAX;

// What a decoder fills in.
struct DecodedOp {
  OpType op = OpType::kReshape;
  Attributes attributes;
  Activation activation = Activation::kNone;
  std::vector<size_t> data;          // which inputs the node reads; parameter tensors are left out
  std::vector<size_t> outputs{0};    // by output of the node, which of the operator's it is; kNoOutput: a state alone
  std::vector<DecodedState> states;  // inputs are the operator's
  std::optional<HostTensor> result;  // what it computes, when that is known already: no node is needed
};

struct OperatorRule {
  OpType op = OpType::kReshape;
  size_t min_inputs = 1, max_inputs = 1;
  bool optional_last_input = false;  // the last of max_inputs may be absent
  // Starts from `op` and all inputs as data. Fails with kUnsupported for what is valid but cannot be run, with
  // kInvalidModel for what contradicts itself; the caller puts the operator's name before the message.
  Status (*decode)(const OperatorView& view, DecodedOp& node) = nullptr;
  size_t max_outputs = 1;
  bool any_input_optional = false;  // what must be there is the decoder's or shape inference's business
  // Never a node: decode() knows the result, or else all inputs must be constant.
  bool while_loading = false;
  const char* limits = "";  // what decode() refuses of valid files, as what it takes; for people
};

// All rules by name, as in OperatorName; built-in ones in the format's order, then custom ones.
struct NamedRule {
  std::string name;
  const OperatorRule* rule = nullptr;
};
std::vector<NamedRule> all_rules();
std::vector<NamedRule> all_custom_rules();  // decode_custom.cpp
// Built-in operators of the format without a rule, with the reason.
struct RefusedOperator {
  std::string name, reason;
};
std::vector<RefusedOperator> refused_operators();

// Null when the operator is not known; then unsupported_reason() says what would help.
const OperatorRule* find_rule(schema::BuiltinOperator code, std::string_view custom_code);
std::string unsupported_reason(schema::BuiltinOperator code, std::string_view custom_code);

const OperatorRule* find_custom_rule(std::string_view name);  // decode_custom.cpp

Result<PaddingMode> decode_padding(schema::Padding padding);
// Dimensions from a file; fails when one is out of range or there are too many.
Result<Shape> narrow_shape(std::span<const int64_t> dims);
// A dimension counted from the front or, when negative, from the back.
Result<int> resolve_axis(int64_t axis, int rank);
Result<Activation> decode_activation(schema::ActivationFunctionType activation);

// MediaPipe's operators on landmarks; decode_transforms.cpp.
Status decode_landmarks_to_matrix(const OperatorView& view, DecodedOp& node);
Status decode_transform_landmarks(const OperatorView& view, DecodedOp& node);
Status decode_transform_image(const OperatorView& view, DecodedOp& node);

// Operators on elements, and those whose results follow from shapes and constants; decode_elements.cpp.
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

// Operators that move elements; decode_layout.cpp.
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

// Recurrent operators; decode_recurrent.cpp.
Status decode_lstm(const OperatorView& view, DecodedOp& node);
Status decode_sequence_lstm(const OperatorView& view, DecodedOp& node);

}  // namespace sightglass::tflite
