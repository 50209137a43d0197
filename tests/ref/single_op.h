// Runs one operator on literal values.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "graph/graph.h"

namespace sightglass::test {

HostTensor floats(const Shape& shape, const std::vector<float>& values);

template <typename T>
HostTensor numbers(DataType type, const Shape& shape, const std::vector<T>& values) {
  HostTensor tensor(type, shape);
  std::ranges::copy(values, tensor.as<T>().begin());
  return tensor;
}

inline HostTensor row(const std::vector<float>& values) {
  return floats({static_cast<int32_t>(values.size())}, values);
}

// An absent optional input.
inline HostTensor absent() { return {}; }

// Operands and attributes of several tests.
inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline const HostTensor kNine = floats({1, 3, 3, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
inline const HostTensor kSix = floats({2, 3}, {1, 2, 3, 4, 5, 6});
inline constexpr Padding2d kSame{PaddingMode::kSame};
inline constexpr Padding2d kValid{PaddingMode::kValid};

inline double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

// Returns the result of the reference. The output has the natural type of the operator unless `type` is set. If the
// reference rejects the operator, reports a test failure and returns an empty tensor.
HostTensor evaluate(OpType op, const Attributes& attributes, const std::vector<HostTensor>& inputs,
                    Activation activation = Activation::kNone, const Quantization& quantization = {},
                    std::optional<DataType> type = std::nullopt);

// The same for an operator with `outputs` outputs.
std::vector<HostTensor> evaluate_all(OpType op, const Attributes& attributes, const std::vector<HostTensor>& inputs,
                                     size_t outputs);

// The reason why the reference rejects the operator; Ok if it does not.
Status refusal(OpType op, const Attributes& attributes, const std::vector<HostTensor>& inputs,
               Activation activation = Activation::kNone, std::optional<DataType> type = std::nullopt);

// Expects that `got` is float32, of that shape, and that each value differs by at most `tolerance`. NaN equals NaN.
void expect_floats(const HostTensor& got, const Shape& shape, const std::vector<float>& expected,
                   float tolerance = 0.0f);

// The same for integers and booleans, which must be equal.
void expect_integers(const HostTensor& got, DataType type, const Shape& shape, const std::vector<int64_t>& expected);

}  // namespace sightglass::test
