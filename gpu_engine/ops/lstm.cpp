// LSTM and UNIDIRECTIONAL_SEQUENCE_LSTM: one step adds up what the data of all time steps gives the gates, another runs
// the time steps in one work group a batch.
#include "graph/lstm.h"

#include <algorithm>

#include "graph/quantized.h"
#include "ops/function.h"
#include "ops/ops.h"
#include "ops/weights.h"

namespace sightglass {

namespace {

using lstm::kGates;

constexpr int32_t kLanes = 64;
// What fits the work group's shared memory of 16 KiB.
constexpr int32_t kFewSlices = 128, kManySlices = 256;

ShaderKey lstm_shader(int32_t slices, bool normalised, bool projected) {
  ShaderKey key{"lstm.comp", {}};
  if (normalised) key.defines.push_back({"LAYER_NORM", "1"});
  if (projected) key.defines.push_back({"PROJECTION", "1"});
  key.defines.push_back({"SLICES", std::to_string(slices)});
  return key;
}

std::vector<ShaderKey> variants() {
  std::vector<ShaderKey> keys;
  for (const bool projected : {false, true}) {
    keys.push_back(lstm_shader(kFewSlices, true, projected));
    for (const int32_t slices : {kFewSlices, kManySlices}) keys.push_back(lstm_shader(slices, false, projected));
  }
  return storage_variants(keys, "ABOW");
}

int32_t slices_of(int32_t channels) { return (channels + 3) / 4; }

// The loop iterations of one invocation in one time step. Leaving a loop counts as one more.
int64_t iterations(const lstm::Sizes& sizes, bool normalised) {
  const int64_t cell_slices = slices_of(sizes.cells), out_slices = slices_of(sizes.outputs);
  const int64_t cell_rounds = (cell_slices + kLanes - 1) / kLanes, out_rounds = (out_slices + kLanes - 1) / kLanes;
  const int64_t norm =
      normalised ? 4 * (cell_rounds + 2) + 2 * (3 * (4 * (cell_rounds + 2) + 1) + 2 * (kLanes + 1)) : 0;
  return cell_rounds * (4 * (out_slices + 2) + 2) + out_rounds * (cell_slices + 2) + norm + 4;
}

int64_t max_iterations(const DeviceLimits& limits) {
  // A bound where the device has none: no dispatch should keep the GPU for long.
  constexpr int64_t kMost = 65535;
  return limits.max_loop_iterations > 0 ? std::min<int64_t>(limits.max_loop_iterations, kMost) : kMost;
}

bool has_norm(const Node& node) {
  constexpr size_t kForgetNorm = lstm::kNorm + lstm::kForgetGate;
  return node.inputs.size() > kForgetNorm && node.inputs[kForgetNorm] != kNone;
}

Status supports(const PlanContext& context, const Node& node) {
  const Graph& graph = context.graph;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == kNone || lstm::is_activation(node, i) || graph.is_constant(node.inputs[i])) continue;
    return unsupported("weights that are computed at run time; only constant weights are supported");
  }
  if (graph.value(node.inputs[lstm::cell_input(node)]).type != DataType::kFloat32) {
    return unsupported("a cell state that is not float32");
  }
  const lstm::Sizes sizes = lstm::sizes_of(graph, node);
  const int32_t most = has_norm(node) ? kFewSlices : kManySlices;
  if (slices_of(std::max(sizes.cells, sizes.outputs)) > most) {
    return unsupported(std::to_string(sizes.cells) + " cells and " + std::to_string(sizes.outputs) +
                       " outputs; at most " + std::to_string(most * 4) + " are supported" +
                       (has_norm(node) ? " with layer normalisation" : ""));
  }
  if (iterations(sizes, has_norm(node)) > max_iterations(context.limits)) {
    return unsupported("a time step of more loop iterations than this device makes");
  }
  return {};
}

// The matrices of the gates one below the other, each gate's rows padded to whole slices; absent gates are zeros.
std::vector<float> stack(const std::array<std::vector<float>, kGates>& gates, int32_t rows, int32_t columns) {
  const size_t stride = static_cast<size_t>(slices_of(rows)) * 4 * static_cast<size_t>(columns);
  std::vector<float> stacked(kGates * stride, 0.0f);
  for (size_t gate = 0; gate < kGates; ++gate) {
    std::ranges::copy(gates[gate], stacked.begin() + static_cast<std::ptrdiff_t>(gate * stride));
  }
  return stacked;
}

std::vector<float> padded(std::vector<float> values, int32_t channels) {
  values.resize(static_cast<size_t>(slices_of(channels)) * 4, 0.0f);
  return values;
}

// The tensor of what becomes of a state: the state's own, where nobody else reads what it was.
Result<TensorRef> next_state(Emitter& emitter, ValueId state, ValueId next) {
  const Graph& graph = emitter.graph();
  const auto carries = [&](const State& s) { return s.input == state && s.output == next; };
  const bool read_once = graph.value(state).users.size() == 1 && !graph.is_output(state);
  if (emitter.context().options.keep_state && read_once && std::ranges::any_of(graph.states, carries)) {
    SG_ASSIGN_OR_RETURN(const TensorRef ref, emitter.tensor(state));
    emitter.alias(next, ref);
  }
  return emitter.tensor(next);
}

