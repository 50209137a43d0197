// Functions of 16-bit quantized values, which LiteRT computes from tables with linear interpolation. Zero points are 0.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "graph/fixed_point.h"
#include "graph/graph.h"

namespace sightglass {

// A function between its values at 513 points, evenly spaced over all 16-bit inputs. Points are shifted by half of the
// error in the middle between them, which halves the greatest error.
class TabulatedFunction {
 public:
  // From a real function and the scales of inputs and outputs, in 32-bit floats.
  template <typename Function>
  TabulatedFunction(Function function, float in_scale, float out_scale) {
    const float lowest = in_scale * -32768.0f, step = (in_scale * 32767.0f - lowest) / kIntervals;
    const float steps_per_unit = 65536.0f / (out_scale * 32767.0f - out_scale * -32768.0f);
    for (int32_t i = 0; i <= kIntervals; ++i) {
      const auto at = static_cast<float>(i);
      const auto value = [&](float x) { return function(x) * steps_per_unit; };
      points_[static_cast<size_t>(i)] =
          i == kIntervals
              ? last_point(value(in_scale * 32767.0f))
              : point(value(lowest + at * step), value(lowest + at * step + step / 2), value(lowest + (at + 1) * step));
    }
  }

  // From the lowest to the highest real input, in 64-bit floats. Results are in steps of 2^-15.
  template <typename Function>
  static TabulatedFunction between(double lowest, double highest, Function function) {
    TabulatedFunction result;
    const double step = (highest - lowest) / kIntervals;
    const auto value = [&](double i) { return function(lowest + i * step) * 32768; };
    for (int32_t i = 0; i < kIntervals; ++i) {
      result.points_[static_cast<size_t>(i)] = point(value(i), value(i + 0.5), value(i + 1));
    }
    result.points_.back() = last_point(value(kIntervals));
    return result;
  }

  // For an input of 16 bits.
  int32_t operator()(int32_t x) const;

  static constexpr int32_t kIntervals = 512;
  const std::array<int16_t, kIntervals + 1>& points() const { return points_; }

 private:
  TabulatedFunction() = default;

  template <typename Real>
  static int16_t point(Real value, Real middle, Real next);
  template <typename Real>
  static int16_t last_point(Real value);

  std::array<int16_t, kIntervals + 1> points_{};
};

// 1 / (1 + e^-x) and tanh(x) in steps of 2^-15, for x in steps of `scale`. The same table of 256 values serves every
// scale, except those for which fixed_functions.h has integer arithmetic.
class TabulatedSigmoid {
 public:
  enum class Kind : uint8_t { kLogistic, kTanh };
  TabulatedSigmoid(Kind kind, float scale);

  // For an input of 16 bits.
  int32_t operator()(int32_t x) const;

 private:
  int32_t logistic(int32_t x) const;
  int32_t tanh(int32_t x) const;

  Kind kind_;
  int fixed_shift_ = -1;  // if not negative, x times 2^fixed_shift_ is in steps of 2^-12
  int64_t multiplier_ = 0;
  int shift_ = 0;
};

// SOFTMAX of 16-bit integers, which LiteRT computes from two tables. Zero points are 0, results are in steps of 2^-15.

bool has_integer_softmax(const Graph& graph, const Node& node);

class IntegerSoftmax {
 public:
  // Requires has_integer_softmax().
  IntegerSoftmax(const Graph& graph, const Node& node);

  // Replaces the values of a row by the results.
  void operator()(std::span<int32_t> row) const;

  // The distance from the largest value of a row times this is in 65,535ths of 10.
  const FixedPoint& factor() const { return factor_; }
  // Of -10 to 0, as inputs of -32768 to 32767.
  const TabulatedFunction& exponential() const { return exponential_; }
  // 1 / (1 + x) of 0 to 1, as inputs of -32768 to 32767.
  const TabulatedFunction& reciprocal() const { return reciprocal_; }

 private:
  FixedPoint factor_;
  TabulatedFunction exponential_, reciprocal_;
};

}  // namespace sightglass
