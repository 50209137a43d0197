#include "graph/op_types.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "graph/operator_table.h"
#include "graph/quantized.h"

namespace sightglass {

namespace {

using namespace operators;

struct TypeName {
  Types type;
  const char* name;
  const char* word;  // short name, in tables
};
constexpr std::array kNames{TypeName{kF, "float32", "float32"},
                            TypeName{kH, "float16", "float16"},
                            TypeName{kQ, "8 or 16-bit integers with one scale", "quantized"},
                            TypeName{kAxes, "8 or 16-bit integers with per-axis scales", "per-axis"},
                            TypeName{kN, "8 or 16-bit integers without a scale", "small"},
                            TypeName{kI, "int32", "int32"},
                            TypeName{kL, "int64", "int64"},
                            TypeName{kB, "bool", "bool"}};

Types class_of(const Value& value) {
  switch (value.type) {
    case DataType::kFloat32:
      return kF;
    case DataType::kFloat16:
      return kH;
    case DataType::kInt8:
    case DataType::kUInt8:
    case DataType::kInt16:
      return is_quantized(value) ? kQ : value.quantization.empty() ? kN : kAxes;
    case DataType::kInt32:
      return kI;
    case DataType::kInt64:
      return kL;
    case DataType::kBool:
      return kB;
  }
  return 0;
}

std::string names_of(Types types) {
  std::string text;
  for (const TypeName& entry : kNames) {
    if ((types & entry.type) != 0) text += (text.empty() ? "" : ", ") + std::string(entry.name);
  }
  return text;
}

std::string name(const Value& value) { return "tensor " + quote(value.name); }

// The class, with the type if the class has several.
std::string type_of(const Value& value) {
  const Types type = class_of(value);
  if (type == kAxes) return std::string(to_string(value.type)) + " without one positive scale for all its elements";
  if (type == kN) return std::string(to_string(value.type)) + " without a scale";
  return to_string(value.type);
}

// Index of the input that determines the output type.
size_t data_input(const TypeRule& rule) { return rule.others == OtherInputs::kCondition ? 1 : 0; }

Status check_input(const TypedOp& op, const Value& input, Types taken) {
  if ((class_of(input) & taken) != 0) return {};
  return unsupported(name(input) + " is " + type_of(input) + ", and " + to_string(op.op) + " takes " + names_of(taken) +
                     "; CAST or DEQUANTIZE it first");
}

// The output channel dimension if the input is weights.
std::optional<int> channel_axis(OpType op, size_t input) {
  constexpr int kFirst = 0, kLast = 3;
  if (op == OpType::kLstm) return kFirst;
  if (op == OpType::kDepthwisePointwise && input == kDepthwiseWeights) return kLast;
  if (op == OpType::kSqueezeExcite && input == kSqueezeWeights) return kFirst;
  if (!has_weights(op) || input != 1) return std::nullopt;
  return op == OpType::kDepthwiseConv2d ? kLast : kFirst;
}

// Packing requires this: small integers have one scale, or one per output channel.
Status check_weights(const TypedOp& op, size_t input) {
  const Value& weights = *op.inputs[input];
  const std::optional<int> axis = channel_axis(op.op, input);
  if (!axis || (class_of(weights) & (kQ | kAxes | kN)) == 0) return {};
  const Quantization& q = weights.quantization;
  const int32_t channels = *axis < weights.shape.rank() ? weights.shape.dim(*axis) : 0;
  const bool by_channel = q.axis == *axis && q.scale.size() == static_cast<size_t>(channels);
  const bool usable = std::ranges::all_of(q.scale, [](float s) { return std::isfinite(s) && s > 0; });
  const std::string help = "; use float32 or float16 weights";
  if (q.empty() || !usable || (q.scale.size() > 1 && !by_channel)) {
    const std::string count = std::to_string(q.scale.size());
    const std::string found = q.empty() ? "without a scale"
                              : !usable ? "with a scale that is not positive"
                                        : "with " + count + " scales along dimension " + std::to_string(q.axis);
    return unsupported("weights " + name(weights) + " of shape " + weights.shape.to_string() + " are " +
                       to_string(weights.type) + " " + found + ", and " + to_string(op.op) +
                       " takes one scale, or one for each output channel along dimension " + std::to_string(*axis) +
                       help);
  }
  if (std::ranges::adjacent_find(q.zero_point, std::ranges::not_equal_to()) != q.zero_point.end()) {
    return unsupported("weights " + name(weights) + " have a different zero point for each channel" + help);
  }
  return {};
}

Status check_inputs(const TypedOp& op, const TypeRule& rule) {
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    if (op.inputs[i] == nullptr) continue;
    if (i > 0 && rule.others == OtherInputs::kWeights) {
      SIGHTGLASS_RETURN_IF_ERROR(check_weights(op, i));
      continue;
    }
    if (i > 0 && rule.others == OtherInputs::kIndices) {
      SIGHTGLASS_RETURN_IF_ERROR(check_input(op, *op.inputs[i], kIntegers));
      continue;
    }
    const bool condition = i == 0 && rule.others == OtherInputs::kCondition;
    SIGHTGLASS_RETURN_IF_ERROR(check_input(op, *op.inputs[i], condition ? kB : rule.data));
    if (condition) continue;
    const Value& first = *op.inputs[data_input(rule)];
    const bool narrow_slopes =
        op.op == OpType::kPrelu && first.type == DataType::kInt16 && op.inputs[i]->type == DataType::kInt8;
    if (op.inputs[i]->type != first.type && !narrow_slopes) {
      return unsupported(name(*op.inputs[i]) + " is " + to_string(op.inputs[i]->type) + ", but " + name(first) +
                         " beside it is " + to_string(first.type) + "; CAST one of them");
    }
  }
  return {};
}

// Moved elements keep their meaning.
Status check_scales(const TypedOp& op) {
  if (!moves_as_is(op.op)) return {};
  const Value& first = *op.inputs[0];
  const auto check = [&](const Value& value) -> Status {
    const Quantization &a = first.quantization, &b = value.quantization;
    if (!is_quantized(first) || (a.scale == b.scale && zero_point(first) == zero_point(value))) return {};
    return unsupported(name(value) + " and " + name(first) + " are quantized with different scales or zero points; " +
                       to_string(op.op) + " needs tensors of one quantization; QUANTIZE one of them first");
  };
  for (size_t i = 1; i < op.inputs.size(); ++i) {
    if (op.inputs[i] != nullptr && op.op == OpType::kPack) SIGHTGLASS_RETURN_IF_ERROR(check(*op.inputs[i]));
  }
  for (const Value* output : op.outputs) SIGHTGLASS_RETURN_IF_ERROR(check(*output));
  return {};
}

Status check_output(const TypedOp& op, const TypeRule& rule, size_t index) {
  const Value& output = *op.outputs[index];
  const bool fits = rule.made == kAsData ? output.type == natural_type(op, index) : (class_of(output) & rule.made) != 0;
  // Quantized values stay quantized: a result without a scale would be meaningless.
  const Value& data = *op.inputs[data_input(rule)];
  if (fits && rule.made == kAsData && output.type == data.type && class_of(output) != class_of(data)) {
    return unsupported(name(output) + " is " + type_of(output) + ", but " + name(data) + " is " +
                       names_of(class_of(data)) + "; give both a scale, or neither");
  }
  if (fits) return {};
  const std::string expected = rule.made == kAsData ? to_string(natural_type(op, index)) : names_of(rule.made);
  return unsupported(name(output) + " is " + type_of(output) + " instead of " + expected +
                     "; CAST or QUANTIZE it after the operator");
}

}  // namespace

