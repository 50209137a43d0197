#include "fuzz/graph_generator.h"

#include <algorithm>
#include <cmath>

#include "graph/quantized.h"
#include "ops/ops.h"

namespace sightglass::test {

namespace {

constexpr int kMostNodes = 6;
constexpr int64_t kMostElements = 12'000;  // of a value that a node may read

std::vector<Recipe> all_recipes() {
  std::vector<Recipe> recipes;
  for (const std::span<const Recipe> family : {spatial_recipes(), elementwise_recipes(), number_recipes(),
                                               movement_recipes(), layout_recipes(), block_recipes()}) {
    std::ranges::copy(family, std::back_inserter(recipes));
  }
  return recipes;
}

}  // namespace

FuzzCase generate_graph(uint64_t seed) { return GraphGenerator(seed).generate(); }

std::vector<OpType> operators_without_recipe() {
  std::vector<OpType> missing;
  const std::vector<Recipe> recipes = all_recipes();
  for (const Kernel& kernel : all_kernels()) {
    const bool known = std::ranges::any_of(recipes, [&](const Recipe& recipe) { return recipe.op == kernel.op; });
    if (!known && std::ranges::find(missing, kernel.op) == missing.end()) missing.push_back(kernel.op);
  }
  return missing;
}

FuzzCase GraphGenerator::generate() {
  static const std::vector<Recipe> recipes = all_recipes();
  for (int nodes = random.pick(1, kMostNodes); nodes > 0; --nodes) {
    const Recipe& recipe = recipes[static_cast<size_t>(random.pick(0, static_cast<int>(recipes.size()) - 1))];
    recipe.add(*this, recipe.op);
  }
  FuzzCase result{builder_.build("random graph"), exact_};
  Graph& graph = result.op.graph;
  graph.outputs.clear();
  for (const NodeId id : graph.order()) {
    for (const ValueId output : graph.node(id).outputs) {
      // Including some values that other nodes also read.
      if (graph.value(output).users.empty() || chance(10)) graph.outputs.push_back(output);
    }
  }
  std::erase_if(graph.outputs, [&](ValueId id) { return std::ranges::find(values_, id) == values_.end(); });
  return result;
}

ValueId GraphGenerator::offer(ValueId id, bool exact) {
  exact_.resize(std::max(exact_.size(), static_cast<size_t>(id) + 1), true);
  exact_[static_cast<size_t>(id)] = exact;
  values_.push_back(id);
  return id;
}

void GraphGenerator::withdraw(ValueId id) { std::erase(values_, id); }

ValueId GraphGenerator::take(int rank, const Fits& fits, const std::function<ValueId()>& otherwise) {
  std::vector<ValueId> candidates;
  for (const ValueId id : values_) {
    const bool right_rank = rank < 0 || shape(id).rank() == rank;
    if (right_rank && shape(id).elements() <= kMostElements && fits(id)) candidates.push_back(id);
  }
  if (candidates.empty() || chance(15)) return otherwise();
  // Late values are more frequent than early ones, which makes chains.
  const int last = static_cast<int>(candidates.size()) - 1;
  return candidates[static_cast<size_t>(std::max(random.pick(0, last), random.pick(0, last)))];
}

ValueId GraphGenerator::floats(int rank) {
  return take(
      rank, [this](ValueId id) { return is_float(id); }, [this, rank] { return new_floats(rank); });
}

ValueId GraphGenerator::exact_floats(int rank) {
  return take(
      rank, [this](ValueId id) { return is_float(id) && is_exact(id); }, [this, rank] { return new_floats(rank); });
}

ValueId GraphGenerator::real(int rank) {
  return take(
      rank, [this](ValueId id) { return is_float(id) || is_quantized(value(id)); },
      [this, rank] { return chance(65) ? new_floats(rank) : new_quantized(rank); });
}

ValueId GraphGenerator::any(int rank) {
  return take(
      rank, [](ValueId) { return true; },
      [this, rank] {
        if (chance(40)) return new_integers(rank);
        return chance(60) ? new_floats(rank) : new_quantized(rank);
      });
}

ValueId GraphGenerator::exact(int rank) {
  return take(
      rank, [this](ValueId id) { return is_exact(id); },
      [this, rank] {
        if (chance(30)) return new_integers(rank);
        return chance(70) ? new_floats(rank) : new_quantized(rank);
      });
}

ValueId GraphGenerator::of_type(DataType type, int rank) {
  return take(
      rank, [this, type](ValueId id) { return value(id).type == type && !is_quantized(value(id)); },
      [this, type, rank] { return offer(builder_.input(random_shape(rank), Fill::kWide, type), true); });
}

ValueId GraphGenerator::new_floats(int rank) {
  static constexpr Fill kFills[] = {Fill::kPositive, Fill::kZero,   Fill::kLarge,
                                    Fill::kTiny,     Fill::kOneHot, Fill::kRamp};
  const Fill fill = chance(60)   ? Fill::kUniform
                    : chance(60) ? Fill::kWide
                                 : kFills[random.pick(0, static_cast<int>(std::size(kFills)) - 1)];
  return offer(builder_.input(random_shape(rank), fill), true);
}

ValueId GraphGenerator::new_quantized(int rank) {
  const DataType type = chance(10) ? DataType::kInt16 : chance(50) ? DataType::kInt8 : DataType::kUInt8;
  return offer(builder_.input(random_shape(rank), random_quantization(type)), true);
}

ValueId GraphGenerator::new_integers(int rank) {
  const DataType type = random.of({DataType::kInt32, DataType::kInt32, DataType::kInt64, DataType::kBool,
                                   DataType::kInt8, DataType::kUInt8, DataType::kInt16});
  return offer(builder_.input(random_shape(rank), random.of({Fill::kWide, Fill::kRamp}), type), true);
}

ValueId GraphGenerator::beside(ValueId other, Shape shape, bool exact) {
  const Value& first = value(other);
  const bool constant = chance(35);
  if (is_quantized(first)) {
    const Quantized quantized = chance(50) ? quantization_of(other) : random_quantization(first.type);
    return constant ? builder_.constant(shape, quantized) : offer(builder_.input(shape, quantized), true);
  }
  if (!constant && first.quantization.empty()) {
    for (const ValueId id : values_) {
      if (exact && !is_exact(id)) continue;
      if (value(id).type == first.type && value(id).shape == shape && chance(50)) return id;
    }
  }
  const Fill fill = chance(70) ? Fill::kUniform : Fill::kWide;
  return constant ? builder_.constant(shape, fill, first.type) : offer(builder_.input(shape, fill, first.type), true);
}

Shape GraphGenerator::random_shape(int rank) {
  if (rank < 0) rank = chance(60) ? 4 : random.pick(0, 5);
  const int32_t channels = random.of({1, 2, 3, 4, 5, 8, 9, 12, 13, 16, 17});
  Shape shape;
  std::vector<int32_t> dims;
  for (int d = 0; d < rank; ++d) {
    const int from_last = rank - 1 - d;
    const bool large = chance(5);
    dims.push_back(from_last == 0  ? channels
                   : from_last > 2 ? random.of({1, 1, 2, 3})
                   : large         ? random.pick(17, 36)
                                   : random.pick(1, 9));
  }
  return Shape(dims);
}

Quantized GraphGenerator::random_quantization(DataType type) {
  const float scale = std::pow(10.0f, random.uniform(-2.5f, -0.3f));
  if (type == DataType::kInt16) return {type, {scale / 100}, 0};
  const int lowest = type == DataType::kInt8 ? -128 : 0;
  const int64_t zero = chance(20) ? lowest : chance(20) ? 0 : random.pick(lowest, lowest + 255);
  return {type, {scale}, zero};
}

Quantized GraphGenerator::quantization_of(ValueId id) const {
  const Value& v = value(id);
  return {v.type, v.quantization.scale, zero_point(v), v.quantization.axis};
}

Activation GraphGenerator::clamp() {
  return random.of(
      {Activation::kNone, Activation::kNone, Activation::kRelu, Activation::kRelu6, Activation::kReluN1To1});
}

Activation GraphGenerator::activation(ValueId data, bool has_slopes) {
  if (!is_float(data) || chance(60)) return clamp();
  if (has_slopes && chance(30)) return Activation::kPrelu;
  return random.of(
      {Activation::kTanh, Activation::kLogistic, Activation::kHardSwish, Activation::kHardSigmoid, Activation::kSwish});
}

bool GraphGenerator::are_exact(const std::vector<ValueId>& inputs) const {
  return std::ranges::all_of(inputs, [this](ValueId input) {
    const bool known = input != kNone && static_cast<size_t>(input) < exact_.size();
    return !known || is_exact(input);
  });
}

ValueId GraphGenerator::add(OpType op, const Attributes& attributes, const std::vector<ValueId>& inputs, bool exact,
                            Activation activation, const Quantized* result) {
  exact = exact && are_exact(inputs);
  if (result != nullptr) return offer(builder_.node(op, attributes, inputs, *result, activation), exact);
  if (is_quantized(value(inputs[0])) && op != OpType::kDequantize) {
    return offer(builder_.node(op, attributes, inputs, quantization_of(inputs[0]), activation), exact);
  }
  return offer(builder_.node(op, attributes, inputs, activation), exact);
}

ValueId GraphGenerator::add_as(OpType op, const Attributes& attributes, const std::vector<ValueId>& inputs, bool exact,
                               std::optional<DataType> type) {
  return offer(builder_.node(op, attributes, inputs, Activation::kNone, type), exact && are_exact(inputs));
}

std::vector<ValueId> GraphGenerator::add_outputs(OpType op, const Attributes& attributes,
                                                 const std::vector<ValueId>& inputs, size_t outputs) {
  std::vector<ValueId> ids = builder_.node_with(op, attributes, inputs, outputs);
  for (const ValueId id : ids) offer(id, false);
  return ids;
}

}  // namespace sightglass::test
