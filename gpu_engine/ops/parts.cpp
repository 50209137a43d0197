#include "ops/parts.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <utility>

#include "kernel/tensors.h"

namespace sightglass {

Status supports_without_activation(const PlanContext&, const Node& node) {
  return node.activation == Activation::kNone ? Status() : unsupported("a fused activation");
}

namespace {

// Integers of 31 bits as two floats.
constexpr int32_t kLowBits = 15;

float high_part(int32_t multiplier) { return static_cast<float>(multiplier >> kLowBits); }
float low_part(int32_t multiplier) { return static_cast<float>(multiplier & ((1 << kLowBits) - 1)); }

// One after the other, each padded to whole slices.
std::vector<float> joined(std::vector<std::vector<float>> parts) {
  std::vector<float> packed;
  for (std::vector<float>& part : parts) {
    pad_to_slices(part);
    packed.insert(packed.end(), part.begin(), part.end());
  }
  return packed;
}

}  // namespace

std::optional<std::vector<float>> pack_nearest_factors(const Requantization& requantization,
                                                       const std::vector<double>& most_sums) {
  std::vector<float> scales, bits;
  for (size_t c = 0; c < requantization.factors.size(); ++c) {
    const double most = most_sums.empty() ? kMostFloatInteger : std::min<double>(most_sums[c], kMostFloatInteger);
    const std::optional<NearestFactor> nearest =
        nearest_factor(requantization.factors[c], requantization.rounding, requantization.range.lowest,
                       requantization.range.highest, static_cast<int32_t>(most));
    if (!nearest) return std::nullopt;
    scales.push_back(nearest->scale);
    bits.push_back(static_cast<float>(nearest->bits));
  }
  return joined({scales, bits});
}

std::vector<float> pack_factors(const std::vector<FixedPoint>& factors) {
  std::vector<float> high, low, shift;
  for (const FixedPoint& factor : factors) {
    high.push_back(high_part(factor.multiplier));
    low.push_back(low_part(factor.multiplier));
    shift.push_back(static_cast<float>(factor.shift));
  }
  return joined({high, low, shift});
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

void pad_to_slices(std::vector<float>& channels) { channels.resize((channels.size() + 3) / 4 * 4, 0.0f); }

namespace {

constexpr int kBatchDims = 5;

// Dimension 0 or 1 of the shape, right-aligned to five dimensions.
int32_t batch_dim(const Shape& shape, int i) {
  const int own = i - (kBatchDims - shape.rank());
  return own < 0 ? 1 : shape.dim(own);
}

}  // namespace

Result<Elements> elements_of(Emitter& emitter, const Node& node) {
  Elements elements;
  for (const ValueId input : node.inputs) {
    SIGHTGLASS_ASSIGN_OR_RETURN(elements.operands.emplace_back(), emitter.tensor(input));
    elements.shapes.push_back(emitter.graph().value(input).shape);
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(elements.out, emitter.tensor(node.outputs[0]));
  elements.shape = emitter.graph().value(node.outputs[0]).shape;
  return elements;
}

GpuRepeat repeated(const std::vector<TensorRef>& operands, const TensorRef& out) {
  const auto whole = [&out](const TensorRef& t) { return t.shape.h == out.shape.h && t.shape.w == out.shape.w; };
  const auto pixel = [](const TensorRef& t) { return t.shape.h == 1 && t.shape.w == 1; };
  if (std::ranges::all_of(operands, [&out](const TensorRef& t) { return t.shape == out.shape; }))
    return GpuRepeat::kNot;
  const bool pictures =
      out.shape.b == 1 && std::ranges::all_of(operands, [&](const TensorRef& t) { return whole(t) || pixel(t); });
  return pictures ? GpuRepeat::kPictures : GpuRepeat::kAnyhow;
}

void add_batch_steps(StepParams& params, const std::vector<Shape>& operands, const Shape& out) {
  std::array<int32_t, 6> steps{};
  for (size_t i = 0; i < operands.size(); ++i) {
    const int32_t outer = batch_dim(operands[i], 0), inner = batch_dim(operands[i], 1);
    steps[2 * i] = outer == 1 ? 0 : inner;
    steps[2 * i + 1] = inner == 1 ? 0 : 1;
  }
  params.ints(steps[0], steps[1], steps[2], steps[3]);
  params.ints(steps[4], steps[5], batch_dim(out, 1));
}

namespace {

const ShaderDefine kComputed{"COMPUTED", "1"}, kOffset{"WEIGHTS_OFFSET", "1"}, kBytes{"WEIGHTS_I8", "1"},
    kTable{"TABLE", "1"};

std::string shape_of(const TensorRef& ref) {
  const Bhwc& s = ref.shape;
  return std::to_string(s.b) + "x" + std::to_string(s.h) + "x" + std::to_string(s.w) + "x" + std::to_string(s.c);
}

const char* define_of(Sums sums) {
  return sums == Sums::kRequantized ? "REQUANTIZE" : sums == Sums::kDynamic ? "DYNAMIC" : nullptr;
}

// How a shader converts sums: the value of the define.
enum class Arithmetic : uint8_t { kAny = 1, kOneSided = 2, kNearest = 3 };
struct Conversion {
  Sums sums = Sums::kReal;
  Arithmetic arithmetic = Arithmetic::kAny;
  bool table = false;
};
constexpr Conversion kConversions[] = {{},
                                       {Sums::kRequantized},
                                       {Sums::kRequantized, Arithmetic::kOneSided},
                                       {Sums::kRequantized, Arithmetic::kNearest},
                                       {Sums::kRequantized, Arithmetic::kAny, true},
                                       {Sums::kRequantized, Arithmetic::kOneSided, true},
                                       {Sums::kRequantized, Arithmetic::kNearest, true},
                                       {Sums::kDynamic}};

Conversion conversion_of(const ConvConstants& constants) {
  const Requantization& to = constants.quantization.requantization;
  const bool one_sided = to.rounding == Rounding::kOnce || to.range.lowest == 0;
  return {constants.quantization.sums,
          !constants.nearest ? Arithmetic::kAny
          : one_sided        ? Arithmetic::kOneSided
                             : Arithmetic::kNearest,
          constants.table.has_value()};
}

ShaderKey with_conversion(ShaderKey key, const Conversion& conversion) {
  const char* define = define_of(conversion.sums);
  if (define != nullptr) key.defines.push_back({define, std::to_string(static_cast<int>(conversion.arithmetic))});
  if (conversion.table) key.defines.push_back(kTable);
  return key;
}

}  // namespace

std::string sides(int32_t h, int32_t w) { return std::to_string(h) + "x" + std::to_string(w); }

const char* name_of(Reads reads) { return reads == Reads::kBufferTextures ? "reads=textures" : "reads=blocks"; }

std::string tuned_step(const Emitter& emitter, const char* kernel, const TensorRef& in, const TensorRef& out,
                       const std::string& geometry, const ConvConstants& constants) {
  const auto bits = [](Storage storage) { return std::to_string(bytes_of(storage) * 2); };
  std::string step = std::string(kernel) + " " + shape_of(in) + " to " + shape_of(out) + " " + geometry;
  step += " bits " + bits(emitter.storage_of(in)) + " weights " + bits(constants.storage);
  if (const char* define = define_of(constants.quantization.sums)) step += std::string(" ") + define;
  if (constants.table) step += " table";
  if (constants.residual_sampling == ResidualSampling::kPooled) step += " pooled";
  if (constants.residual_sampling == ResidualSampling::kResized) step += " resized";
  if (constants.residual) step += " residual";
  if (constants.gate) step += " gate";
  if (constants.addend) step += " addend";
  return step;
}

namespace {

Operand residual_operand(const ConvConstants& constants) {
  if (constants.residual_sampling == ResidualSampling::kPooled) return Operand::kPooledResidual;
  if (constants.quantization.sums == Sums::kRequantized) return Operand::kResidual;
  if (constants.residual_sampling == ResidualSampling::kResized) {
    return constants.residual_last ? Operand::kLastResizedResidual : Operand::kResizedResidual;
  }
  return constants.residual_last ? Operand::kLastResidual : Operand::kResidual;
}

}  // namespace

Status add_conv_step(Emitter& emitter, ConvStep step) {
  auto& [shader, params, grid, in, out, constants, variant, half_products] = step;
  std::vector<TensorRef> inputs{in};
  if (const std::optional<ComputedWeights>& computed = constants.computed) {
    shader.defines.push_back(kComputed);
    params.tensor(computed->weights).tensor(computed->bias);
    params.ints(computed->bias_is_tensor ? 1 : 0, constants.bias).floats(computed->unit);
    inputs.push_back(computed->weights);
    if (computed->bias_is_tensor) inputs.push_back(computed->bias);
  }
  const ConvQuantization& quantization = constants.quantization;
  if (quantization.sums == Sums::kDynamic) {
    params.ints(0, 0, 0, constants.factors).tensor(*quantization.quanta);
    inputs.push_back(*quantization.quanta);
  } else {
    const Requantization& to_output = quantization.requantization;
    const int32_t once = to_output.rounding == Rounding::kOnce ? 1 : 0;
    params.ints(to_output.range.lowest, to_output.range.highest, 2 * constants.table.value_or(0) + once,
                constants.factors);
  }
  const auto add_operand = [&step, &inputs](Operand operand, const std::optional<TensorRef>& tensor) {
    if (!tensor) return;
    step.shader.defines.push_back(define_of(operand));
    step.params.tensor(*tensor);
    inputs.push_back(*tensor);
  };
  add_operand(residual_operand(constants), constants.residual);
  if (constants.residual && quantization.sums == Sums::kRequantized) {
    const auto& [a, b, half_step, moved] = quantization.residual;
    params.ints(a, b, half_step, moved).ints(quantization.range.lowest, quantization.range.highest);
  }
  if (constants.residual_sampling == ResidualSampling::kResized) {
    const Bhwc &small = constants.residual->shape, &large = out.shape;
    const ResizeAttr centers{large.h, large.w, false, true};
    params.floats(centers.scale(small.w, large.w), centers.scale(small.h, large.h), 0.5f);
  }
  add_operand(Operand::kGate, constants.gate);
  add_operand(Operand::kAddend, constants.addend);
  if (constants.weight_offset != 0) shader.defines.push_back(kOffset);
  return emitter.add_step(with_conversion(std::move(shader), conversion_of(constants)), std::move(params), grid, inputs,
                          {out},
                          {.weights = constants.storage,
                           .activation = constants.activation,
                           .variant = variant,
                           .half_products = half_products});
}

std::vector<ShaderKey> conv_variants(const std::vector<ShaderKey>& keys, bool dynamic) {
  std::vector<ShaderKey> result;
  for (const Conversion& conversion : kConversions) {
    if (conversion.sums == Sums::kDynamic && !dynamic) continue;
    std::vector<ShaderKey> summing;
    summing.reserve(keys.size());
    for (const ShaderKey& key : keys) summing.push_back(with_conversion(key, conversion));
    // The storage changes nothing about what is done with rounded sums.
    std::ranges::move(conversion.table ? summing : storage_variants(summing, "AOW"), std::back_inserter(result));
    if (conversion.sums != Sums::kRequantized) continue;
    for (ShaderKey key : keys) {
      key.defines.push_back(kOffset);
      key = with_conversion(std::move(key), conversion);
      key.defines.push_back(kBytes);
      result.push_back(std::move(key));
    }
  }
  return result;
}

std::vector<ShaderKey> integer_residual_variants(const std::vector<ShaderKey>& keys, Operand residual) {
  std::vector<ShaderKey> result;
  for (const Conversion& conversion : kConversions) {
    if (conversion.sums != Sums::kRequantized) continue;
    for (ShaderKey key : keys) {
      key.defines.push_back(define_of(residual));
      if (conversion.table) key.defines.push_back(kOffset);
      key = with_conversion(std::move(key), conversion);
      if (conversion.table) key.defines.push_back(kBytes);
      result.push_back(std::move(key));
    }
  }
  return result;
}

std::vector<ShaderKey> computed_variants(const std::vector<ShaderKey>& keys) {
  std::vector<ShaderKey> summing;
  for (const Conversion& conversion : kConversions) {
    if (conversion.sums == Sums::kDynamic || conversion.table) continue;
    for (ShaderKey key : keys) {
      key.defines.push_back(kComputed);
      summing.push_back(with_conversion(std::move(key), conversion));
    }
  }
  return storage_variants(summing, "ABOW");
}

ShaderDefine define_of(Operand operand) {
  switch (operand) {
    case Operand::kResidual:
      return {"RESIDUAL", "1"};
    case Operand::kLastResidual:
      return {"RESIDUAL", "2"};
    case Operand::kPooledResidual:
      return {"RESIDUAL", "3"};
    case Operand::kResizedResidual:
      return {"RESIDUAL", "4"};
    case Operand::kLastResizedResidual:
      return {"RESIDUAL", "5"};
    case Operand::kGate:
      return {"GATE", "1"};
    case Operand::kAddend:
      break;
  }
  return {"ADDEND", "1"};
}

Status add_operands(Emitter& emitter, const Node& node, ConvConstants& constants) {
  const auto add = [&](ValueId value, std::optional<TensorRef>& operand) -> Status {
    if (value == kNone) return {};
    SIGHTGLASS_ASSIGN_OR_RETURN(operand, emitter.tensor(value));
    return {};
  };
  constants.residual_last = node.residual_last;
  constants.residual_sampling = node.residual_sampling;
  SIGHTGLASS_RETURN_IF_ERROR(add(residual_of(node), constants.residual));
  SIGHTGLASS_RETURN_IF_ERROR(add(gate_of(node), constants.gate));
  return add(addend_of(node), constants.addend);
}

Status add_addend(Emitter& emitter, const Node& node, ShaderKey& shader, StepParams& params,
                  std::vector<TensorRef>& inputs) {
  const ValueId addend = addend_of(node);
  if (addend == kNone) return {};
  SIGHTGLASS_ASSIGN_OR_RETURN(inputs.emplace_back(), emitter.tensor(addend));
  params.tensor(inputs.back());
  shader.defines.push_back(define_of(Operand::kAddend));
  return {};
}

std::vector<ShaderKey> operand_variants(const std::vector<ShaderKey>& keys,
                                        const std::vector<std::vector<Operand>>& sets) {
  std::vector<ShaderKey> result;
  for (const ShaderKey& key : keys) {
    for (const std::vector<Operand>& operands : sets) {
      result.push_back(key);
      for (const Operand operand : operands) result.back().defines.push_back(define_of(operand));
    }
  }
  return storage_variants(result, "ABOW");
}

}  // namespace sightglass
