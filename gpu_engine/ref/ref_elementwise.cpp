// Activations and dequantization.
#include <algorithm>
#include <cmath>

#include "ref/kernels.h"
#include "ref/ref_ops.h"

namespace sightglass::ref {
namespace {

float logistic(float x) { return static_cast<float>(1.0 / (1.0 + std::exp(-double{x}))); }

float relu6(float x) { return std::clamp(x, 0.0f, 6.0f); }

template <typename T>
std::vector<double> numbers(const HostTensor& tensor) {
  const std::span<const T> from = tensor.as<T>();
  return {from.begin(), from.end()};
}

std::vector<double> integers(const HostTensor& tensor) {
  if (tensor.type == DataType::kInt8) return numbers<int8_t>(tensor);
  if (tensor.type == DataType::kUInt8) return numbers<uint8_t>(tensor);
  return numbers<int16_t>(tensor);
}

}  // namespace

float apply(Activation activation, float x, float prelu_slope) {
  switch (activation) {
    case Activation::kNone:
      return x;
    case Activation::kRelu:
      return std::max(x, 0.0f);
    case Activation::kRelu6:
      return relu6(x);
    case Activation::kReluN1To1:
      return std::clamp(x, -1.0f, 1.0f);
    case Activation::kTanh:
      return static_cast<float>(std::tanh(double{x}));
    case Activation::kLogistic:
      return logistic(x);
    case Activation::kHardSwish:
      return x * relu6(x + 3.0f) / 6.0f;
    case Activation::kHardSigmoid:
      return relu6(x + 3.0f) / 6.0f;
    case Activation::kSwish:
      return x * logistic(x);
    case Activation::kPrelu:
      return x < 0.0f ? prelu_slope * x : x;
  }
  return x;
}

void dequantize(const Call& call, HostTensor& out) {
  const std::span<float> result = out.as<float>();
  if (call.input(0).type == DataType::kFloat16) {
    std::ranges::transform(call.input(0).as<uint16_t>(), result.begin(), half_to_float);
    return;
  }
  const Quantization& quantization = call.graph.value(call.node.inputs[0]).quantization;
  const std::vector<double> values = integers(call.input(0));
  // The index along the quantized axis of element i is i / inner % size.
  size_t inner = 1;
  for (int d = quantization.axis + 1; d < out.shape.rank(); ++d) inner *= static_cast<size_t>(out.shape.dim(d));
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t entry = i / inner % quantization.scale.size();
    const double zero = quantization.zero_point.empty() ? 0.0 : static_cast<double>(quantization.zero_point[entry]);
    result[i] = static_cast<float>((values[i] - zero) * double{quantization.scale[entry]});
  }
}

void activate(const Call& call, HostTensor& out) {
  const Activation activation = call.node.activation;
  if (activation == Activation::kNone || out.type != DataType::kFloat32) return;
  const std::span<const float> slopes = activation == Activation::kPrelu ? call.floats(3) : std::span<const float>();
  size_t i = 0;
  for (float& x : out.as<float>()) {
    x = apply(activation, x, slopes.empty() ? 0.0f : slopes[i % slopes.size()]);
    ++i;
  }
}

}  // namespace sightglass::ref
