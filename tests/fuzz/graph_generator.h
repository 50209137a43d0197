// Random graphs that are valid by construction, to compare the GPU with the reference on.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "ops/op_case.h"

namespace sightglass::test {

struct FuzzCase {
  OpCase op;
  std::vector<bool> exact;  // by value: whether the GPU must give the reference's numbers to the last bit
};

// Same seed, same case.
FuzzCase generate_graph(uint64_t seed);

// Of those that the engine has a kernel for.
std::vector<OpType> operators_without_recipe();

// A graph that grows. Recipes take operands from it and add nodes.
class GraphGenerator {
 public:
  explicit GraphGenerator(uint64_t seed) : random(seed), builder_(seed ^ 0x5eed) {}

  FuzzCase generate();

  const Value& value(ValueId id) const { return builder_.graph().value(id); }
  // Until the next value is added.
  const Shape& shape(ValueId id) const { return value(id).shape; }
  bool is_float(ValueId id) const { return value(id).type == DataType::kFloat32; }
  bool is_exact(ValueId id) const { return exact_[static_cast<size_t>(id)]; }
  bool chance(int percent) { return random.pick(1, 100) <= percent; }

  // An operand: mostly a value that is there, else a new input. `rank` -1 stands for any.
  ValueId floats(int rank = -1);
  ValueId real(int rank = -1);  // float32 or quantized
  ValueId any(int rank = -1);   // of any type
  // What a rounding function may read: a last bit that differs would move its result by a whole step.
  ValueId exact_floats(int rank = -1);
  ValueId exact(int rank = -1);  // the same of any type
  ValueId of_type(DataType type, int rank = -1);
  // Another operand for an operator that takes operands of one type: of that shape, with a quantization of its own.
  // `exact`: no result of inexact arithmetic.
  ValueId beside(ValueId other, Shape shape, bool exact = false);

  Shape random_shape(int rank);
  Quantized random_quantization(DataType type);
  // The quantization of a quantized value.
  Quantized quantization_of(ValueId id) const;
  Activation clamp();
  Activation activation(ValueId data, bool has_slopes = false);  // any for floats, mostly one that clamps for others

  // Adds a node. `exact`: its kernel gives the reference's numbers when both read the same. What it makes of quantized
  // data is quantized as `result` says, or like the data.
  ValueId add(OpType op, const Attributes& attributes, const std::vector<ValueId>& inputs, bool exact,
              Activation activation = Activation::kNone, const Quantized* result = nullptr);
  // Likewise, with a result of that type, or of the operator's natural one.
  ValueId add_as(OpType op, const Attributes& attributes, const std::vector<ValueId>& inputs, bool exact,
                 std::optional<DataType> type = std::nullopt);
  std::vector<ValueId> add_outputs(OpType op, const Attributes& attributes, const std::vector<ValueId>& inputs,
                                   size_t outputs);
  // No other node reads the value.
  void withdraw(ValueId id);

  CaseBuilder& builder() { return builder_; }
  Random random;

 private:
  using Fits = std::function<bool(ValueId)>;
  ValueId take(int rank, const Fits& fits, const std::function<ValueId()>& otherwise);
  ValueId new_floats(int rank);
  ValueId new_quantized(int rank);
  ValueId new_integers(int rank);
  ValueId offer(ValueId id, bool exact);
  bool are_exact(const std::vector<ValueId>& inputs) const;

  CaseBuilder builder_;
  std::vector<ValueId> values_;  // what nodes may read
  std::vector<bool> exact_;      // by value
};

// How to add one operator with random attributes.
struct Recipe {
  OpType op;
  void (*add)(GraphGenerator& g, OpType op);
};
std::span<const Recipe> spatial_recipes();      // of pictures and weights
std::span<const Recipe> elementwise_recipes();  // of single numbers
std::span<const Recipe> number_recipes();       // that have a domain, decide, or reduce
std::span<const Recipe> movement_recipes();     // that take elements to other places
std::span<const Recipe> layout_recipes();       // that lay out, join and sum up
std::span<const Recipe> block_recipes();        // groups of operators that rewrites look for

}  // namespace sightglass::test
