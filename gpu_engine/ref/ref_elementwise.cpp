// Activations and dequantization.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

#include "graph/quantized.h"
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

// Functions of one operand. Computed in double precision; integers wrap around.

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

// Functions of operands that broadcast. Integers wrap around.

namespace {

// The remainder has the sign of the divisor.
float floor_mod(float a, float b) {
  const float rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

// a^b; negative exponents give 0, except for bases 1 and -1.
uint64_t power(int64_t a, int64_t b) {
  if (b < 0) return a == 1 || (a == -1 && b % 2 == 0) ? 1 : a == -1 ? ~uint64_t{0} : 0;
  uint64_t result = 1;
  for (auto square = static_cast<uint64_t>(a); b > 0; b >>= 1, square *= square) {
    if ((b & 1) != 0) result *= square;
  }
  return result;
}

// The result of a division by zero is undefined; here it is 0. The quotient wraps around too.
int64_t divide(int64_t a, int64_t b, bool down) {
  if (b == 0) return 0;
  if (b == -1) return static_cast<int64_t>(-static_cast<uint64_t>(a));
  return a / b - (down && a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

uint64_t wrapped(int64_t x) { return static_cast<uint64_t>(x); }

uint64_t wrapped_larger(int64_t a, int64_t b) { return wrapped(std::max(a, b)); }
uint64_t wrapped_smaller(int64_t a, int64_t b) { return wrapped(std::min(a, b)); }

uint64_t floor_mod(int64_t a, int64_t b) { return b == 0 ? 0 : wrapped(a) - wrapped(divide(a, b, true)) * wrapped(b); }

// Float and integer functions; null if the operator does not take the type.
struct Arithmetic {
  OpType op;
  float (*real)(float a, float b);
  uint64_t (*integer)(int64_t a, int64_t b) = nullptr;
};
constexpr auto kArithmetic = std::to_array<Arithmetic>({
    {OpType::kAdd, [](float a, float b) { return a + b; },
     [](int64_t a, int64_t b) { return wrapped(a) + wrapped(b); }},
    {OpType::kSub, [](float a, float b) { return a - b; },
     [](int64_t a, int64_t b) { return wrapped(a) - wrapped(b); }},
    {OpType::kMul, [](float a, float b) { return a * b; },
     [](int64_t a, int64_t b) { return wrapped(a) * wrapped(b); }},
    {OpType::kMaximum, [](float a, float b) { return std::max(a, b); }, wrapped_larger},
    {OpType::kMinimum, [](float a, float b) { return std::min(a, b); }, wrapped_smaller},
    {OpType::kPrelu, [](float a, float b) { return apply(Activation::kPrelu, a, b); }},
    {OpType::kDiv, [](float a, float b) { return a / b; },
     [](int64_t a, int64_t b) { return wrapped(divide(a, b, false)); }},
    {OpType::kPow, [](float a, float b) { return static_cast<float>(std::pow(double{a}, double{b})); }, power},
    {OpType::kSquaredDifference, [](float a, float b) { return (a - b) * (a - b); },
     [](int64_t a, int64_t b) { return (wrapped(a) - wrapped(b)) * (wrapped(a) - wrapped(b)); }},
    {OpType::kFloorDiv, [](float a, float b) { return std::floor(a / b); },
     [](int64_t a, int64_t b) { return wrapped(divide(a, b, true)); }},
    {OpType::kFloorMod, floor_mod, floor_mod},
    {OpType::kAtan2, [](float a, float b) { return static_cast<float>(std::atan2(double{a}, double{b})); }},
    {OpType::kLogicalAnd, nullptr, wrapped_smaller},
    {OpType::kLogicalOr, nullptr, wrapped_larger},
});
static_assert(operators::lists_exactly(kArithmetic, operators::kBinary) && functions_match_types(kArithmetic));

struct Comparison {
  OpType op;
  bool (*real)(float a, float b);
  bool (*integer)(int64_t a, int64_t b);
};
template <typename Relation>
constexpr Comparison comparison(OpType op) {
  return {op, [](float a, float b) { return Relation()(a, b); }, [](int64_t a, int64_t b) { return Relation()(a, b); }};
}
constexpr std::array kComparisons{
    comparison<std::equal_to<>>(OpType::kEqual),  comparison<std::not_equal_to<>>(OpType::kNotEqual),
    comparison<std::less<>>(OpType::kLess),       comparison<std::less_equal<>>(OpType::kLessEqual),
    comparison<std::greater<>>(OpType::kGreater), comparison<std::greater_equal<>>(OpType::kGreaterEqual),
};
static_assert(operators::lists_exactly(kComparisons, operators::kCompares) && functions_match_types(kComparisons));

template <typename T>
T clamp(Activation activation, T x) {
  switch (activation) {
    case Activation::kRelu:
      return std::max<T>(x, 0);
    case Activation::kRelu6:
      return std::clamp<T>(x, 0, 6);
    case Activation::kReluN1To1:
      return std::clamp<T>(x, -1, 1);
    default:
      return x;
  }
}

// Calls `function(i, x, y)` for each element of the output and its two operands.
template <typename T, typename Function>
void for_each_pair(const Call& call, const Shape& out, Function function) {
  const std::span<const T> a = call.input(0).as<T>(), b = call.input(1).as<T>();
  const std::vector<int64_t> from_a = broadcast_places(call.shape(0), out),
                             from_b = broadcast_places(call.shape(1), out);
  for (size_t i = 0; i < from_a.size(); ++i) {
    function(i, a[static_cast<size_t>(from_a[i])], b[static_cast<size_t>(from_b[i])]);
  }
}

template <typename T>
void binary_of(const Call& call, HostTensor& out) {
  const Arithmetic& row = operators::find_row(kArithmetic, call.node.op);
  for_each_pair<T>(call, out.shape, [&](size_t i, T x, T y) {
    if constexpr (std::is_floating_point_v<T>) {
      out.as<T>()[i] = row.real(x, y);
    } else {
      out.as<T>()[i] = clamp(call.node.activation, static_cast<T>(row.integer(x, y)));
    }
  });
}

template <typename T>
void compare_of(const Call& call, HostTensor& out) {
  const Comparison& row = operators::find_row(kComparisons, call.node.op);
  for_each_pair<T>(call, out.shape, [&](size_t i, T x, T y) {
    if constexpr (std::is_floating_point_v<T>) {
      out.as<uint8_t>()[i] = row.real(x, y) ? 1 : 0;
    } else {
      out.as<uint8_t>()[i] = row.integer(x, y) ? 1 : 0;
    }
  });
}

template <typename Function>
void with_type_of(const HostTensor& tensor, Function function) {
  switch (tensor.type) {
    case DataType::kInt32:
      return function.template operator()<int32_t>();
    case DataType::kInt64:
      return function.template operator()<int64_t>();
    case DataType::kBool:
      return function.template operator()<uint8_t>();
    default:
      return function.template operator()<float>();
  }
}

template <typename T>
void add_all(const Call& call, HostTensor& out) {
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    for (size_t k = 0; k < out.as<T>().size(); ++k) {
      T& sum = out.as<T>()[k];
      if constexpr (std::is_floating_point_v<T>) {
        sum += call.input(i).as<T>()[k];
      } else {
        sum = static_cast<T>(wrapped(sum) + wrapped(call.input(i).as<T>()[k]));
      }
    }
  }
}

void copy_element(const HostTensor& from, int64_t from_index, HostTensor& to, size_t to_index) {
  const size_t size = size_of(to.type);
  std::memcpy(to.data.data() + to_index * size, from.data.data() + static_cast<size_t>(from_index) * size, size);
}

}  // namespace

std::vector<int64_t> broadcast_places(const Shape& shape, const Shape& out) {
  const Strides dense = dense_strides(shape);
  Strides strides{};
  const int missing = out.rank() - shape.rank();
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape.dim(i) != 1) strides[static_cast<size_t>(i + missing)] = dense[static_cast<size_t>(i)];
  }
  return offsets(out, strides);
}

