#include "ops/weights.h"

#include <algorithm>
#include <cmath>

#include "graph/quantized.h"
#include "kernel/storage_variants.h"
#include "ops/function.h"

namespace sightglass {

namespace {

constexpr size_t kBias = 2, kSlope = 3;

void pad_to_slices(std::vector<float>& channels) { channels.resize((channels.size() + 3) / 4 * 4, 0.0f); }

const ShaderDefine kComputed{"COMPUTED", "1"}, kResidual{"RESIDUAL", "1"}, kGate{"GATE", "1"},
    kOffset{"WEIGHTS_OFFSET", "1"}, kBytes{"WEIGHTS_I8", "1"};

bool has_computed_bias(const Graph& graph, const Node& node) {
  return node.inputs.size() > kBias && node.inputs[kBias] != kNone && !graph.is_constant(node.inputs[kBias]);
}

struct WeightStorage {
  Storage storage = Storage::kFloat32;
  int32_t offset = 0;  // what is taken off the weights
};

// The narrowest storage that holds every weight as it is, where one is narrower than 32 bits: files have many weights
// in 8 or 16 bits, and what the GPU reads need not be larger. `quanta`: bytes may have an offset.
std::optional<WeightStorage> exact_storage(const std::vector<float>& weights, bool quanta) {
  constexpr float kLowest = -128, kHighest = 127;
  const auto is_half = [](float w) { return half_to_float(float_to_half(w)) == w; };
  const auto [least, most] = std::ranges::minmax_element(weights);
  const bool integers = std::ranges::all_of(weights, [](float w) { return w == std::floor(w); });
  if (weights.empty() || (integers && *least >= kLowest && *most <= kHighest)) return WeightStorage{Storage::kInt8};
  if (quanta && integers && *most - *least <= kHighest - kLowest) {
    return WeightStorage{Storage::kInt8, static_cast<int32_t>(*least - kLowest)};
  }
  if (std::ranges::all_of(weights, is_half)) return WeightStorage{Storage::kFloat16};
  return std::nullopt;
}

// One number per channel, padded to whole slices.
std::vector<float> pack_channels(const Graph& graph, const Node& node, size_t input, int32_t channels) {
  std::vector<float> packed(static_cast<size_t>(channels), 0.0f);
  if (node.inputs.size() > input && node.inputs[input] != kNone && graph.is_constant(node.inputs[input])) {
    const Value& value = graph.value(node.inputs[input]);
    packed = sums_integers(graph, node) ? steps_from_zero(value, value.constant->type, value.constant->bytes)
                                        : real_operand(graph, node, input, value.constant->type, value.constant->bytes);
  }
  pad_to_slices(packed);
  return packed;
}

// Two runs: the weights' scales, and the biases.
std::vector<float> pack_scales(const Graph& graph, const Node& node, int32_t channels, const std::vector<float>& bias) {
  const std::vector<float>& scales = graph.value(node.inputs[1]).quantization.scale;
  std::vector<float> packed;
  for (size_t c = 0; c < static_cast<size_t>(channels); ++c) packed.push_back(scales[scales.size() == 1 ? 0 : c]);
  pad_to_slices(packed);
  packed.insert(packed.end(), bias.begin(), bias.end());
  return packed;
}

}  // namespace

std::vector<float> conv_weights(const Emitter& emitter, const Node& node) {
  const Graph& graph = emitter.graph();
  const Value& weights = graph.value(node.inputs[1]);
  const Constant& constant = *weights.constant;
  if (sums_integers(graph, node)) return steps_from_zero(weights, constant.type, constant.bytes);
  // TensorFlow Lite takes uint8 weights of float data for int8.
  if (emitter.quanta(node.inputs[0]) != nullptr) return steps_from_zero(weights, DataType::kInt8, constant.bytes);
  std::vector<float> values = real_operand(graph, node, 1, constant.type, constant.bytes);
  const Value& data = graph.value(node.inputs[0]);
  if (is_quantized(data)) {
    for (float& v : values) v *= data.quantization.scale[0];
  }
  return values;
}

namespace {

std::string shape_of(const TensorRef& ref) {
  const Bhwc& s = ref.shape;
  return std::to_string(s.b) + "x" + std::to_string(s.h) + "x" + std::to_string(s.w) + "x" + std::to_string(s.c);
}

const char* define_of(Sums sums) {
  return sums == Sums::kRequantized ? "REQUANTIZE" : sums == Sums::kDynamic ? "DYNAMIC" : nullptr;
}

ShaderKey with_sums(ShaderKey key, Sums sums) {
  if (const char* define = define_of(sums)) key.defines.push_back({define, "1"});
  return key;
}

}  // namespace

const char* name_of(Reads reads) { return reads == Reads::kBufferTextures ? "reads=textures" : "reads=blocks"; }

std::string tuned_step(const Emitter& emitter, const char* kernel, const TensorRef& in, const TensorRef& out,
                       const std::string& geometry, const ConvConstants& constants) {
  const auto bits = [](Storage storage) { return std::to_string(bytes_of(storage) * 2); };
  std::string step = std::string(kernel) + " " + shape_of(in) + " to " + shape_of(out) + " " + geometry;
  step += " bits " + bits(emitter.storage_of(in)) + " weights " + bits(constants.storage);
  if (const char* define = define_of(constants.sums)) step += std::string(" ") + define;
  if (constants.residual) step += " residual";
  if (constants.gate) step += " gate";
  return step;
}

Status add_conv_step(Emitter& emitter, ShaderKey shader, StepParams params, const Grid& grid, const TensorRef& in,
                     const TensorRef& out, const ConvConstants& constants) {
  std::vector<TensorRef> inputs{in};
  if (const std::optional<ComputedWeights>& computed = constants.computed) {
    shader.defines.push_back(kComputed);
    params.tensor(computed->weights).tensor(computed->bias);
    params.ints(computed->bias_is_tensor ? 1 : 0, constants.bias).floats(computed->unit);
    inputs.push_back(computed->weights);
    if (computed->bias_is_tensor) inputs.push_back(computed->bias);
  }
  if (constants.sums == Sums::kDynamic) {
    params.ints(0, 0, 0, constants.factors).tensor(*constants.quanta);
    inputs.push_back(*constants.quanta);
  } else {
    const int32_t ties_up = constants.ties == Ties::kUp ? 1 : 0;
    params.ints(constants.range.lowest, constants.range.highest, ties_up, constants.factors);
  }
  if (constants.residual) {
    shader.defines.push_back(kResidual);
    params.tensor(*constants.residual);
    inputs.push_back(*constants.residual);
  }
  if (constants.gate) {
    shader.defines.push_back(kGate);
    params.tensor(*constants.gate);
    inputs.push_back(*constants.gate);
  }
  if (constants.weight_offset != 0) shader.defines.push_back(kOffset);
  return emitter.add_step(with_sums(std::move(shader), constants.sums), std::move(params), grid, inputs, {out},
                          {.weights = constants.storage, .activation = constants.activation, .reads = constants.reads});
}

std::vector<ShaderKey> conv_variants(const std::vector<ShaderKey>& keys, bool dynamic) {
  std::vector<ShaderKey> result;
  for (const Sums sums : {Sums::kReal, Sums::kRequantized, Sums::kDynamic}) {
    if (sums == Sums::kDynamic && !dynamic) continue;
    std::vector<ShaderKey> summing;
    summing.reserve(keys.size());
    for (const ShaderKey& key : keys) summing.push_back(with_sums(key, sums));
    std::ranges::move(storage_variants(summing, "AOW"), std::back_inserter(result));
    if (sums != Sums::kRequantized) continue;
    for (ShaderKey key : keys) {
      key.defines.push_back(kOffset);
      key = with_sums(std::move(key), sums);
      key.defines.push_back(kBytes);
      result.push_back(std::move(key));
    }
  }
  return result;
}

std::vector<ShaderKey> computed_variants(const std::vector<ShaderKey>& keys) {
  std::vector<ShaderKey> summing;
  for (const Sums sums : {Sums::kReal, Sums::kRequantized}) {
    for (ShaderKey key : keys) {
      key.defines.push_back(kComputed);
      summing.push_back(with_sums(std::move(key), sums));
    }
  }
  return storage_variants(summing, "ABOW");
}

std::vector<ShaderKey> operand_variants(const std::vector<ShaderKey>& keys) {
  std::vector<ShaderKey> result;
  for (const ShaderKey& key : keys) {
    for (const auto& defines : {std::vector{kResidual}, {kGate}, {kResidual, kGate}}) {
      result.push_back(key);
      result.back().defines.insert(result.back().defines.end(), defines.begin(), defines.end());
    }
  }
  return storage_variants(result, "ABOW");
}

std::vector<ShaderKey> residual_variants(const std::vector<ShaderKey>& keys) {
  std::vector<ShaderKey> result = storage_variants(keys, "AOW"), adding = keys;
  for (ShaderKey& key : adding) key.defines.push_back(kResidual);
  std::ranges::move(storage_variants(adding, "ABOW"), std::back_inserter(result));
  return result;
}

std::vector<float> pack_factors(const std::vector<FixedPoint>& factors) {
  constexpr int32_t kLowBits = 15;
  std::vector<float> high, low, shift;
  for (const FixedPoint& factor : factors) {
    high.push_back(static_cast<float>(factor.multiplier >> kLowBits));
    low.push_back(static_cast<float>(factor.multiplier & ((1 << kLowBits) - 1)));
    shift.push_back(static_cast<float>(factor.shift));
  }
  std::vector<float> packed;
  for (std::vector<float>* run : {&high, &low, &shift}) {
    pad_to_slices(*run);
    packed.insert(packed.end(), run->begin(), run->end());
  }
  return packed;
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

ConvConstants add_conv_constants(Emitter& emitter, const Node& node, std::vector<float> packed_weights,
                                 int32_t out_channels) {
  ConvConstants constants;
  const Graph& graph = emitter.graph();
  const Value& out = graph.value(node.outputs[0]);
  constants.quanta = emitter.quanta(node.inputs[0]);
  constants.sums = sums_integers(graph, node)    ? Sums::kRequantized
                   : constants.quanta != nullptr ? Sums::kDynamic
                                                 : Sums::kReal;
  // Rounding real weights to 16 bits would move the results of a quantised operator by more than its own rounding does.
  const bool rounds = constants.sums == Sums::kReal && out.type != DataType::kFloat32;
  const std::optional<WeightStorage> narrow = exact_storage(packed_weights, constants.sums == Sums::kRequantized);
  constants.storage = narrow ? narrow->storage : rounds ? Storage::kFloat32 : emitter.real_storage();
  constants.weight_offset = narrow ? narrow->offset : 0;
  if (constants.weight_offset != 0) {
    for (float& w : packed_weights) w -= static_cast<float>(constants.weight_offset);
  }
  constants.weights = emitter.add_constants(packed_weights, constants.storage);
  // In fixed point, clamping to the range does what the activation would.
  if (constants.sums != Sums::kRequantized) constants.activation = gpu_code(node.activation);
  const std::vector<float> bias = pack_channels(graph, node, kBias, out_channels);
  constants.bias = emitter.add_constants(bias);
  if (node.activation == Activation::kPrelu) {
    constants.slope = emitter.add_constants(pack_channels(graph, node, kSlope, out_channels));
  }
  if (constants.sums == Sums::kRequantized) {
    std::vector<FixedPoint> factors;
    for (int32_t c = 0; c < out_channels; ++c) factors.push_back(output_factor(graph, node, static_cast<size_t>(c)));
    constants.factors = emitter.add_constants(pack_factors(factors));
    constants.range = quantum_range(out, node.activation);
    constants.ties = ties_of(graph, node);
  } else if (constants.sums == Sums::kDynamic) {
    // Sums begin at zero; the bias is added to the real number.
    const std::vector<float> zeros(bias.size(), 0.0f);
    constants.bias = emitter.add_constants(zeros);
    constants.factors = emitter.add_constants(pack_scales(graph, node, out_channels, bias));
  }
  return constants;
}

Result<ConvConstants> add_computed_weights(Emitter& emitter, const Node& node, int32_t out_channels) {
  ConvConstants constants = add_conv_constants(emitter, node, {}, out_channels);
  ComputedWeights computed;
  SG_ASSIGN_OR_RETURN(const TensorRef data, emitter.tensor(node.inputs[0]));
  SG_ASSIGN_OR_RETURN(computed.weights, emitter.tensor(node.inputs[1]));
  computed.bias = computed.weights;
  computed.bias_is_tensor = has_computed_bias(emitter.graph(), node);
  if (computed.bias_is_tensor) {
    SG_ASSIGN_OR_RETURN(computed.bias, emitter.tensor(node.inputs[kBias]));
  }
  if (constants.sums == Sums::kReal) computed.unit = data.scale.scale * computed.weights.scale.scale;
  constants.computed = computed;
  return constants;
}

Status check_computed_weights(const Graph& graph, const Node& node, int32_t out_channels) {
  const Value &data = graph.value(node.inputs[0]), &weights = graph.value(node.inputs[1]);
  const bool computed_bias = has_computed_bias(graph, node);
  if (weights.constant && !computed_bias) return unsupported("constant weights and bias");
  if (data.type != weights.type) {
    return unsupported("computed weights or bias with weights of " + std::string(to_string(weights.type)) +
                       " and data of " + to_string(data.type));
  }
  if (!computed_bias) return check_bias_and_slope(graph, node, out_channels);
  const Value& bias = graph.value(node.inputs[kBias]);
  if (bias.type != DataType::kFloat32 || data.type != DataType::kFloat32) {
    return unsupported("a computed bias of " + std::string(to_string(bias.type)) + "; float32 is supported");
  }
  return {};
}

Status check_conv_constants(const Graph& graph, const Node& node, int32_t out_channels) {
  if (!graph.is_constant(node.inputs[1])) {
    return unsupported("weights that are computed at run time; only constant weights are supported");
  }
  return check_bias_and_slope(graph, node, out_channels);
}

Status check_bias_and_slope(const Graph& graph, const Node& node, int32_t out_channels) {
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
