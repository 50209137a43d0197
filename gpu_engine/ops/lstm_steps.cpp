#include "ops/lstm_steps.h"

#include <algorithm>

namespace sightglass::lstm {
namespace {

Result<TensorRef> next_state(Emitter& emitter, ValueId state, ValueId next) {
  const Graph& graph = emitter.graph();
  const auto carries = [&](const State& s) { return s.input == state && s.output == next; };
  const bool read_once = graph.value(state).users.size() == 1 && !graph.is_output(state);
  if (emitter.context().options.keep_state && read_once && std::ranges::any_of(graph.states, carries)) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef ref, emitter.tensor(state));
    emitter.alias(next, ref);
  }
  return emitter.tensor(next);
}

// Maximum loop iterations of an invocation, also for devices without a limit.
int64_t max_iterations(const DeviceLimits& limits) {
  // Bound for devices without a limit: no dispatch should occupy the GPU for long.
  constexpr int64_t kMost = 65535;
  return limits.max_loop_iterations > 0 ? std::min<int64_t>(limits.max_loop_iterations, kMost) : kMost;
}

}  // namespace

Status check_size(const PlanContext& context, const Node& node, int32_t most, int64_t iterations) {
  const Graph& graph = context.graph;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == kNone || is_activation(node, i) || graph.is_constant(node.inputs[i])) continue;
    return unsupported("weights that are computed at run time; only constant weights are supported");
  }
  const Sizes sizes = sizes_of(graph, node);
  if (slices_of(std::max(sizes.cells, sizes.outputs)) > most) {
    return unsupported(std::to_string(sizes.cells) + " cells and " + std::to_string(sizes.outputs) +
                       " outputs; at most " + std::to_string(most * 4) + " are supported");
  }
  if (iterations > max_iterations(context.limits)) {
    return unsupported("a time step with more loop iterations than this device allows");
  }
  return {};
}

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

std::vector<float> padded(const std::array<std::vector<float>, 3>& values, int32_t channels) {
  std::vector<float> all;
  for (const std::vector<float>& one : values) {
    const std::vector<float> whole = padded(one, channels);
    all.insert(all.end(), whole.begin(), whole.end());
  }
  return all;
}

Result<Tensors> tensors_of(Emitter& emitter, const Node& node) {
  const ValueId hidden = node.inputs[hidden_input(node)], cell = node.inputs[cell_input(node)];
  Tensors tensors;
  SIGHTGLASS_ASSIGN_OR_RETURN(tensors.data, emitter.tensor(node.inputs[kData]));
  SIGHTGLASS_ASSIGN_OR_RETURN(tensors.hidden, emitter.tensor(hidden));
  SIGHTGLASS_ASSIGN_OR_RETURN(tensors.cell, emitter.tensor(cell));
  SIGHTGLASS_ASSIGN_OR_RETURN(tensors.out, emitter.tensor(node.outputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(tensors.next_hidden, next_state(emitter, hidden, node.outputs[1]));
  SIGHTGLASS_ASSIGN_OR_RETURN(tensors.next_cell, next_state(emitter, cell, node.outputs[2]));
  return tensors;
}

Status emit_time_steps(Emitter& emitter, const Node& node, const TensorRef& gates, Tensors tensors,
                       const TimeSteps& steps) {
  const Sizes sizes = sizes_of(emitter.graph(), node);
  const bool time_major = std::get<LstmAttr>(node.attributes).time_major;
  const auto chunk = static_cast<int32_t>(
      std::clamp<int64_t>(max_iterations(emitter.context().limits) / steps.iterations, 1, sizes.time));
  for (int32_t first = 0; first < sizes.time; first += chunk) {
    StepParams params;
    params.tensor(gates).tensor(tensors.hidden).tensor(tensors.cell);
    params.tensor(tensors.out).tensor(tensors.next_hidden).tensor(tensors.next_cell);
    params.ints(first, std::min(chunk, sizes.time - first), time_major ? sizes.batch : 1, time_major ? 1 : sizes.time);
    steps.add_params(params);
    SIGHTGLASS_RETURN_IF_ERROR(emitter.add_step(
        steps.shader, std::move(params), {.x = 1, .z = sizes.batch}, {gates, tensors.hidden, tensors.cell},
        {tensors.out, tensors.next_hidden, tensors.next_cell}, {.weights = steps.weights}));
    tensors.hidden = tensors.next_hidden;
    tensors.cell = tensors.next_cell;
  }
  return {};
}

int32_t slices_for(const Sizes& sizes) {
  return slices_of(std::max(sizes.cells, sizes.outputs)) <= kFewSlices ? kFewSlices : kManySlices;
}

Bhwc shape_of_gates(const TensorRef& data, const Sizes& sizes) {
  return {data.shape.b, data.shape.h, data.shape.w, static_cast<int32_t>(kGates) * slices_of(sizes.cells) * 4};
}

}  // namespace sightglass::lstm
