// LSTM and UNIDIRECTIONAL_SEQUENCE_LSTM in floats: one step computes the contribution of the data of all time steps to
// the gates, another runs the time steps in one work group per batch.
#include "graph/lstm.h"

#include <algorithm>
#include <functional>

#include "graph/quantized.h"
#include "kernel/emitter.h"
#include "kernel/tensors.h"
#include "ops/conv_constants.h"
#include "ops/function.h"
#include "ops/ops.h"
#include "ops/parts.h"

namespace sightglass::lstm {

// Shared code of float and integer LSTMs: sizes, constants, and the placement of states.

inline constexpr int32_t kLanes = kKernelInvocations;  // one work group runs a batch
// Slices that fit into 16 KiB of shared memory: with all vectors, and with fewer vectors.
inline constexpr int32_t kFewSlices = 128, kManySlices = 256;

inline int32_t slices_of(int32_t channels) { return (channels + 3) / 4; }
// Maximum slices per invocation.
inline int32_t rounds_of(int32_t slices) { return (slices + kLanes - 1) / kLanes; }

// The three vectors in sequence.
std::vector<float> padded(const std::array<std::vector<float>, 3>& values, int32_t channels);

// Data, states and next states. The next state overwrites the state in place, unless the old state has other readers.
struct Tensors {
  TensorRef data, hidden, cell, out, next_hidden, next_cell;
};

// Dispatches of the time steps of a node.
struct TimeSteps {
  const ShaderKey& shader;
  Storage weights;
  int64_t iterations;  // loop iterations of one invocation in one time step
  // Appends the parameters that the shader reads after the tensors, the range of time steps, and their strides.
  std::function<void(StepParams&)> add_params;
};

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

// Ok if everything but data and states is constant, neither states nor outputs are wider than `most` slices, and a time
// step needs no more iterations than the device allows.
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

// The matrices of the gates stacked vertically, with the rows of each gate padded to whole slices. Absent gates are
// zeros.
std::vector<float> stack(const std::array<std::vector<float>, kGates>& gates, int32_t rows, int32_t columns) {
  const size_t stride = static_cast<size_t>(slices_of(rows)) * 4 * static_cast<size_t>(columns);
  std::vector<float> stacked(kGates * stride, 0.0f);
  for (size_t gate = 0; gate < kGates; ++gate) {
    std::ranges::copy(gates[gate], stacked.begin() + static_cast<std::ptrdiff_t>(gate * stride));
  }
  return stacked;
}

// The values padded to whole slices.
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

// Adds them to the plan. Each step runs as many time steps as the iteration limit of the device allows.
Status emit_time_steps(Emitter& emitter, const Node& node, const TensorRef& gates, Tensors tensors,
                       const TimeSteps& steps) {
  const Sizes sizes = sizes_of(emitter.graph(), node);
  const bool time_major = std::get<LstmAttr>(node.attributes).time_major;
  const auto chunk = static_cast<int32_t>(
      std::clamp<int64_t>(max_iterations(emitter.context().limits) / steps.iterations, 1, sizes.time));
  for (int32_t first = 0; first < sizes.time; first += chunk) {
    StepParams params({gates, tensors.hidden, tensors.cell});
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

// kFewSlices if cells and outputs fit, else kManySlices.
int32_t slices_for(const Sizes& sizes) {
  return slices_of(std::max(sizes.cells, sizes.outputs)) <= kFewSlices ? kFewSlices : kManySlices;
}

// Shape of the sums of all gates, stacked in the channels.
Bhwc shape_of_gates(const TensorRef& data, const Sizes& sizes) {
  return {data.shape.b, data.shape.h, data.shape.w, static_cast<int32_t>(kGates) * slices_of(sizes.cells) * 4};
}

}  // namespace sightglass::lstm

namespace sightglass {

namespace {

using lstm::kFewSlices;
using lstm::kGates;
using lstm::kLanes;
using lstm::kManySlices;
using lstm::slices_of;

ShaderKey lstm_shader(int32_t slices, bool normalized, bool projected) {
  ShaderKey key{"lstm.comp", {}};
  if (normalized) key.defines.push_back({"LAYER_NORM", "1"});
  if (projected) key.defines.push_back({"PROJECTION", "1"});
  key.defines.push_back({"SLICES", std::to_string(slices)});
  return key;
}

std::vector<ShaderKey> lstm_variants() {
  std::vector<ShaderKey> keys;
  for (const bool projected : {false, true}) {
    keys.push_back(lstm_shader(kFewSlices, true, projected));
    for (const int32_t slices : {kFewSlices, kManySlices}) keys.push_back(lstm_shader(slices, false, projected));
  }
  return storage_variants(keys, "ABOW");
}

// Loop iterations of one invocation per time step. Leaving a loop counts as one more.
int64_t iterations(const lstm::Sizes& sizes, bool normalized) {
  const int64_t cell_slices = slices_of(sizes.cells), out_slices = slices_of(sizes.outputs);
  const int64_t cell_rounds = lstm::rounds_of(slices_of(sizes.cells));
  const int64_t out_rounds = lstm::rounds_of(slices_of(sizes.outputs));
  const int64_t norm =
      normalized ? 4 * (cell_rounds + 2) + 2 * (3 * (4 * (cell_rounds + 2) + 1) + 2 * (kLanes + 1)) : 0;
  return cell_rounds * (4 * (out_slices + 2) + 2) + out_rounds * (cell_slices + 2) + norm + 4;
}

bool has_norm(const Node& node) {
  constexpr size_t kForgetNorm = lstm::kNorm + lstm::kForgetGate;
  return node.inputs.size() > kForgetNorm && node.inputs[kForgetNorm] != kNone;
}

Status supports_lstm(const PlanContext& context, const Node& node) {
  if (lstm::in_integers(context.graph, node)) return unsupported("integers");
  const bool normalized = has_norm(node);
  return lstm::check_size(context, node, normalized ? kFewSlices : kManySlices,
                          iterations(lstm::sizes_of(context.graph, node), normalized));
}

Status emit_lstm(Emitter& emitter, const Node& node) {
  const Graph& graph = emitter.graph();
  const auto& attr = std::get<LstmAttr>(node.attributes);
  const lstm::Sizes sizes = lstm::sizes_of(graph, node);
  const lstm::Weights weights = lstm::unpack(graph, node, [&](size_t input) {
    const Value& value = graph.value(node.inputs[input]);
    return real_numbers(value, value.constant->type, value.constant->bytes);
  });
  SIGHTGLASS_ASSIGN_OR_RETURN(const lstm::Tensors tensors, lstm::tensors_of(emitter, node));

  const TensorRef gates =
      emitter.temporary("gates " + node.origin, lstm::shape_of_gates(tensors.data, sizes), tensors.cell);
  const std::vector<float> bias = lstm::stack(weights.bias, sizes.cells, 1);
  const bool normalized = weights.normalized(), projected = !weights.projection.empty();
  SIGHTGLASS_RETURN_IF_ERROR(emit_pointwise(emitter, tensors.data, gates,
                                            lstm::stack(weights.input, sizes.cells, sizes.depth),
                                            normalized ? std::vector<float>(bias.size(), 0.0f) : bias));

  const Storage storage = emitter.real_storage();
  const int32_t recurrent =
      emitter.add_constants(pack_conv_weights({gates.shape.c, 1, 1, sizes.outputs,
                                               lstm::stack(weights.recurrent, sizes.cells, sizes.outputs)}),
                            storage);
  int32_t projection = 0, projection_bias = 0, norm = 0, norm_bias = 0;
  if (projected) {
    projection =
        emitter.add_constants(pack_conv_weights({sizes.outputs, 1, 1, sizes.cells, weights.projection}), storage);
    projection_bias = emitter.add_constants(lstm::padded(weights.projection_bias, sizes.outputs));
  }
  if (normalized) {
    norm = emitter.add_constants(lstm::stack(weights.norm, sizes.cells, 1));
    norm_bias = emitter.add_constants(bias);
  }
  const int32_t peephole = emitter.add_constants(lstm::padded(weights.peephole, sizes.cells));

  const ShaderKey shader = lstm_shader(lstm::slices_for(sizes), normalized, projected);
  const auto add_params = [&](StepParams& params) {
    params.ints(recurrent, projection, gpu_code(attr.activation), weights.coupled() ? 1 : 0);
    params.ints(peephole, norm, norm_bias, projection_bias);
    params.floats(attr.cell_clip, attr.projection_clip);
  };
  return lstm::emit_time_steps(emitter, node, gates, tensors,
                               {shader, storage, iterations(sizes, normalized), add_params});
}

}  // namespace

// LSTM and UNIDIRECTIONAL_SEQUENCE_LSTM in integers: one step computes the contribution of the data of all time steps
// to the gates, another runs the time steps in one work group per batch.

namespace {

using lstm::kFewSlices;
using lstm::kGates;
using lstm::kManySlices;
using lstm::slices_of;

ShaderKey lstm_integers_shader(int32_t slices, bool projected) {
  ShaderKey key{"lstm_integers.comp", {}};
  if (projected) key.defines.push_back({"PROJECTION", "1"});
  key.defines.push_back({"SLICES", std::to_string(slices)});
  return key;
}

// Weights are bytes. Gate sums and cells are stored in 32 bits, data and hidden state as in the plan.
std::vector<ShaderKey> lstm_integers_variants() {
  std::vector<ShaderKey> keys;
  for (const bool projected : {false, true}) {
    for (const int32_t slices : {kFewSlices, kManySlices}) {
      keys.push_back(lstm_integers_shader(slices, projected));
      keys.back().defines.push_back({"WEIGHTS_I8", "1"});
      keys.push_back(keys.back());
      keys.back().defines.insert(keys.back().defines.end(), {{"B_F16", "1"}, {"OUT_F16", "1"}});
    }
  }
  return keys;
}

// Loop iterations of one invocation per time step. Leaving a loop counts as one more.
int64_t integer_iterations(const lstm::Sizes& sizes) {
  constexpr int64_t kLoopsOfFunctions = 5 * (8 + 4);
  const int64_t cell_slices = slices_of(sizes.cells), out_slices = slices_of(sizes.outputs);
  const int64_t recurrent = 4 * (out_slices + 6) + kLoopsOfFunctions + 2, projection = cell_slices + 6;
  return lstm::rounds_of(slices_of(sizes.cells)) * recurrent + lstm::rounds_of(slices_of(sizes.outputs)) * projection +
         4;
}

Status supports_lstm_integers(const PlanContext& context, const Node& node) {
  if (!lstm::in_integers(context.graph, node)) return unsupported("real numbers");
  SIGHTGLASS_RETURN_IF_ERROR(lstm::check_integer_outputs(context.graph, node));
  return lstm::check_size(context, node, kManySlices, integer_iterations(lstm::sizes_of(context.graph, node)));
}

int32_t add_matrix(Emitter& emitter, int32_t rows, int32_t columns, std::vector<float> weights) {
  return emitter.add_constants(pack_conv_weights({rows, 1, 1, columns, std::move(weights)}), Storage::kInt8);
}

struct IntegerLayer {
  lstm::Sizes sizes;
  lstm::Weights weights;
  lstm::IntegerFactors factors;
};

// Contribution of the data of all time steps to the gates.
Status emit_data(Emitter& emitter, const TensorRef& data, const TensorRef& gates, const IntegerLayer& layer) {
  const auto& [sizes, weights, factors] = layer;
  ConvConstants constants;
  constants.storage = Storage::kInt8;
  constants.weights =
      add_matrix(emitter, gates.shape.c, sizes.depth, lstm::stack(weights.input, sizes.cells, sizes.depth));
  constants.bias = emitter.add_constants(lstm::stack(weights.bias, sizes.cells, 1));
  constants.quantization.sums = Sums::kRequantized;
  Requantization& requantization = constants.quantization.requantization;
  for (const lstm::GateFactors& gate : factors.gates) {
    requantization.factors.insert(requantization.factors.end(), static_cast<size_t>(gates.shape.c) / kGates, gate.data);
  }
  requantization.range = lstm::kInt16Range;
  constants.factors = emitter.add_constants(pack_factors(requantization.factors));
  return emit_pointwise(emitter, data, gates, constants);
}

Status emit_lstm_integers(Emitter& emitter, const Node& node) {
  const Graph& graph = emitter.graph();
  const auto steps = [&](size_t input) {
    const Value& value = graph.value(node.inputs[input]);
    return steps_from_zero(value, value.constant->type, value.constant->bytes);
  };
  const IntegerLayer layer{lstm::sizes_of(graph, node), lstm::unpack(graph, node, steps),
                           lstm::integer_factors(graph, node)};
  const auto& sizes = layer.sizes;
  const auto& weights = layer.weights;
  const auto& factors = layer.factors;
  SIGHTGLASS_ASSIGN_OR_RETURN(const lstm::Tensors tensors, lstm::tensors_of(emitter, node));
  const TensorRef gates =
      emitter.temporary("gates " + node.origin, lstm::shape_of_gates(tensors.data, sizes), Storage::kFloat32);
  SIGHTGLASS_RETURN_IF_ERROR(emit_data(emitter, tensors.data, gates, layer));

  const bool projected = !weights.projection.empty();
  const int32_t recurrent =
      add_matrix(emitter, gates.shape.c, sizes.outputs, lstm::stack(weights.recurrent, sizes.cells, sizes.outputs));
  const int32_t projection = projected ? add_matrix(emitter, sizes.outputs, sizes.cells, weights.projection) : 0;
  const int32_t projection_bias =
      projected ? emitter.add_constants(lstm::padded(weights.projection_bias, sizes.outputs)) : 0;
  const bool peepholes = !weights.peephole[1].empty();
  const int32_t peephole = peepholes ? emitter.add_constants(lstm::padded(weights.peephole, sizes.cells)) : 0;

  const auto add_params = [&](StepParams& params) {
    params.ints(recurrent, projection, factors.cell_bits, weights.coupled() ? 1 : 0);
    params.ints(peephole, projection_bias, peepholes ? 1 : 0, lstm::output_offset(graph, node));
    for (const auto factor : {&lstm::GateFactors::recurrent, &lstm::GateFactors::peephole}) {
      const auto& g = factors.gates;
      params.ints((g[0].*factor).multiplier, (g[1].*factor).multiplier, (g[2].*factor).multiplier,
                  (g[3].*factor).multiplier);
      params.ints((g[0].*factor).shift, (g[1].*factor).shift, (g[2].*factor).shift, (g[3].*factor).shift);
    }
    params.ints(factors.made.multiplier, factors.made.shift, factors.made_range.lowest, factors.made_range.highest);
    params.ints(factors.projection.multiplier, factors.projection.shift, factors.outputs.lowest,
                factors.outputs.highest);
    params.ints(factors.cells.lowest, factors.cells.highest);
  };
  const ShaderKey key = lstm_integers_shader(lstm::slices_for(sizes), projected);
  return lstm::emit_time_steps(emitter, node, gates, tensors,
                               {key, Storage::kInt8, integer_iterations(sizes), add_params});
}

}  // namespace

std::vector<Kernel> lstm_kernels(OpType) {
  return {{"lstm", supports_lstm, emit_lstm, lstm_variants,
           "constant weights; at most " + std::to_string(kManySlices * 4) + " cells and outputs, " +
               std::to_string(kFewSlices * 4) + " with layer normalization"},
          {"lstm-integers", supports_lstm_integers, emit_lstm_integers, lstm_integers_variants}};
}

}  // namespace sightglass