Status emit(Emitter& emitter, const Node& node) {
  const Graph& graph = emitter.graph();
  const auto& attr = std::get<LstmAttr>(node.attributes);
  const lstm::Sizes sizes = lstm::sizes_of(graph, node);
  const lstm::Weights weights = lstm::unpack(graph, node, [&](size_t input) {
    const Value& value = graph.value(node.inputs[input]);
    return real_numbers(value, value.constant->type, value.constant->bytes);
  });
  const ValueId hidden_value = node.inputs[lstm::hidden_input(node)], cell_value = node.inputs[lstm::cell_input(node)];
  SG_ASSIGN_OR_RETURN(const TensorRef data, emitter.tensor(node.inputs[lstm::kData]));
  SG_ASSIGN_OR_RETURN(TensorRef hidden, emitter.tensor(hidden_value));
  SG_ASSIGN_OR_RETURN(TensorRef cell, emitter.tensor(cell_value));
  SG_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  SG_ASSIGN_OR_RETURN(const TensorRef next_hidden, next_state(emitter, hidden_value, node.outputs[1]));
  SG_ASSIGN_OR_RETURN(const TensorRef next_cell, next_state(emitter, cell_value, node.outputs[2]));

  const int32_t cell_slices = slices_of(sizes.cells);
  const Bhwc all_gates{data.shape.b, data.shape.h, data.shape.w, static_cast<int32_t>(kGates) * cell_slices * 4};
  const TensorRef gates = emitter.temporary("gates " + node.origin, all_gates, cell);
  const std::vector<float> bias = stack(weights.bias, sizes.cells, 1);
  const bool normalised = weights.normalised(), projected = !weights.projection.empty();
  SG_RETURN_IF_ERROR(emit_pointwise(emitter, data, gates, stack(weights.input, sizes.cells, sizes.depth),
                                    normalised ? std::vector<float>(bias.size(), 0.0f) : bias));

  const Storage storage = emitter.real_storage();
  const int32_t rows = static_cast<int32_t>(kGates) * cell_slices * 4;
  const int32_t recurrent = emitter.add_constants(
      pack_conv_weights({rows, 1, 1, sizes.outputs, stack(weights.recurrent, sizes.cells, sizes.outputs)}), storage);
  int32_t projection = 0, projection_bias = 0, norm = 0, norm_bias = 0;
  if (projected) {
    projection =
        emitter.add_constants(pack_conv_weights({sizes.outputs, 1, 1, sizes.cells, weights.projection}), storage);
    projection_bias = emitter.add_constants(padded(weights.projection_bias, sizes.outputs));
  }
  if (normalised) {
    norm = emitter.add_constants(stack(weights.norm, sizes.cells, 1));
    norm_bias = emitter.add_constants(bias);
  }
  std::vector<float> peepholes;
  for (const std::vector<float>& peephole : weights.peephole) {
    const std::vector<float> whole = padded(peephole, sizes.cells);
    peepholes.insert(peepholes.end(), whole.begin(), whole.end());
  }
  const int32_t peephole = emitter.add_constants(peepholes);

  const ShaderKey shader = lstm_shader(
      std::max(cell_slices, slices_of(sizes.outputs)) <= kFewSlices ? kFewSlices : kManySlices, normalised, projected);
  const auto chunk = static_cast<int32_t>(
      std::clamp<int64_t>(max_iterations(emitter.context().limits) / iterations(sizes, normalised), 1, sizes.time));
  for (int32_t first = 0; first < sizes.time; first += chunk) {
    StepParams params;
    params.tensor(gates).tensor(hidden).tensor(cell).tensor(out).tensor(next_hidden).tensor(next_cell);
    params.ints(first, std::min(chunk, sizes.time - first), attr.time_major ? sizes.batch : 1,
                attr.time_major ? 1 : sizes.time);
    params.ints(recurrent, projection, gpu_code(attr.activation), weights.coupled() ? 1 : 0);
    params.ints(peephole, norm, norm_bias, projection_bias);
    params.floats(attr.cell_clip, attr.projection_clip, attr.cell_step, attr.made_step);
    params.floats(attr.gate_steps[0], attr.gate_steps[1], attr.gate_steps[2], attr.gate_steps[3]);
    params.floats(attr.made_lowest, attr.made_highest);
    SG_RETURN_IF_ERROR(emitter.add_step(shader, std::move(params), {.x = 1, .z = sizes.batch}, {gates, hidden, cell},
                                        {out, next_hidden, next_cell}, {.weights = storage}));
    hidden = next_hidden;
    cell = next_cell;
  }
  return {};
}

}  // namespace

Kernel lstm_kernel() {
  return {"lstm",
          OpType::kLstm,
          supports,
          emit,
          variants,
          "constant weights; cells in float32; at most " + std::to_string(kManySlices * 4) + " cells and outputs, " +
              std::to_string(kFewSlices * 4) + " with layer normalisation"};
}

}  // namespace sightglass