TypedOp typed_op(const Graph& graph, const Node& node) {
  TypedOp op{node.op, node.activation, {}, {}};
  for (const ValueId id : node.inputs) op.inputs.push_back(id == kNone ? nullptr : &graph.value(id));
  for (const ValueId id : node.outputs) op.outputs.push_back(&graph.value(id));
  return op;
}

Status check_types(const TypedOp& op) {
  const TypeRule& rule = row_of(op.op).types;
  if (op.inputs.size() <= data_input(rule) || op.inputs[data_input(rule)] == nullptr) {
    return invalid_model(std::string(to_string(op.op)) + " has no data");
  }
  SIGHTGLASS_RETURN_IF_ERROR(check_inputs(op, rule));
  SIGHTGLASS_RETURN_IF_ERROR(check_scales(op));
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    SIGHTGLASS_RETURN_IF_ERROR(check_output(op, rule, i));
    const Types made = class_of(*op.outputs[i]);
    if ((made & (kF | kQ)) != 0 || op.activation == Activation::kNone) continue;
    if ((made & kIntegers) == 0 || !is_clamp(op.activation)) {
      return unsupported(std::string("the activation ") + to_string(op.activation) + " cannot be applied to " +
                         name(*op.outputs[i]) + ", which is " + to_string(op.outputs[i]->type) +
                         "; apply it to floats");
    }
  }
  return {};
}

TypeNames type_names(OpType op) {
  const TypeRule& rule = row_of(op).types;
  const auto words = [](Types types) {
    std::vector<std::string> list;
    for (const TypeName& entry : kNames) {
      if ((types & entry.type) != 0) list.emplace_back(entry.word);
    }
    return list;
  };
  TypeNames names{words(rule.data), words(rule.made == kAsData ? rule.data : rule.made), {}};
  if (rule.others == OtherInputs::kWeights) names.others = "weights";
  if (rule.others == OtherInputs::kIndices) names.others = "int32 or int64 indices";
  if (rule.others == OtherInputs::kCondition) names.others = "bool condition";
  return names;
}

std::vector<TypeWord> type_words() {
  std::vector<TypeWord> words;
  words.reserve(std::size(kNames));
  for (const TypeName& entry : kNames) words.push_back({entry.word, entry.name});
  return words;
}

DataType natural_type(const TypedOp& op, size_t index) {
  if (has(op.op, kRanks) && index == 1) return DataType::kInt32;
  const TypeRule& rule = row_of(op.op).types;
  switch (rule.made) {
    case kF:
      return DataType::kFloat32;
    case kB:
      return DataType::kBool;
    case kIntegers:
      return DataType::kInt32;
    default:
      return op.inputs[data_input(rule)]->type;
  }
}

bool is_integer(const Value& value) { return (class_of(value) & (kN | kIntegers | kB)) != 0; }

}  // namespace sightglass
