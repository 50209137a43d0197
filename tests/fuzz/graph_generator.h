// Random graphs, valid by construction, for comparing the GPU with the reference.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "ops/op_case.h"

namespace sightglass::test {

struct FuzzCase {
  OpCase op;
  std::vector<bool> exact;  // per value: whether the GPU must match the reference to the last bit
};

// Same seed, same case.
FuzzCase generate_graph(uint64_t seed);

// Operators that the engine has a kernel for.
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

  // Returns an operand: usually an existing value, otherwise a new input. `rank` -1 means any.
  ValueId floats(int rank = -1);
  ValueId real(int rank = -1);  // float32 or quantized
  ValueId any(int rank = -1);   // of any type
  // An operand for rounding functions: a difference in the last bit would change their result by a whole step.
  ValueId exact_floats(int rank = -1);
  ValueId exact(int rank = -1);  // the same of any type
  ValueId of_type(DataType type, int rank = -1);
  // A second operand for an operator whose operands have one type: of that shape, with its own quantization.
  // `exact`: not a result of inexact arithmetic.
  ValueId beside(ValueId other, Shape shape, bool exact = false);

  Shape random_shape(int rank);
  Quantized random_quantization(DataType type);
  // The quantization of a quantized value.
  Quantized quantization_of(ValueId id) const;
  Activation clamp();
  Activation activation(ValueId data, bool has_slopes = false);  // any for floats, usually a clamping one for others

  // Adds a node. `exact`: its kernel matches the reference exactly on equal inputs. Results of quantized data are
  // quantized according to `result`, or like the data.
  ValueId add(OpType op, const Attributes& attributes, const std::vector<ValueId>& inputs, bool exact,
              Activation activation = Activation::kNone, const Quantized* result = nullptr);
  // The same, with a result of that type, or of the natural type of the operator.
  ValueId add_as(OpType op, const Attributes& attributes, const std::vector<ValueId>& inputs, bool exact,
                 std::optional<DataType> type = std::nullopt);
  std::vector<ValueId> add_outputs(OpType op, const Attributes& attributes, const std::vector<ValueId>& inputs,
                                   size_t outputs);
  // Ensures that no other node reads the value.
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
  std::vector<ValueId> values_;  // values that nodes may read
  std::vector<bool> exact_;      // by value
};

// How to add one operator with random attributes.
struct Recipe {
  OpType op;
  void (*add)(GraphGenerator& g, OpType op);
};
std::span<const Recipe> spatial_recipes();      // with images and weights
std::span<const Recipe> elementwise_recipes();  // on single values
std::span<const Recipe> number_recipes();       // with a domain, a decision, or a reduction
std::span<const Recipe> movement_recipes();     // that move elements
std::span<const Recipe> layout_recipes();       // that arrange, join, and sum
std::span<const Recipe> block_recipes();        // groups of operators that rewrites match

}  // namespace sightglass::test
