// Which operators of the format are known, and how each becomes a node.
#pragma once

#include <string_view>

#include "tflite/operator_view.h"

namespace sightglass::tflite {

// What a decoder fills in. It starts out with the operator's own inputs, in order.
struct Decoded {
  OpType op = OpType::kReshape;
  Attributes attributes;
  Activation activation = Activation::kNone;
  std::vector<int32_t> data;  // tensor indices of the node's inputs, parameter tensors left out; -1: absent
};

// Fails with kUnsupported for what is valid but cannot be run, with kInvalidModel for what contradicts itself. Messages
// do not name the operator: the caller does.
using Decoder = Status (*)(const OperatorView& op, Decoded& node);

struct OperatorSpec {
  OpType op;
  size_t least_inputs, most_inputs;
  Decoder decode;
};

// Null when the operator is not known.
const OperatorSpec* find_operator(schema::BuiltinOperator code);
const OperatorSpec* find_custom_operator(std::string_view name);

Result<PaddingMode> decode_padding(schema::Padding padding);
Result<Activation> decode_activation(schema::ActivationFunctionType activation);

// Operators that move elements; import_layout.cpp.
Status decode_pad(const OperatorView& op, Decoded& node);
Status decode_pad_v2(const OperatorView& op, Decoded& node);
Status decode_reshape(const OperatorView& op, Decoded& node);
Status decode_squeeze(const OperatorView& op, Decoded& node);
Status decode_expand_dims(const OperatorView& op, Decoded& node);
Status decode_strided_slice(const OperatorView& op, Decoded& node);
Status decode_concatenation(const OperatorView& op, Decoded& node);
Status decode_depth_to_space(const OperatorView& op, Decoded& node);
Status decode_resize_bilinear(const OperatorView& op, Decoded& node);

}  // namespace sightglass::tflite
