// CAST between floats, quantized values, integers and booleans.
#include <algorithm>
#include <limits>
#include <numeric>

#include "graph/op_types.h"
#include "graph/operator_table.h"
#include "graph/quantized.h"
#include "kernel/tensors.h"
#include "ops/function.h"
#include "ops/ops.h"
#include "ops/parts.h"
#include "ref/ref_ops.h"

namespace sightglass {

namespace {

ShaderKey cast_shader() { return {"cast.comp", {}}; }

GpuCast cast_to(DataType type) {
  if (type == DataType::kBool) return GpuCast::kBool;
  const bool narrow = type == DataType::kInt8 || type == DataType::kUInt8 || type == DataType::kInt16;
  return narrow ? GpuCast::kNarrow : GpuCast::kAny;
}

// Offset of stored values.
float origin_of(const Value& value) { return is_quantized(value) ? static_cast<float>(zero_point(value)) : 0; }

Status emit_cast(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  const Value& from = emitter.graph().value(node.inputs[0]);
  const Value& to = emitter.graph().value(node.outputs[0]);
  const auto bits = static_cast<int32_t>(8 * size_of(to.type));
  StepParams params({in, out});
  params.ints(gpu_code(cast_to(to.type)), bits, to.type == DataType::kUInt8 ? 0 : 1);
  params.floats(origin_of(from), origin_of(to));
  return emitter.add_step(cast_shader(), std::move(params), Grid::over(out.shape), {in}, {out});
}

// From every storage to every other.
std::vector<ShaderKey> cast_variants() {
  std::vector<ShaderKey> keys;
  for (const char* from : {"", "A_F16", "A_I32"}) {
    for (const char* to : {"", "OUT_F16", "OUT_I32"}) {
      ShaderKey key = cast_shader();
      if (*from != '\0') key.defines.push_back({from, "1"});
      if (*to != '\0') key.defines.push_back({to, "1"});
      keys.push_back(std::move(key));
    }
  }
  return keys;
}

}  // namespace

std::vector<Kernel> cast_kernels(OpType) { return {{"cast", supports_without_activation, emit_cast, cast_variants}}; }

// Functions from one quantized value to another: a table of reference results, exact on every device. 16-bit values
// take 256 KiB for each node.

namespace {

Status supports_lookup(const PlanContext& context, const Node& node) {
  for (const ValueId id : {node.inputs[0], node.outputs[0]}) {
    if (!is_quantized(context.graph.value(id))) return unsupported("a tensor without quantization");
  }
  if (node.activation != Activation::kNone) return unsupported("a fused activation after a one-operand function");
  return {};
}

// Steps from the zero point of the output, for all values of the input.
Result<std::vector<float>> make_table(const Graph& graph, const Node& node) {
  const Value &in = graph.value(node.inputs[0]), &out = graph.value(node.outputs[0]);
  if (const auto* lookup = std::get_if<LookupAttr>(&node.attributes)) return steps_of_table(out, lookup->results);
  SIGHTGLASS_ASSIGN_OR_RETURN(const HostTensor results,
                              ref::evaluate_elements(graph, node, {ref::all_integers(in.type)}));
  return steps_from_zero(out, out.type, results.data);
}

// Tables of 8 bits have four times the size: 4 KiB.
constexpr size_t kMostSpread = 256;

ShaderKey lookup_shader(bool spread) {
  ShaderKey key{"lookup.comp", {}};
  if (spread) key.defines.push_back({"SPREAD", "1"});
  return key;
}

Status emit_lookup(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<float> table, make_table(emitter.graph(), node));
  StepParams params({in, out});
  const bool spread = table.size() <= kMostSpread;
  params.ints(emitter.add_constants(spread ? spread_table(table) : table), static_cast<int32_t>(in.scale.lowest),
              static_cast<int32_t>(table.size()));
  return emitter.add_step(lookup_shader(spread), std::move(params), Grid::over(out.shape), {in}, {out});
}

std::vector<ShaderKey> lookup_variants() { return storage_variants({lookup_shader(false), lookup_shader(true)}, "AO"); }

}  // namespace

std::vector<Kernel> lookup_kernels(OpType op) {
  const bool takes_quantized = (operators::row_of(op).types.data & operators::kQ) != 0;
  if (op != OpType::kLookup && (!operators::has(op, operators::kUnary) || !takes_quantized)) return {};
  return {{"lookup", supports_lookup, emit_lookup, lookup_variants}};
}

