// Small graphs for comparing GPU kernels with the reference, and their values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace sightglass::test {

// A reproducible stream of numbers.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  float uniform(float low, float high);
  int pick(int low, int high);  // both inclusive
  template <typename T>
  T of(std::initializer_list<T> choices) {
    return choices.begin()[pick(0, static_cast<int>(choices.size()) - 1)];
  }

 private:
  uint64_t next();
  uint64_t state_;
};

enum class Fill {
  kUniform,   // [-1, 1)
  kPositive,  // [0, 1)
  kDivisor,   // [0.5, 2)
  kWide,      // [-8, 8): saturates activations
  kZero,
  kLarge,   // ±1e4
  kTiny,    // around the smallest normal number, including subnormals
  kOneHot,  // a single 1
  kRamp,    // 0, 1, 2, … modulo 251
};
// Converts the values to elements of that type, like CaseBuilder::input().
HostTensor as_type(DataType type, const Shape& shape, const std::vector<float>& values);
std::vector<float> fill(Fill kind, int64_t count, Random& random);

// An 8- or 16-bit type with its scales (one, or one per index of `axis`) and zero point.
struct Quantized {
  DataType type = DataType::kInt8;
  std::vector<float> scale;
  int64_t zero_point = 0;
  int32_t axis = 0;
};

// One or a few operators, with input values.
struct OpCase {
  std::string name;
  Graph graph;
  std::vector<HostTensor> inputs;
};

// The same case, but its last node adds its residual after its activation.
OpCase with_residual_last(OpCase c);
// The same case, but its last node samples its residual.
OpCase with_residual_sampled(OpCase c, ResidualSampling sampling);

// Builds a case node by node; shapes are inferred.
class CaseBuilder {
 public:
  explicit CaseBuilder(uint64_t seed) : random_(seed) {}

  // Integers are the values of the fill, rounded down. Booleans are whether they are positive.
  ValueId input(const Shape& shape, Fill kind = Fill::kUniform, DataType type = DataType::kFloat32);
  ValueId constant(const Shape& shape, Fill kind = Fill::kUniform, DataType type = DataType::kFloat32);
  // The output has the natural type of the operator unless `type` is set.
  ValueId node(OpType op, Attributes attributes, std::vector<ValueId> inputs, Activation activation = Activation::kNone,
               std::optional<DataType> type = std::nullopt);

  // The same with quantized values: uniform over the range of the type.
  ValueId input(const Shape& shape, const Quantized& quantized);
  ValueId constant(const Shape& shape, const Quantized& quantized);
  // Biases: int32 up to ±1000, without their own scale.
  ValueId bias(int32_t channels);
  ValueId node(OpType op, Attributes attributes, std::vector<ValueId> inputs, const Quantized& output,
               Activation activation = Activation::kNone);
  // The same for an operator with several outputs, which all become graph outputs.
  std::vector<ValueId> node_with(OpType op, Attributes attributes, std::vector<ValueId> inputs, size_t outputs);
  // For quantized outputs, one per output.
  std::vector<ValueId> node_with(OpType op, Attributes attributes, std::vector<ValueId> inputs,
                                 const std::vector<Quantized>& outputs);
  const Graph& graph() const { return case_.graph; }
  // The outputs of the last node are the graph outputs.
  OpCase build(std::string name);

 private:
  HostTensor integers(const Shape& shape, DataType type);
  std::vector<ValueId> add(OpType op, Attributes attributes, std::vector<ValueId> inputs, size_t outputs,
                           Activation activation, std::optional<DataType> type);
  Random random_;
  OpCase case_;
};

}  // namespace sightglass::test
