// Functions from one quantized value to another: a table of reference results, exact on every device. 16-bit values
// take 256 KiB for each node.
#include <algorithm>
#include <limits>
#include <numeric>

#include "graph/op_types.h"
#include "graph/operator_table.h"
#include "graph/quantized.h"
#include "kernel/storage_variants.h"
#include "ops/ops.h"
#include "ref/ref_ops.h"

namespace sightglass {

namespace {

Status supports_lookup(const PlanContext& context, const Node& node) {
  for (const ValueId id : {node.inputs[0], node.outputs[0]}) {
    if (!is_quantized(context.graph.value(id))) return unsupported("a tensor without quantization");
  }
  if (node.activation != Activation::kNone) return unsupported("a fused activation after a one-operand function");
  return {};
}

template <typename T>
void count_up(HostTensor& numbers) {
  std::iota(numbers.as<T>().begin(), numbers.as<T>().end(), std::numeric_limits<T>::lowest());
}

// Evaluates the node on all values of its input type.
Result<std::vector<float>> make_table(const Graph& graph, const Node& node) {
  Graph scratch;
  Node alone = node;
  const int32_t count = 1 << (8 * size_of(graph.value(node.inputs[0]).type));
  const auto add = [&](ValueId id) {
    const Value& like = graph.value(id);
    Value value;
    value.name = like.name;
    value.type = like.type;
    value.quantization = like.quantization;
    value.shape = Shape{count};
    return scratch.add_value(std::move(value));
  };
  alone.inputs = {add(node.inputs[0])};
  alone.outputs = {add(node.outputs[0])};
  const Value& in = scratch.value(alone.inputs[0]);
  HostTensor numbers(in.type, in.shape);
  switch (in.type) {
    case DataType::kInt8:
      count_up<int8_t>(numbers);
      break;
    case DataType::kUInt8:
      count_up<uint8_t>(numbers);
      break;
    default:
      count_up<int16_t>(numbers);
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
  params.ints(emitter.add_constants(table), static_cast<int32_t>(in.scale.lowest), static_cast<int32_t>(table.size()));
  const Grid grid{int64_t{out.shape.h} * out.shape.w, int64_t{out.shape.b} * out.shape.slices()};
  return emitter.add_step({"lookup.comp", {}}, std::move(params), grid, {in}, {out});
}

std::vector<ShaderKey> lookup_variants() { return storage_variants({{"lookup.comp", {}}}, "AO"); }

}  // namespace

std::vector<Kernel> lookup_kernels() {
  std::vector<Kernel> kernels;
  for (const OpType op : all_ops()) {
    const std::vector<std::string> types = type_names(op).taken;
    const bool takes_quantized = std::ranges::find(types, "quantized") != types.end();
    if (operators::has(op, operators::kUnary) && takes_quantized) {
      kernels.push_back({"lookup", op, supports_lookup, emit_lookup, lookup_variants});
    }
  }
  return kernels;
}

}  // namespace sightglass
