#include "ops/conv_quantization.h"

namespace sightglass {

ConvQuantization conv_quantization(const Emitter& emitter, const Node& node, int32_t out_channels) {
  const Graph& graph = emitter.graph();
  ConvQuantization result;
  if (sums_integers(graph, node)) {
    result.sums = Sums::kRequantized;
    result.requantization = requantization(graph, node, out_channels);
  } else if (const TensorRef* quanta = emitter.quanta(node.inputs[0])) {
    result.sums = Sums::kDynamic;
    result.quanta = *quanta;
  } else {
    const Value& data = graph.value(node.inputs[0]);
    if (is_quantized(data)) result.data_unit = data.quantization.scale[0];
    result.rounds = graph.value(node.outputs[0]).type != DataType::kFloat32;
  }
  return result;
}

std::vector<float> conv_weights(const Graph& graph, const Node& node, const ConvQuantization& quantization) {
  const Value& weights = graph.value(node.inputs[1]);
  const Constant& constant = *weights.constant;
  switch (quantization.sums) {
    case Sums::kRequantized:
      return steps_from_zero(weights, constant.type, constant.bytes);
    case Sums::kDynamic:
      // TensorFlow Lite treats uint8 weights with float data as int8.
      return steps_from_zero(weights, DataType::kInt8, constant.bytes);
    case Sums::kReal:
      break;
  }
  std::vector<float> values = real_operand(graph, node, 1, constant.type, constant.bytes);
  for (float& v : values) v *= quantization.data_unit;
  return values;
}

std::vector<float> conv_channels(const Graph& graph, const Node& node, size_t input,
                                 const ConvQuantization& quantization) {
  const Value& value = graph.value(node.inputs[input]);
  const Constant& constant = *value.constant;
  return quantization.sums == Sums::kRequantized ? steps_from_zero(value, constant.type, constant.bytes)
                                                 : real_operand(graph, node, input, constant.type, constant.bytes);
}

}  // namespace sightglass
