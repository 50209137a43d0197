#include "ops/weights.h"

#include "graph/quantized.h"

namespace sightglass {

namespace {

constexpr size_t kBias = 2, kSlope = 3;

// One number per channel, padded to whole slices.
std::vector<float> pack_channels(const Graph& graph, const Node& node, size_t input, int32_t channels) {
  std::vector<float> packed;
  if (node.inputs.size() > input && node.inputs[input] != kNone) packed = real_constant(graph, node, input);
  packed.resize(static_cast<size_t>((channels + 3) / 4) * 4, 0.0f);
  return packed;
}

}  // namespace

std::vector<float> real_constant(const Graph& graph, const Node& node, size_t input, float factor) {
  const Constant& constant = *graph.value(node.inputs[input]).constant;
  std::vector<float> values = real_operand(graph, node, input, constant.type, constant.bytes);
  for (float& v : values) v *= factor;
  return values;
}

std::vector<float> pack_conv_weights(const ConvWeights& w) {
  const int32_t out_slices = (w.out_channels + 3) / 4, in_slices = (w.in_channels + 3) / 4;
  const int32_t taps = w.kernel_h * w.kernel_w;
  std::vector<float> packed(static_cast<size_t>(out_slices) * taps * in_slices * 16, 0.0f);
  size_t from = 0;
  for (int32_t o = 0; o < w.out_channels; ++o) {
    for (int32_t tap = 0; tap < taps; ++tap) {
      for (int32_t i = 0; i < w.in_channels; ++i, ++from) {
        const size_t block = (static_cast<size_t>(o / 4) * taps + tap) * in_slices + i / 4;
        packed[(block * 4 + i % 4) * 4 + o % 4] = w.values[from];
      }
    }
  }
  return packed;
}

ConvConstants add_conv_constants(Emitter& emitter, const Node& node, const std::vector<float>& packed_weights,
                                 int32_t out_channels) {
  ConvConstants constants;
  // Rounding weights to 16 bits would move the results of a quantised operator by more than its own rounding does.
  const bool quantized = emitter.graph().value(node.outputs[0]).type != DataType::kFloat32;
  constants.storage = quantized ? Storage::kFloat32 : emitter.real_storage();
  constants.weights = emitter.add_constants(packed_weights, constants.storage);
  constants.bias = emitter.add_constants(pack_channels(emitter.graph(), node, kBias, out_channels));
  if (node.activation == Activation::kPrelu) {
    constants.slope = emitter.add_constants(pack_channels(emitter.graph(), node, kSlope, out_channels));
  }
  return constants;
}

Status check_conv_constants(const Graph& graph, const Node& node, int32_t out_channels) {
  if (!graph.is_constant(node.inputs[1])) {
    return unsupported("weights that are computed at run time; only constant weights are supported");
  }
  for (const size_t input : {kBias, kSlope}) {
    if (node.inputs.size() <= input || node.inputs[input] == kNone) continue;
    if (!graph.is_constant(node.inputs[input])) return unsupported("a bias or slope that is computed at run time");
    if (graph.value(node.inputs[input]).shape.elements() != out_channels) {
      return unsupported("a bias or slope of " + graph.value(node.inputs[input]).shape.to_string() + " for " +
                         std::to_string(out_channels) + " channels");
    }
  }
  return {};
}

}  // namespace sightglass
