// Interval arithmetic on ranges of values: the results of an operation on all numbers of its operands' ranges lie in
// the range that it returns. Exact numbers: rounding in a kernel may leave the range by its last bits.
#pragma once

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

#include "graph/op.h"
#include "sightglass/tensor.h"

namespace sightglass::interval {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

inline ValueRange hull(const ValueRange& a, const ValueRange& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}
inline ValueRange clamp(const ValueRange& a, double low, double high) {
  return {std::clamp(a.low, low, high), std::clamp(a.high, low, high)};
}
inline bool contains(const ValueRange& a, double x) { return a.low <= x && x <= a.high; }

ValueRange add(const ValueRange& a, const ValueRange& b);
ValueRange subtract(const ValueRange& a, const ValueRange& b);
ValueRange multiply(const ValueRange& a, const ValueRange& b);
ValueRange divide(const ValueRange& a, const ValueRange& b);  // unbounded if `b` contains 0
ValueRange square(const ValueRange& a);

// For a function that only grows.
template <typename F>
ValueRange increasing(const ValueRange& a, F f) {
  return {f(a.low), f(a.high)};
}
// For a function that falls to `lowest` at `at`, and grows from there.
template <typename F>
ValueRange valley(const ValueRange& a, double at, double lowest, F f) {
  const double ends[] = {f(a.low), f(a.high)};
  return {contains(a, at) ? lowest : std::min(ends[0], ends[1]), std::max(ends[0], ends[1])};
}

// Of a fused activation; PRELU without its slopes.
ValueRange activate(Activation activation, const ValueRange& a);
ValueRange hard_swish(const ValueRange& a);
ValueRange gelu(const ValueRange& a);

// All numbers of an integer type; unbounded for floats.
ValueRange of_type(DataType type);

}  // namespace sightglass::interval
