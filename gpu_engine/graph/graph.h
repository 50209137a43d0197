// A model as a graph in static single assignment form: values (tensors), and nodes (operators) in execution order.
// No GL. Not thread-safe while it is changed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpu_engine/quoted.h"
#include "gpu_engine/status.h"
#include "gpu_engine/tensor.h"
#include "graph/op.h"

namespace sightglass {

using ValueId = int32_t;
using NodeId = int32_t;
inline constexpr int32_t kNone = -1;  // no value (an absent optional input), no node

// The contents of a constant. `type` is how it is stored, which may be narrower than its value's type: a float32 value
// whose constant is stored as float16 is what DEQUANTIZE of a float16 constant folds to.
struct Constant {
  DataType type = DataType::kFloat32;
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;  // keeps `bytes` alive: the mapped file, or a buffer of our own
};

struct Value {
  std::string name;
  DataType type = DataType::kFloat32;
  Shape shape;
  Quantization quantization;
  std::optional<Constant> constant;
  NodeId producer = kNone;    // kNone for graph inputs and constants
  std::vector<NodeId> users;  // once per use, so a node that reads a value twice is listed twice
};

struct Node {
  OpType op = OpType::kReshape;
  Attributes attributes;
  std::vector<ValueId> inputs;  // kNone where an optional input is absent
  std::vector<ValueId> outputs;
  Activation activation = Activation::kNone;
  std::string origin;  // for people: "CONV_2D #12", the operator in the file that it came from
  bool removed = false;
};

// Of a CONV_2D: what it adds to its sums, and what it multiplies the channels of its data with. No file has such nodes;
// fuse-residual and fuse-gate make them. A DEPTHWISE_POINTWISE, which fuse-depthwise makes, may add something as well.
inline constexpr size_t kResidualInput = 4, kGateInput = 5, kDepthwiseWeights = 5, kDepthwiseBias = 6;
// The shape of what both may have: a number for each channel of a tensor of four dimensions.
inline Shape one_pixel(const Shape& shape) { return {shape.dim(0), 1, 1, shape.dim(3)}; }
inline ValueId residual_of(const Node& node) {
  const bool may_add = node.op == OpType::kConv2d || node.op == OpType::kDepthwisePointwise;
  return may_add && node.inputs.size() > kResidualInput ? node.inputs[kResidualInput] : kNone;
}
inline ValueId gate_of(const Node& node) {
  return node.op == OpType::kConv2d && node.inputs.size() > kGateInput ? node.inputs[kGateInput] : kNone;
}

// A tensor that keeps its contents from run to run: each run reads `input`, and the next one finds there what `output`
// was. Both have one type, shape and quantisation. Nothing computes `input`.
struct State {
  ValueId input = kNone, output = kNone;
  std::optional<Constant> initial;  // what the first run reads; zeros (as real numbers) when absent
};

class Graph {
 public:
  ValueId add_value(Value value);  // `producer` and `users` are the graph's business and are reset
  // A float32 constant from host numbers.
  ValueId add_constant(std::string name, const Shape& shape, std::span<const float> values);
  // Appends at the end of the execution order, or puts it right before `before`. Sets producers and users.
  NodeId add_node(Node node, NodeId before = kNone);

  // Takes the node out; its outputs lose their producer and must have no users left that matter to the caller.
  void remove_node(NodeId id);
  // Every use of `from`, graph outputs and states included, reads `to` instead.
  void replace_uses(ValueId from, ValueId to);
  void set_input(NodeId node, size_t index, ValueId value);
  void append_input(NodeId node, ValueId value);
  // `node` writes `value` as its output `index`; the value that it wrote before loses its producer.
  void set_output(NodeId node, size_t index, ValueId value);
  // Removes nodes whose outputs nobody reads. Returns how many.
  int remove_dead_nodes();

  Value& value(ValueId id) { return values_[static_cast<size_t>(id)]; }
  const Value& value(ValueId id) const { return values_[static_cast<size_t>(id)]; }
  Node& node(NodeId id) { return nodes_[static_cast<size_t>(id)]; }
  const Node& node(NodeId id) const { return nodes_[static_cast<size_t>(id)]; }
  size_t value_count() const { return values_.size(); }
  size_t node_count() const { return nodes_.size(); }          // removed ones included: ids stay valid
  const std::vector<NodeId>& order() const { return order_; }  // live nodes, in execution order

  bool is_constant(ValueId id) const { return id != kNone && value(id).constant.has_value(); }
  bool is_input(ValueId id) const;   // of the graph, or what a state holds: there before any node runs
  bool is_output(ValueId id) const;  // of the graph, or what becomes of a state: wanted after the last node
  // The constant as floats, whatever its storage (float16 and float32; integers are converted, not dequantised).
  std::vector<float> floats(ValueId id) const;

  std::vector<ValueId> inputs, outputs;
  std::vector<State> states;
  std::string name;  // of the model, for messages and dumps

 private:
  std::vector<Value> values_;
  std::vector<Node> nodes_;
  std::vector<NodeId> order_;
};

// "CONV_2D #12 (output 'conv/relu')": how messages name a node.
std::string describe(const Graph& graph, NodeId id);

// Computes the shapes of the node's outputs from those of its inputs, and the padding numbers of SAME and VALID. Fails,
// naming operator and tensor, on inputs that the operator cannot take. `shapes` has one entry per output.
Result<std::vector<Shape>> infer_shapes(const Graph& graph, Node& node);

// Checks every invariant: ids in range, producers and users consistent, order topological, types and shapes as
// inferred.
Status verify(const Graph& graph);

std::string dump_text(const Graph& graph);      // one line a node; stable across runs
std::string dump_graphviz(const Graph& graph);  // for dot(1)

}  // namespace sightglass
