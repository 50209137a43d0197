#include "graph/interval.h"

namespace sightglass::interval {

namespace {

// 0 * infinity is 0 here: infinity stands for numbers of any size, and 0 times such a number is 0.
double product(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

ValueRange span_of(std::initializer_list<double> numbers) { return {std::min(numbers), std::max(numbers)}; }

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

// x * f(x) for an f that tends to 0 at minus infinity faster than 1 / x, and to 1 at infinity.
template <typename F>
double gated(double x, F f) {
  if (x == -kInfinity) return 0;
  return x == kInfinity ? x : x * f(x);
}

}  // namespace

ValueRange add(const ValueRange& a, const ValueRange& b) { return {a.low + b.low, a.high + b.high}; }
ValueRange subtract(const ValueRange& a, const ValueRange& b) { return {a.low - b.high, a.high - b.low}; }

ValueRange multiply(const ValueRange& a, const ValueRange& b) {
  return span_of({product(a.low, b.low), product(a.low, b.high), product(a.high, b.low), product(a.high, b.high)});
}

ValueRange divide(const ValueRange& a, const ValueRange& b) {
  if (contains(b, 0)) return {};
  return multiply(a, {1 / b.high, 1 / b.low});
}

ValueRange square(const ValueRange& a) {
  return valley(a, 0, 0, [](double x) { return x * x; });
}

ValueRange hard_swish(const ValueRange& a) {
  return valley(a, -1.5, -0.375,
                [](double x) { return gated(x, [](double v) { return std::clamp(v + 3, 0.0, 6.0) / 6; }); });
}

ValueRange gelu(const ValueRange& a) {
  // The minimum of both forms is a bit above -0.1701.
  const auto f = [](double x) { return gated(x, [](double v) { return (1 + std::erf(v / std::sqrt(2.0))) / 2; }); };
  const ValueRange ends = {std::min(f(a.low), f(a.high)), std::max(f(a.low), f(a.high))};
  constexpr double kFormsDiffer = 5e-4;  // that with tanh and that with the error function
  const bool dips = a.low < 0 && a.high > -1;
  return {(dips ? -0.1701 : ends.low) - kFormsDiffer, ends.high + kFormsDiffer};
}

ValueRange activate(Activation activation, const ValueRange& a) {
  switch (activation) {
    case Activation::kNone:
      return a;
    case Activation::kRelu:
      return clamp(a, 0, kInfinity);
    case Activation::kRelu6:
      return clamp(a, 0, 6);
    case Activation::kReluN1To1:
      return clamp(a, -1, 1);
    case Activation::kTanh:
      return increasing(a, [](double x) { return std::tanh(x); });
    case Activation::kLogistic:
      return increasing(a, logistic);
    case Activation::kHardSwish:
      return hard_swish(a);
    case Activation::kHardSigmoid:
      return increasing(a, [](double x) { return std::clamp(x + 3, 0.0, 6.0) / 6; });
    case Activation::kSwish:
      return valley(a, -1.27846, -0.27847, [](double x) { return gated(x, logistic); });
    case Activation::kPrelu:
      return a.low >= 0 ? a : ValueRange{};
  }
  return {};
}

ValueRange of_type(DataType type) {
  switch (type) {
    case DataType::kInt8:
      return {INT8_MIN, INT8_MAX};
    case DataType::kUInt8:
      return {0, UINT8_MAX};
    case DataType::kInt16:
      return {INT16_MIN, INT16_MAX};
    case DataType::kInt32:
      return {INT32_MIN, INT32_MAX};
    case DataType::kBool:
      return {0, 1};
    default:
      return {};
  }
}

}  // namespace sightglass::interval
