// Shared code of the reference kernels: checks, the choice of the arithmetic, whole graphs.
#include <array>
#include <variant>

#include "graph/lstm.h"
#include "graph/op_types.h"
#include "graph/operator_table.h"
#include "graph/quantized.h"
#include "ref/kernels.h"
#include "ref/ref_ops.h"

namespace sightglass::ref {

namespace {

using AnyReference = std::variant<Function*, WholeFunction*>;
constexpr auto kReferences = std::to_array<AnyReference>({
#define OPERATOR(op, name, attributes, shapes, reference, ...) static_cast<Reference<OpType::op>*>(reference),
#include "graph/operators.h"
});

}  // namespace

namespace {

std::string where(const Node& node) { return node.origin.empty() ? std::string(to_string(node.op)) : node.origin; }

// Checks that the inputs match the graph.
Status check_inputs(const Graph& graph, const Node& node, const std::vector<const HostTensor*>& inputs) {
  if (inputs.size() != node.inputs.size()) {
    return invalid_argument(where(node) + " has " + std::to_string(node.inputs.size()) + " inputs; " +
                            std::to_string(inputs.size()) + " were given");
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if ((inputs[i] == nullptr) != (node.inputs[i] == kNone)) {
      return invalid_argument(where(node) + ": input " + std::to_string(i) + " must be given exactly when it exists");
    }
    if (inputs[i] == nullptr) continue;
    const Value& value = graph.value(node.inputs[i]);
    const HostTensor& tensor = *inputs[i];
    if (tensor.type != value.type || tensor.shape != value.shape ||
        tensor.data.size() != static_cast<size_t>(value.shape.elements()) * size_of(value.type)) {
      return invalid_argument(where(node) + ": tensor " + quote(value.name) + " must be " + to_string(value.type) +
                              " " + value.shape.to_string() + "; " + to_string(tensor.type) + " " +
                              tensor.shape.to_string() + " was given");
    }
  }
  return {};
}

// Checks types against the operator, and that quantized tensors have a scale.
Status check_types_and_scales(const Graph& graph, const Node& node) {
  const Status types = check_types(typed_op(graph, node));
  if (!types.ok()) return types.with_context(where(node));
  if (node.op == OpType::kLstm && lstm::in_integers(graph, node)) return lstm::check_integer_outputs(graph, node);
  const Value& in = graph.value(node.inputs[0]);
  if (node.op != OpType::kDequantize || in.type == DataType::kFloat16) return {};
  const Quantization& quantization = in.quantization;
  const size_t entries = quantization.scale.size();
  const bool per_axis = quantization.axis >= 0 && quantization.axis < in.shape.rank() &&
                        entries == static_cast<size_t>(in.shape.dim(quantization.axis));
  if ((entries == 1 || per_axis) && (quantization.zero_point.empty() || quantization.zero_point.size() == entries)) {
    return {};
  }
  return unsupported(where(node) + ": tensor " + quote(in.name) + " has no scale for dequantization");
}

}  // namespace

std::vector<float> Call::real(size_t i) const {
  return real_numbers(graph.value(node.inputs[i]), input(i).type, input(i).data);
}

Result<std::vector<HostTensor>> evaluate(const Graph& graph, const Node& node,
                                         const std::vector<const HostTensor*>& inputs) {
  SIGHTGLASS_RETURN_IF_ERROR(check_inputs(graph, node, inputs));
  Node inferred = node;  // with the resolved padding of SAME and VALID
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<Shape> shapes, infer_shapes(graph, inferred));
  std::vector<HostTensor> outputs;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const Value& output = graph.value(node.outputs[i]);
    if (output.shape != shapes[i]) {
      return internal_error(where(node) + ": output " + std::to_string(i) + " is not of the inferred shape " +
                            shapes[i].to_string());
    }
    outputs.emplace_back(output.type, shapes[i]);
  }
  SIGHTGLASS_RETURN_IF_ERROR(check_types_and_scales(graph, node));
  const Call call{graph, inferred, inputs};
  const AnyReference& reference = kReferences[static_cast<size_t>(node.op)];
  if (const auto* whole = std::get_if<WholeFunction*>(&reference)) {
    (*whole)(call, outputs);
    return outputs;
  }
  Function* const function = std::get<Function*>(reference);
  const bool weights_are_integers = has_weights(node.op) && inputs[1]->type != DataType::kFloat32;
  if (moves_as_is(node.op) || node.op == OpType::kReinterpret || node.op == OpType::kLookup) {
    function(call, outputs[0]);
  } else if ((computes_quantized(graph, node) && node.op != OpType::kDequantize && node.op != OpType::kCast) ||
             weights_are_integers) {
    quantized(call, function, outputs[0]);
  } else {
    function(call, outputs[0]);
    activate(call, outputs[0]);
    if (node.residual_last && residual_of(node) != kNone) add_residual(call, outputs[0]);
  }
  return outputs;
}

