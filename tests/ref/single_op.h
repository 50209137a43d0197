// One operator on literal numbers.
#pragma once

#include <algorithm>
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

// An optional input that is not there.
inline HostTensor absent() { return {}; }

// What the reference computes; the output is of the operator's natural type unless `type` says otherwise. Reports a
// test failure, and gives an empty tensor, when it refuses.
HostTensor evaluate(OpType op, const Attributes& attributes, const std::vector<HostTensor>& inputs,
                    Activation activation = Activation::kNone, const Quantization& quantization = {},
                    std::optional<DataType> type = std::nullopt);

// The same for an operator with so many outputs.
std::vector<HostTensor> evaluate_all(OpType op, const Attributes& attributes, const std::vector<HostTensor>& inputs,
                                     size_t outputs);

// Why the reference refuses; Ok when it does not.
Status refusal(OpType op, const Attributes& attributes, const std::vector<HostTensor>& inputs,
               Activation activation = Activation::kNone, std::optional<DataType> type = std::nullopt);

// `got` is float32, of that shape, and each number differs by at most `tolerance`. NaN equals NaN.
void expect_floats(const HostTensor& got, const Shape& shape, const std::vector<float>& expected,
                   float tolerance = 0.0f);

// The same for integers and booleans, which must be equal.
void expect_integers(const HostTensor& got, DataType type, const Shape& shape, const std::vector<int64_t>& expected);

}  // namespace sightglass::test
