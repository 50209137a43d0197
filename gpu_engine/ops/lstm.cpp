// LSTM and UNIDIRECTIONAL_SEQUENCE_LSTM in floats: one step computes the contribution of the data of all time steps to
// the gates, another runs the time steps in one work group per batch.
#include <algorithm>

#include "graph/quantized.h"
#include "kernel/storage_variants.h"
#include "ops/conv2d.h"
#include "ops/function.h"
#include "ops/lstm_steps.h"
#include "ops/ops.h"
#include "ops/pack_weights.h"

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

Kernel lstm_kernel() {
  return {"lstm",
          OpType::kLstm,
          supports_lstm,
          emit_lstm,
          lstm_variants,
          "constant weights; at most " + std::to_string(kManySlices * 4) + " cells and outputs, " +
              std::to_string(kFewSlices * 4) + " with layer normalization"};
}

}  // namespace sightglass