namespace {

// Number of vec4 that a work group of the first pass reads.
constexpr int64_t kPart = 64 * 32;
// If it has no more, one work group reads the whole image in less time than a second pass takes.
constexpr int64_t kOnePart = 3 * kPart;

// Passes that compute a range: of parts, of their ranges, and of an image of one part.
enum class RangePass : uint8_t { kParts = 0, kFinal = 1, kOnly = 2 };
ShaderKey range_shader(RangePass pass) {
  ShaderKey key{"dynamic_range.comp", {}};
  if (pass != RangePass::kParts) key.defines.push_back({"FINAL", std::to_string(static_cast<int>(pass))});
  return key;
}

ShaderKey quantize_shader() { return {"dynamic_quantize.comp", {}}; }

// Computes the range of every image of the batch, its quantization, then the quantized values.
Status emit_dynamic_quantize(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(TensorRef in, emitter.tensor(node.inputs[0]));
  const auto& attr = std::get<DynamicQuantizeAttr>(node.attributes);
  const Value& data = emitter.graph().value(node.inputs[0]);
  const std::string& name = data.name;
  const auto groups = static_cast<int32_t>(data.shape.elements() / attr.group);
  if (groups != in.shape.b) {
    // A group that is not an image is viewed as one, and the values keep that shape for the operator that reads them.
    const TensorRef rows = emitter.temporary("rows of " + name, {groups, 1, 1, attr.group}, in);
    SIGHTGLASS_RETURN_IF_ERROR(emit_reshape(emitter, in, rows));
    in = rows;
  }
  const TensorRef out = emitter.temporary("steps of " + name, in.shape, in);
  emitter.place(node.outputs[0], out);
  const int64_t picture = in.shape.vec4s() / in.shape.b;
  const auto parts = picture <= kOnePart ? 1 : static_cast<int32_t>((picture + kPart - 1) / kPart);
  // Ranges are always 32-bit floats: a quantization step is in the last bits of a range.
  const TensorRef quanta = emitter.temporary("quanta of " + name, {groups, 1, 1, 4}, Storage::kFloat32);
  const auto add_range = [&](RangePass pass, const TensorRef& from, const TensorRef& to, int64_t size, int64_t of_part,
                             int32_t count) {
    auto params = StepParams({from, to})
                      .ints(static_cast<int32_t>(size), static_cast<int32_t>(of_part), count, attr.asymmetric ? 1 : 0);
    return emitter.add_step(range_shader(pass), std::move(params), Grid{1, int64_t{groups} * count}, {from}, {to});
  };
  if (parts == 1) {
    SIGHTGLASS_RETURN_IF_ERROR(add_range(RangePass::kOnly, in, quanta, picture, picture, 1));
  } else {
    const TensorRef ranges = emitter.temporary("ranges of " + name, {groups, 1, parts, 4}, Storage::kFloat32);
    SIGHTGLASS_RETURN_IF_ERROR(add_range(RangePass::kParts, in, ranges, picture, kPart, parts));
    SIGHTGLASS_RETURN_IF_ERROR(add_range(RangePass::kFinal, ranges, quanta, parts, parts, 1));
  }
  StepParams third({in, quanta, out});
  Grid grid = Grid::over(out.shape);
  grid.x_per_invocation = kQuantizedPixels;
  SIGHTGLASS_RETURN_IF_ERROR(emitter.add_step(quantize_shader(), std::move(third), grid, {in, quanta}, {out}));
  emitter.set_quanta(node.outputs[0], quanta);
  return {};
}

std::vector<ShaderKey> dynamic_quantize_variants() {
  std::vector<ShaderKey> keys =
      storage_variants({range_shader(RangePass::kParts), range_shader(RangePass::kOnly)}, "A");
  keys.push_back(range_shader(RangePass::kFinal));
  for (ShaderKey& key : storage_variants({quantize_shader()}, "AO")) keys.push_back(std::move(key));
  return keys;
}

}  // namespace

std::vector<Kernel> dynamic_quantize_kernels(OpType) {
  return {{"dynamic-quantize", supports_without_activation, emit_dynamic_quantize, dynamic_quantize_variants}};
}

}  // namespace sightglass
