// Functions from one 8-bit value to another: a table of reference results, exact on every device.
#include <algorithm>
#include <numeric>

#include "graph/op_types.h"
#include "graph/operator_table.h"
#include "graph/quantized.h"
#include "kernel/storage_variants.h"
#include "ops/ops.h"
#include "ref/ref_ops.h"

namespace sightglass {

namespace {

constexpr int32_t kNumbers = 256;

bool is_8_bit(const Value& value) {
  return is_quantized(value) && (value.type == DataType::kInt8 || value.type == DataType::kUInt8);
}

Status supports_lookup(const PlanContext& context, const Node& node) {
  for (const ValueId id : {node.inputs[0], node.outputs[0]}) {
    if (!is_8_bit(context.graph.value(id))) return unsupported("a tensor that is not quantized to 8 bits");
  }
  if (node.activation != Activation::kNone) return unsupported("a fused activation after a one-operand function");
  return {};
}

// Evaluates the node on all values of its input type.
Result<std::vector<float>> make_table(const Graph& graph, const Node& node) {
  Graph scratch;
  Node alone = node;
  const auto add = [&](ValueId id) {
    const Value& like = graph.value(id);
    Value value;
    value.name = like.name;
    value.type = like.type;
    value.quantization = like.quantization;
    value.shape = Shape{kNumbers};
    return scratch.add_value(std::move(value));
  };
  alone.inputs = {add(node.inputs[0])};
  alone.outputs = {add(node.outputs[0])};
  const Value& in = scratch.value(alone.inputs[0]);
  HostTensor numbers(in.type, in.shape);
  if (in.type == DataType::kInt8) {
    std::iota(numbers.as<int8_t>().begin(), numbers.as<int8_t>().end(), int8_t{-128});
  } else {
    std::iota(numbers.as<uint8_t>().begin(), numbers.as<uint8_t>().end(), uint8_t{0});
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<HostTensor> results, ref::evaluate(scratch, alone, {&numbers}));
  const Value& out = scratch.value(alone.outputs[0]);
  return steps_from_zero(out, out.type, results[0].data);
}

Status emit_lookup(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<float> table, make_table(emitter.graph(), node));
  StepParams params;
  params.tensor(in).tensor(out);
  params.ints(emitter.add_constants(table), static_cast<int32_t>(in.scale.lowest));
  const Grid grid{int64_t{out.shape.h} * out.shape.w, int64_t{out.shape.b} * out.shape.slices()};
  return emitter.add_step({"lookup.comp", {}}, std::move(params), grid, {in}, {out});
}

std::vector<ShaderKey> lookup_variants() { return storage_variants({{"lookup.comp", {}}}, "AO"); }

}  // namespace

std::vector<Kernel> lookup_kernels() {
  std::vector<Kernel> kernels;
  for (const OpType op : all_ops()) {
    const std::vector<std::string> types = type_names(op).taken;
    const bool takes_bytes = std::ranges::find(types, "quantized") != types.end();
    if (operators::has(op, operators::kUnary) && takes_bytes) {
      kernels.push_back({"lookup", op, supports_lookup, emit_lookup, lookup_variants});
    }
  }
  return kernels;
}

}  // namespace sightglass