void binary(const Call& call, HostTensor& out) {
  with_type_of(call.input(0), [&]<typename T>() { binary_of<T>(call, out); });
}

void compare(const Call& call, HostTensor& out) {
  with_type_of(call.input(0), [&]<typename T>() { compare_of<T>(call, out); });
}

void select(const Call& call, HostTensor& out) {
  Shape condition = call.shape(0);
  if (call.attributes<SelectAttr>().by_row) {
    condition = out.shape;
    for (int d = 1; d < condition.rank(); ++d) condition.set_dim(d, 1);
  }
  const std::vector<int64_t> where = broadcast_places(condition, out.shape);
  const std::array from{broadcast_places(call.shape(1), out.shape), broadcast_places(call.shape(2), out.shape)};
  for (size_t i = 0; i < where.size(); ++i) {
    const bool holds = call.input(0).as<uint8_t>()[static_cast<size_t>(where[i])] != 0;
    copy_element(call.input(holds ? 1 : 2), from[holds ? 0 : 1][i], out, i);
  }
}

void broadcast_to(const Call& call, HostTensor& out) {
  const std::vector<int64_t> from = broadcast_places(call.shape(0), out.shape);
  for (size_t i = 0; i < from.size(); ++i) copy_element(call.input(0), from[i], out, i);
}

void add_n(const Call& call, HostTensor& out) {
  if (out.type == DataType::kInt32) return add_all<int32_t>(call, out);
  return add_all<float>(call, out);
}

}  // namespace sightglass::ref
