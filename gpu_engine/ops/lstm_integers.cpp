// LSTM and UNIDIRECTIONAL_SEQUENCE_LSTM in integers: one step computes the contribution of the data of all time steps
// to the gates, another runs the time steps in one work group per batch.
#include "graph/lstm_integers.h"

#include <algorithm>

#include "ops/conv2d.h"
#include "ops/conv_constants.h"
#include "ops/lstm_steps.h"
#include "ops/ops.h"
#include "ops/pack_weights.h"

namespace sightglass {

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

// Contribution of the data of all time steps to the gates.
Status emit_data(Emitter& emitter, const TensorRef& data, const TensorRef& gates, const lstm::Sizes& sizes,
                 const lstm::Weights& weights, const lstm::IntegerFactors& factors) {
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
  const lstm::Sizes sizes = lstm::sizes_of(graph, node);
  const lstm::Weights weights = lstm::unpack(graph, node, [&](size_t input) {
    const Value& value = graph.value(node.inputs[input]);
    return steps_from_zero(value, value.constant->type, value.constant->bytes);
  });
  const lstm::IntegerFactors factors = lstm::integer_factors(graph, node);
  SIGHTGLASS_ASSIGN_OR_RETURN(const lstm::Tensors tensors, lstm::tensors_of(emitter, node));
  const TensorRef gates =
      emitter.temporary("gates " + node.origin, lstm::shape_of_gates(tensors.data, sizes), Storage::kFloat32);
  SIGHTGLASS_RETURN_IF_ERROR(emit_data(emitter, tensors.data, gates, sizes, weights, factors));

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

Kernel lstm_integers_kernel() {
  return {"lstm-integers", OpType::kLstm, supports_lstm_integers, emit_lstm_integers, lstm_integers_variants};
}

}  // namespace sightglass