namespace {

// Initial contents of a state: real zeros, which are zero points if quantized.
HostTensor initial_state(const Graph& graph, const State& state) {
  const Value& value = graph.value(state.input);
  HostTensor tensor(value.type, value.shape);
  if (state.initial) {
    tensor.data.assign(state.initial->bytes.begin(), state.initial->bytes.end());
  } else if (is_quantized(value)) {
    quantize(value, std::vector<float>(static_cast<size_t>(value.shape.elements()), 0.0f), tensor.data);
  }
  return tensor;
}

}  // namespace

Result<std::vector<HostTensor>> run(const Graph& graph, const std::vector<HostTensor>& inputs,
                                    std::vector<HostTensor>* states) {
  if (inputs.size() != graph.inputs.size()) {
    return invalid_argument("the graph has " + std::to_string(graph.inputs.size()) + " inputs; " +
                            std::to_string(inputs.size()) + " were given");
  }
  std::vector<std::optional<HostTensor>> tensors(graph.value_count());
  for (size_t i = 0; i < inputs.size(); ++i) tensors[static_cast<size_t>(graph.inputs[i])] = inputs[i];
  for (size_t i = 0; i < graph.states.size(); ++i) {
    const bool kept = states != nullptr && i < states->size();
    tensors[static_cast<size_t>(graph.states[i].input)] = kept ? (*states)[i] : initial_state(graph, graph.states[i]);
  }
  // Number of uses, to free a tensor after its last one.
  std::vector<size_t> uses(graph.value_count(), 0);
  for (const NodeId id : graph.order()) {
    for (const ValueId input : graph.node(id).inputs) {
      if (input != kNone) ++uses[static_cast<size_t>(input)];
    }
  }
  for (const ValueId output : graph.outputs) ++uses[static_cast<size_t>(output)];
  for (const State& state : graph.states) ++uses[static_cast<size_t>(state.output)];

  const auto tensor = [&](ValueId id) -> Result<const HostTensor*> {
    std::optional<HostTensor>& slot = tensors[static_cast<size_t>(id)];
    if (!slot && graph.is_constant(id)) {
      SIGHTGLASS_ASSIGN_OR_RETURN(slot, constant_tensor(graph, id));
    }
    if (!slot) return internal_error("tensor " + quote(graph.value(id).name) + " is read before it is computed");
    return &*slot;
  };
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    std::vector<const HostTensor*> arguments;
    for (const ValueId input : node.inputs) {
      const HostTensor* argument = nullptr;
      if (input != kNone) {
        SIGHTGLASS_ASSIGN_OR_RETURN(argument, tensor(input));
      }
      arguments.push_back(argument);
    }
    SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<HostTensor> results, evaluate(graph, node, arguments));
    for (size_t i = 0; i < results.size(); ++i) tensors[static_cast<size_t>(node.outputs[i])] = std::move(results[i]);
    for (const ValueId input : node.inputs) {
      if (input != kNone && --uses[static_cast<size_t>(input)] == 0) tensors[static_cast<size_t>(input)].reset();
    }
  }
  std::vector<HostTensor> outputs;
  for (const ValueId output : graph.outputs) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const HostTensor* result, tensor(output));
    outputs.push_back(*result);
  }
  if (states == nullptr) return outputs;
  std::vector<HostTensor> next;
  for (const State& state : graph.states) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const HostTensor* result, tensor(state.output));
    next.push_back(*result);
  }
  *states = std::move(next);
  return outputs;
}

Result<HostTensor> constant_tensor(const Graph& graph, ValueId id) {
  const Value& value = graph.value(id);
  const Constant& constant = *value.constant;
  HostTensor tensor(value.type, value.shape);
  if (constant.bytes.size() != static_cast<size_t>(value.shape.elements()) * size_of(constant.type)) {
    return invalid_model("constant " + quote(value.name) + " has " + std::to_string(constant.bytes.size()) +
                         " bytes, which are not " + value.shape.to_string() + " of " + to_string(constant.type));
  }
  if (constant.type == value.type) {
    tensor.data.assign(constant.bytes.begin(), constant.bytes.end());
    return tensor;
  }
  if (constant.type != DataType::kFloat16 || value.type != DataType::kFloat32) {
    return internal_error("constant " + quote(value.name) + " of type " + to_string(value.type) + " is stored as " +
                          to_string(constant.type));
  }
  std::ranges::copy(graph.floats(id), tensor.as<float>().begin());
  return tensor;
}

}  // namespace sightglass::ref
