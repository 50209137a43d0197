// Functions of one operand. Computed in double precision; integers wrap around.
#include <algorithm>
#include <cmath>

#include "ref/kernels.h"
#include "ref/ref_ops.h"

namespace sightglass::ref {
namespace {

constexpr double kPi = 3.14159265358979323846;

// In forms that do not cancel far below zero.
double gelu(double x, bool approximate) {
  if (!approximate) return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
  return x / (1 + std::exp(-2 * std::sqrt(2 / kPi) * (x + 0.044715 * x * x * x)));
}

double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }

double function(const Node& node, double x) {
  switch (node.op) {
    case OpType::kExp:
      return std::exp(x);
    case OpType::kRsqrt:
      return 1 / std::sqrt(x);
    case OpType::kSqrt:
      return std::sqrt(x);
    case OpType::kSquare:
      return x * x;
    case OpType::kNeg:
      return -x;
    case OpType::kAbs:
      return std::abs(x);
    case OpType::kLog:
      return std::log(x);
    case OpType::kFloor:
      return std::floor(x);
    case OpType::kCeil:
      return std::ceil(x);
    case OpType::kRound:
      return std::nearbyint(x);  // halves to even, as the rounding mode is
    case OpType::kSign:
      return sign(x);
    case OpType::kSin:
      return std::sin(x);
    case OpType::kCos:
      return std::cos(x);
    case OpType::kElu:
      return x < 0 ? std::expm1(x) : x;
    case OpType::kLeakyRelu:
      return x < 0 ? x * double{std::get<LeakyReluAttr>(node.attributes).alpha} : x;
    case OpType::kGelu:
      return gelu(x, std::get<GeluAttr>(node.attributes).approximate);
    case OpType::kRelu0To1:
      return std::clamp(x, 0.0, 1.0);
    case OpType::kZerosLike:
      return 0;
    default:
      return apply(activation_of(node.op), static_cast<float>(x));
  }
}

int64_t function(const Node& node, int64_t x) {
  switch (node.op) {
    case OpType::kNeg:
      return static_cast<int64_t>(-static_cast<uint64_t>(x));
    case OpType::kAbs:
      return x < 0 ? static_cast<int64_t>(-static_cast<uint64_t>(x)) : x;
    case OpType::kSign:
      return (x > 0 ? 1 : 0) - (x < 0 ? 1 : 0);
    case OpType::kLogicalNot:
      return x == 0 ? 1 : 0;
    default:
      return 0;  // ZEROS_LIKE
  }
}

// A number as another type holds it: fractions are cut off, integers wrap around.
template <typename From, typename To>
To convert(From x) {
  if constexpr (std::is_floating_point_v<From> && !std::is_floating_point_v<To>) {
    if (std::isnan(x)) return 0;
    const auto low = static_cast<double>(INT32_MIN), high = static_cast<double>(INT32_MAX);
    return static_cast<To>(static_cast<int32_t>(std::clamp(static_cast<double>(x), low, high)));
  } else {
    return static_cast<To>(x);
  }
}

template <typename From>
void cast_from(std::span<const From> from, HostTensor& out) {
  const auto to = [&]<typename To>(std::span<To> result) {
    std::ranges::transform(from, result.begin(), [](From x) { return convert<From, To>(x); });
  };
  switch (out.type) {
    case DataType::kFloat32:
      return to(out.as<float>());
    case DataType::kInt8:
      return to(out.as<int8_t>());
    case DataType::kUInt8:
      return to(out.as<uint8_t>());
    case DataType::kInt16:
      return to(out.as<int16_t>());
    case DataType::kInt32:
      return to(out.as<int32_t>());
    case DataType::kInt64:
      return to(out.as<int64_t>());
    default:
      std::ranges::transform(from, out.as<uint8_t>().begin(), [](From x) { return x != From{0} ? 1 : 0; });
  }
}

template <typename T>
void apply_to_integers(const Call& call, HostTensor& out) {
  std::ranges::transform(call.input(0).as<T>(), out.as<T>().begin(),
                         [&](T x) { return static_cast<T>(function(call.node, int64_t{x})); });
}

}  // namespace

void unary(const Call& call, HostTensor& out) {
  switch (call.input(0).type) {
    case DataType::kInt32:
      return apply_to_integers<int32_t>(call, out);
    case DataType::kInt64:
      return apply_to_integers<int64_t>(call, out);
    case DataType::kBool:
      return apply_to_integers<uint8_t>(call, out);
    default:
      std::ranges::transform(call.floats(0), out.as<float>().begin(),
                             [&](float x) { return static_cast<float>(function(call.node, double{x})); });
  }
}

void cast(const Call& call, HostTensor& out) {
  const HostTensor& in = call.input(0);
  switch (in.type) {
    case DataType::kFloat32:
      return cast_from(in.as<float>(), out);
    case DataType::kInt8:
      return cast_from(in.as<int8_t>(), out);
    case DataType::kInt16:
      return cast_from(in.as<int16_t>(), out);
    case DataType::kInt32:
      return cast_from(in.as<int32_t>(), out);
    case DataType::kInt64:
      return cast_from(in.as<int64_t>(), out);
    default:
      return cast_from(in.as<uint8_t>(), out);
  }
}

}  // namespace sightglass::ref
