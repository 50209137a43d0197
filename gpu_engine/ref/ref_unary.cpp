// Functions of one operand. Computed in double precision; integers wrap around.
#include <algorithm>
#include <cmath>

#include "ref/function_check.h"
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

double activation(const Node& node, double x) { return apply(activation_of(node.op), static_cast<float>(x)); }

int64_t negative(int64_t x) { return static_cast<int64_t>(-static_cast<uint64_t>(x)); }

// Float and integer functions; null if the operator does not take the type.
struct UnaryFunction {
  OpType op;
  double (*real)(const Node& node, double x);
  int64_t (*integer)(int64_t x) = nullptr;
};
constexpr auto kUnaryFunctions = std::to_array<UnaryFunction>({
    {OpType::kRelu, activation},
    {OpType::kRelu6, activation},
    {OpType::kReluN1To1, activation},
    {OpType::kLogistic, activation},
    {OpType::kTanh, activation},
    {OpType::kHardSwish, activation},
    {OpType::kExp, [](const Node&, double x) { return std::exp(x); }},
    {OpType::kRsqrt, [](const Node&, double x) { return 1 / std::sqrt(x); }},
    {OpType::kSqrt, [](const Node&, double x) { return std::sqrt(x); }},
    {OpType::kSquare, [](const Node&, double x) { return x * x; }},
    {OpType::kNeg, [](const Node&, double x) { return -x; }, negative},
    {OpType::kAbs, [](const Node&, double x) { return std::abs(x); },
     [](int64_t x) { return x < 0 ? negative(x) : x; }},
    {OpType::kLog, [](const Node&, double x) { return std::log(x); }},
    {OpType::kFloor, [](const Node&, double x) { return std::floor(x); }},
    {OpType::kCeil, [](const Node&, double x) { return std::ceil(x); }},
    {OpType::kRound, [](const Node&, double x) { return std::nearbyint(x); }},  // halves to even, the default mode
    {OpType::kSign, [](const Node&, double x) { return sign(x); },
     [](int64_t x) -> int64_t { return (x > 0 ? 1 : 0) - (x < 0 ? 1 : 0); }},
    {OpType::kSin, [](const Node&, double x) { return std::sin(x); }},
    {OpType::kCos, [](const Node&, double x) { return std::cos(x); }},
    {OpType::kElu, [](const Node&, double x) { return x < 0 ? std::expm1(x) : x; }},
    {OpType::kLeakyRelu,
     [](const Node& node, double x) { return x < 0 ? x * double{std::get<LeakyReluAttr>(node.attributes).alpha} : x; }},
    {OpType::kGelu,
     [](const Node& node, double x) { return gelu(x, std::get<GeluAttr>(node.attributes).approximate); }},
    {OpType::kRelu0To1, [](const Node&, double x) { return std::clamp(x, 0.0, 1.0); }},
    {OpType::kLogicalNot, nullptr, [](int64_t x) -> int64_t { return x == 0 ? 1 : 0; }},
    {OpType::kZerosLike, [](const Node&, double) { return 0.0; }, [](int64_t) -> int64_t { return 0; }},
});
static_assert(operators::lists_exactly(kUnaryFunctions, operators::kUnary) && functions_match_types(kUnaryFunctions));

// Converts a value to another type: fractions are truncated, integers wrap around.
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
void apply_to_integers(const UnaryFunction& function, const Call& call, HostTensor& out) {
  std::ranges::transform(call.input(0).as<T>(), out.as<T>().begin(),
                         [&](T x) { return static_cast<T>(function.integer(int64_t{x})); });
}

}  // namespace

void unary(const Call& call, HostTensor& out) {
  const UnaryFunction& function = operators::find_row(kUnaryFunctions, call.node.op);
  switch (call.input(0).type) {
    case DataType::kInt32:
      return apply_to_integers<int32_t>(function, call, out);
    case DataType::kInt64:
      return apply_to_integers<int64_t>(function, call, out);
    case DataType::kBool:
      return apply_to_integers<uint8_t>(function, call, out);
    default:
      std::ranges::transform(call.floats(0), out.as<float>().begin(),
                             [&](float x) { return static_cast<float>(function.real(call.node, double{x})); });
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
