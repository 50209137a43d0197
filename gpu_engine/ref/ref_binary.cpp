// Functions of operands that broadcast. Integers wrap around.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "graph/quantized.h"
#include "ref/kernels.h"
#include "ref/ref_ops.h"

namespace sightglass::ref {
namespace {

// The places of a tensor's elements, as if it were repeated to the shape `out`.
std::vector<int64_t> places(const Shape& shape, const Shape& out) {
  const Strides dense = dense_strides(shape);
  Strides strides{};
  const int missing = out.rank() - shape.rank();
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape.dim(i) != 1) strides[static_cast<size_t>(i + missing)] = dense[static_cast<size_t>(i)];
  }
  return offsets(out, strides);
}

// The remainder has the sign of the divisor.
float floor_mod(float a, float b) {
  const float rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

float combine(OpType op, float a, float b) {
  switch (op) {
    case OpType::kAdd:
      return a + b;
    case OpType::kSub:
      return a - b;
    case OpType::kMul:
      return a * b;
    case OpType::kMaximum:
      return std::max(a, b);
    case OpType::kMinimum:
      return std::min(a, b);
    case OpType::kDiv:
      return a / b;
    case OpType::kPow:
      return static_cast<float>(std::pow(double{a}, double{b}));
    case OpType::kSquaredDifference:
      return (a - b) * (a - b);
    case OpType::kFloorDiv:
      return std::floor(a / b);
    case OpType::kFloorMod:
      return floor_mod(a, b);
    case OpType::kAtan2:
      return static_cast<float>(std::atan2(double{a}, double{b}));
    default:
      return apply(Activation::kPrelu, a, b);
  }
}

// a^b; below 1 there is 0 alone, but for powers of 1 and -1.
uint64_t power(int64_t a, int64_t b) {
  if (b < 0) return a == 1 || (a == -1 && b % 2 == 0) ? 1 : a == -1 ? ~uint64_t{0} : 0;
  uint64_t result = 1;
  for (auto square = static_cast<uint64_t>(a); b > 0; b >>= 1, square *= square) {
    if ((b & 1) != 0) result *= square;
  }
  return result;
}

// What a division by zero gives is nobody's business; here it is 0. The quotient wraps around as well.
int64_t divide(int64_t a, int64_t b, bool down) {
  if (b == 0) return 0;
  if (b == -1) return static_cast<int64_t>(-static_cast<uint64_t>(a));
  return a / b - (down && a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

uint64_t combine(OpType op, int64_t a, int64_t b) {
  const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  switch (op) {
    case OpType::kAdd:
      return x + y;
    case OpType::kSub:
      return x - y;
    case OpType::kMul:
      return x * y;
    case OpType::kMaximum:
    case OpType::kLogicalOr:
      return a > b ? x : y;
    case OpType::kMinimum:
    case OpType::kLogicalAnd:
      return a < b ? x : y;
    case OpType::kDiv:
      return static_cast<uint64_t>(divide(a, b, false));
    case OpType::kPow:
      return power(a, b);
    case OpType::kSquaredDifference:
      return (x - y) * (x - y);
    case OpType::kFloorDiv:
      return static_cast<uint64_t>(divide(a, b, true));
    default:  // FLOOR_MOD
      return b == 0 ? 0 : x - static_cast<uint64_t>(divide(a, b, true)) * y;
  }
}

template <typename T>
bool holds(OpType op, T a, T b) {
  switch (op) {
    case OpType::kEqual:
      return a == b;
    case OpType::kNotEqual:
      return a != b;
    case OpType::kLess:
      return a < b;
    case OpType::kLessEqual:
      return a <= b;
    case OpType::kGreater:
      return a > b;
    default:
      return a >= b;
  }
}

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

template <typename T>
void binary_of(const Call& call, HostTensor& out) {
  const std::span<const T> a = call.input(0).as<T>(), b = call.input(1).as<T>();
  const std::vector<int64_t> from_a = places(call.shape(0), out.shape), from_b = places(call.shape(1), out.shape);
  const OpType op = call.node.op;
  for (size_t i = 0; i < from_a.size(); ++i) {
    const T x = a[static_cast<size_t>(from_a[i])], y = b[static_cast<size_t>(from_b[i])];
    if (is_comparison(op)) {
      out.as<uint8_t>()[i] = holds(op, x, y) ? 1 : 0;
    } else if constexpr (std::is_floating_point_v<T>) {
      out.as<T>()[i] = combine(op, x, y);
    } else {
      out.as<T>()[i] = clamp(call.node.activation, static_cast<T>(combine(op, int64_t{x}, int64_t{y})));
    }
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
        sum = static_cast<T>(combine(OpType::kAdd, int64_t{sum}, int64_t{call.input(i).as<T>()[k]}));
      }
    }
  }
}

void copy_element(const HostTensor& from, int64_t from_index, HostTensor& to, size_t to_index) {
  const size_t size = size_of(to.type);
  std::memcpy(to.data.data() + to_index * size, from.data.data() + static_cast<size_t>(from_index) * size, size);
}

}  // namespace

void binary(const Call& call, HostTensor& out) {
  switch (call.input(0).type) {
    case DataType::kInt32:
      return binary_of<int32_t>(call, out);
    case DataType::kInt64:
      return binary_of<int64_t>(call, out);
    case DataType::kBool:
      return binary_of<uint8_t>(call, out);
    default:
      return binary_of<float>(call, out);
  }
}

void select(const Call& call, HostTensor& out) {
  Shape condition = call.shape(0);
  if (call.attributes<SelectAttr>().by_row) {
    condition = out.shape;
    for (int d = 1; d < condition.rank(); ++d) condition.set_dim(d, 1);
  }
  const std::vector<int64_t> where = places(condition, out.shape);
  const std::array from{places(call.shape(1), out.shape), places(call.shape(2), out.shape)};
  for (size_t i = 0; i < where.size(); ++i) {
    const bool holds = call.input(0).as<uint8_t>()[static_cast<size_t>(where[i])] != 0;
    copy_element(call.input(holds ? 1 : 2), from[holds ? 0 : 1][i], out, i);
  }
}

void broadcast_to(const Call& call, HostTensor& out) {
  const std::vector<int64_t> from = places(call.shape(0), out.shape);
  for (size_t i = 0; i < from.size(); ++i) copy_element(call.input(0), from[i], out, i);
}

void add_n(const Call& call, HostTensor& out) {
  if (out.type == DataType::kInt32) return add_all<int32_t>(call, out);
  return add_all<float>(call, out);
}

}  // namespace sightglass::ref
