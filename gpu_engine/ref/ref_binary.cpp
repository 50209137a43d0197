// Functions of operands that broadcast. Integers wrap around.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

#include "graph/quantized.h"
#include "ref/function_check.h"
#include "ref/kernels.h"
#include "ref/ref_ops.h"

namespace sightglass::ref {
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
