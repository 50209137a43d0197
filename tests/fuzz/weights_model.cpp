#include <array>
#include <limits>

#include "choices.h"
#include "generated_models.h"
#include "model_builder.h"

namespace sightglass::test {
namespace {

using Op = schema::BuiltinOperator;
using Type = schema::TensorType;

constexpr std::array kWeightTypes{Type::INT8,    Type::UINT8,   Type::INT8,  Type::INT16,
                                  Type::FLOAT32, Type::FLOAT16, Type::INT32, Type::BOOL};
constexpr std::array kDataTypes{Type::FLOAT32, Type::INT8, Type::UINT8, Type::FLOAT32, Type::INT16, Type::INT32};
constexpr std::array kBiasTypes{Type::FLOAT32, Type::INT32, Type::INT64, Type::INT8, Type::FLOAT16};
constexpr std::array kScales{0.5f,
                             1.0f,
                             0.0f,
                             -1.0f,
                             1e-30f,
                             1e30f,
                             std::numeric_limits<float>::infinity(),
                             std::numeric_limits<float>::quiet_NaN(),
                             std::numeric_limits<float>::denorm_min(),
                             0.007f};
constexpr std::array<int64_t, 8> kZeros{0, 0, 0, 3, -128, 255, INT64_MAX, INT64_MIN};

size_t elements(const Dims& dims) {
  size_t count = 1;
  for (const int32_t dim : dims) count *= static_cast<size_t>(dim);
  return count;
}

size_t bytes_of(Type type) {
  switch (type) {
    case Type::INT8:
    case Type::UINT8:
    case Type::BOOL:
      return 1;
    case Type::INT16:
    case Type::FLOAT16:
      return 2;
    case Type::INT64:
      return 8;
    default:
      return 4;
  }
}

// No scale, one, or as many as the size of any dimension, along that dimension or another one.
void add_scales(Choices& choices, ModelBuilder& m, int tensor) {
  const size_t layout = choices.below(6);
  if (layout == 0) return;
  auto& quantization = *(m.tensor(tensor).quantization = std::make_unique<schema::QuantizationParametersT>());
  const Dims& dims = m.tensor(tensor).shape;
  const size_t dimension = choices.below(dims.empty() ? 1 : dims.size());
  size_t count = layout == 1 || dims.empty() ? 1 : static_cast<size_t>(dims[dimension]);
  if (layout == 5) count = choices.below(10);
  const float scale = choices.pick(kScales);
  quantization.scale.assign(count, scale);
  if (count > 0 && choices.one_in(3)) quantization.scale[choices.below(count)] = choices.pick(kScales);
  quantization.zero_point.assign(choices.one_in(6) ? choices.below(10) : count, choices.pick(kZeros));
  if (!quantization.zero_point.empty() && choices.one_in(4)) {
    quantization.zero_point[choices.below(quantization.zero_point.size())] = choices.pick(kZeros);
  }
  quantization.quantized_dimension =
      static_cast<int32_t>(choices.one_in(4) ? choices.below(6) : dimension) - (choices.one_in(8) ? 2 : 0);
}

int add_constant(Choices& choices, ModelBuilder& m, const Dims& dims, Type type, const std::string& name) {
  std::vector<uint8_t> bytes(elements(dims) * bytes_of(type));
  const auto fill = static_cast<uint8_t>(choices.byte());
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(fill + 7 * i);
  const int tensor = m.add_bytes(dims, type, bytes, name);
  add_scales(choices, m, tensor);
  return tensor;
}

}  // namespace

std::vector<std::byte> weights_model(std::span<const uint8_t> bytes) {
  Choices choices(bytes);
  ModelBuilder m;
  const size_t kind = choices.below(5);
  const auto in = static_cast<int32_t>(1 + choices.below(5)), out = static_cast<int32_t>(1 + choices.below(6));
  const auto size = static_cast<int32_t>(1 + choices.below(3));
  const bool flat = kind == 3;
  const int data = m.add_input(flat ? Dims{2, in} : Dims{1, 4, 3, in}, choices.pick(kDataTypes), "data");
  add_scales(choices, m, data);
  const int32_t multiplier = kind == 1 ? 1 + static_cast<int32_t>(choices.below(2)) : 1;
  const int32_t channels = kind == 1 ? in * multiplier : out;
  const Dims shape = kind == 1 ? Dims{1, size, size, channels} : flat ? Dims{out, in} : Dims{out, size, size, in};
  const bool computed = choices.one_in(8);
  const Type weight_type = choices.pick(kWeightTypes);
  const int weights =
      computed ? m.add_input(shape, weight_type, "weights") : add_constant(choices, m, shape, weight_type, "weights");
  if (computed) add_scales(choices, m, weights);
  const int bias = choices.one_in(3) ? -1 : add_constant(choices, m, {channels}, choices.pick(kBiasTypes), "bias");
  const auto activation = static_cast<schema::ActivationFunctionType>(choices.below(6));
  int made = 0;
  const Dims picture{1, 4, 3, channels};
  switch (kind) {
    case 0:
      made =
          m.add_op(Op::CONV_2D, {data, weights, bias}, picture, conv_options(schema::Padding::SAME, 1, 1, activation));
      break;
    case 1:
      made = m.add_op(Op::DEPTHWISE_CONV_2D, {data, weights, bias}, picture,
                      depthwise_options(schema::Padding::SAME, 1, 1, activation));
      break;
    case 2: {
      schema::TransposeConvOptionsT options;
      options.padding = schema::Padding::SAME;
      options.stride_h = options.stride_w = 1;
      made = m.add_op(Op::TRANSPOSE_CONV, {m.add_ints({4}, {1, 4, 3, out}), weights, data, bias}, picture, options);
      break;
    }
    case 3: {
      schema::FullyConnectedOptionsT options;
      options.fused_activation_function = activation;
      options.asymmetric_quantize_inputs = choices.one_in(2);
      made = m.add_op(Op::FULLY_CONNECTED, {data, weights, bias}, {2, out}, options);
      break;
    }
    default:
      made = m.add_custom_op("Convolution2DTransposeBias", {data, weights, bias}, {}, int32_options({1, 1, 1}));
      break;
  }
  m.tensor(made).type = choices.one_in(6) ? choices.pick(kDataTypes) : m.tensor(data).type;
  add_scales(choices, m, made);
  // A following operator that rewrites may fold into the weights.
  if (choices.one_in(3)) {
    const Type type = m.tensor(made).type;
    made = m.add_op(Op::MUL, {made, m.add_filled({1}, 2)}, m.tensor(made).shape, schema::MulOptionsT());
    m.tensor(made).type = type;
  }
  m.add_output(made);
  return m.build();
}

}  // namespace sightglass::test
