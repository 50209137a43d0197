// A model as a graph in static single assignment form: values (tensors), and nodes (operators) in execution order. No
// GL. Not thread-safe while it changes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpu_engine/quoted.h"
#include "graph/op.h"
#include "sightglass/status.h"
#include "sightglass/tensor.h"

namespace sightglass {

using ValueId = int32_t;
using NodeId = int32_t;
inline constexpr int32_t kNone = -1;  // no value (an absent optional input), no node

// Contents of a constant. `type` is the storage type, which may be narrower than the value type: DEQUANTIZE of a
// float16 constant folds to a float32 value stored as float16.
struct Constant {
  DataType type = DataType::kFloat32;
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;  // keeps `bytes` alive: the mapped file or a private buffer
};

struct Value {
  std::string name;
  DataType type = DataType::kFloat32;
  Shape shape;
  Quantization quantization;
  std::optional<Constant> constant;
  uint32_t open_dims = 0;     // of graph inputs: TensorInfo
  NodeId producer = kNone;    // kNone for graph inputs and constants
  std::vector<NodeId> users;  // once per use: a node that reads a value twice is listed twice
};

// What becomes of a residual of another height and width while it is loaded.
enum class ResidualSampling : uint8_t {
  kNone,     // it has those of the output
  kPooled,   // the maximum of 2×2 pixels, as MAX_POOL_2D with strides of 2 and without padding in front
  kResized,  // interpolated, as RESIZE_BILINEAR with half-pixel centers to at least as many rows and columns
};

struct Node {
  OpType op = OpType::kReshape;
  Attributes attributes;
  std::vector<ValueId> inputs;  // kNone for absent optional inputs
  std::vector<ValueId> outputs;
  Activation activation = Activation::kNone;
  bool residual_last = false;  // the residual (kResidualInput) is added after the activation
  ResidualSampling residual_sampling = ResidualSampling::kNone;
  // Of a convolution in integers that does more with its sums than to round them: the type and the quantization of the
  // rounded sums; the results of all of their integers, from the lowest, or none; and the type and the quantization of
  // what is then added to the residual.
  std::optional<Value> rounded;
  std::vector<int32_t> table;
  std::optional<Value> summand;
  std::string origin;  // for people: "CONV_2D #12", the original operator in the file
  bool removed = false;
};

// Optional inputs of a CONV_2D: the tensor added to its sums (also of a DEPTHWISE_CONV_2D), the factors for the
// channels of its data, and the tensor then added to its data. Files have no such nodes; fuse-residual, fuse-gate and
// fuse-addend make them. Nodes of two convolutions, which fuse-depthwise and fuse-excitation make, have the weights of
// the first one as further inputs. A DEPTHWISE_POINTWISE may have a residual and an addend for the data of the second
// one, a SQUEEZE_EXCITE an addend.
inline constexpr size_t kResidualInput = 4, kGateInput = 5, kAddendInput = 6;
inline constexpr size_t kDepthwiseWeights = 7, kDepthwiseBias = 8, kSqueezeWeights = 7, kSqueezeBias = 8;
// The addend of a MEAN.
inline constexpr size_t kMeanAddend = 1;
// The shape that both may have: one value per channel of a four-dimensional tensor.
inline Shape one_pixel(const Shape& shape) { return {shape.dim(0), 1, 1, shape.dim(3)}; }
// A residual may also have the shape of the output, or only its first channels: the others get nothing added.
inline bool is_of_first_channels(const Shape& residual, const Shape& out) {
  Shape first = out;
  if (residual.rank() == 4 && residual.dim(3) < out.dim(3)) first.set_dim(3, residual.dim(3));
  return residual == first;
}
// The same for one that is sampled: if it is large enough, and not larger.
inline bool is_sampled_for(ResidualSampling sampling, const Shape& residual, const Shape& out) {
  if (sampling == ResidualSampling::kNone || residual.rank() != 4) return false;
  const bool resized = sampling == ResidualSampling::kResized;
  const auto suits = [resized](int32_t from, int32_t to) {
    return resized ? from <= to : from / 2 == to || (from + 1) / 2 == to;
  };
  return residual.dim(0) == out.dim(0) && residual.dim(3) <= out.dim(3) && suits(residual.dim(1), out.dim(1)) &&
         suits(residual.dim(2), out.dim(2));
}
inline ValueId residual_of(const Node& node) {
  const bool may_add =
      node.op == OpType::kConv2d || node.op == OpType::kDepthwiseConv2d || node.op == OpType::kDepthwisePointwise;
  return may_add && node.inputs.size() > kResidualInput ? node.inputs[kResidualInput] : kNone;
}
inline ValueId gate_of(const Node& node) {
  return node.op == OpType::kConv2d && node.inputs.size() > kGateInput ? node.inputs[kGateInput] : kNone;
}
inline ValueId addend_of(const Node& node) {
  const bool may_add = node.op == OpType::kConv2d || node.op == OpType::kDepthwisePointwise ||
                       node.op == OpType::kSqueezeExcite || node.op == OpType::kMean;
  const size_t input = node.op == OpType::kMean ? kMeanAddend : kAddendInput;
  return may_add && node.inputs.size() > input ? node.inputs[input] : kNone;
}
// Whether the node reads computed tensors besides its data.
inline bool has_more_operands(const Node& node) {
  return residual_of(node) != kNone || gate_of(node) != kNone || addend_of(node) != kNone;
}

// A tensor that keeps its contents from run to run: each run reads `input`, which contains the `output` of the previous
// run. Both have the same type, shape and quantization. No node computes `input`.
struct State {
  ValueId input = kNone, output = kNone;
  std::optional<Constant> initial;  // contents for the first run; zeros (as real numbers) if absent
};

class Graph {
 public:
  ValueId add_value(Value value);  // the graph resets and maintains `producer` and `users`
  // Adds a float32 constant from host values.
  ValueId add_constant(std::string name, const Shape& shape, std::span<const float> values);
  // Adds the node at the end of the execution order, or right before `before`. Sets producers and users.
  NodeId add_node(Node node, NodeId before = kNone);

  // Removes the node. Its outputs lose their producer and must have no users that matter to the caller.
  void remove_node(NodeId id);
  // Makes every use of `from`, including graph outputs and states, read `to` instead.
  void replace_uses(ValueId from, ValueId to);
  void set_input(NodeId node, size_t index, ValueId value);
  void append_input(NodeId node, ValueId value);
  // Makes `node` write `value` as its output `index`. The previously written value loses its producer.
  void set_output(NodeId node, size_t index, ValueId value);
  // Removes nodes whose outputs have no readers. Returns their number.
  int remove_dead_nodes();

  Value& value(ValueId id) { return values_[static_cast<size_t>(id)]; }
  const Value& value(ValueId id) const { return values_[static_cast<size_t>(id)]; }
  Node& node(NodeId id) { return nodes_[static_cast<size_t>(id)]; }
  const Node& node(NodeId id) const { return nodes_[static_cast<size_t>(id)]; }
  size_t value_count() const { return values_.size(); }
  size_t node_count() const { return nodes_.size(); }          // including removed ones: IDs stay valid
  const std::vector<NodeId>& order() const { return order_; }  // live nodes, in execution order

  bool is_constant(ValueId id) const { return id != kNone && value(id).constant.has_value(); }
  bool is_output(ValueId id) const;  // of the graph, or the next contents of a state: needed after the last node
  // The constant as floats, from any storage (float16 and float32; integers are converted, not dequantized).
  std::vector<float> floats(ValueId id) const;

  std::vector<ValueId> inputs, outputs;
  std::vector<State> states;
  std::string name;  // model name, for messages and dumps

 private:
  std::vector<Value> values_;
  std::vector<Node> nodes_;
  std::vector<NodeId> order_;
};

// "CONV_2D #12 (output 'conv/relu')": the name of a node in messages.
std::string describe(const Graph& graph, NodeId id);

// Computes the output shapes of the node from its input shapes, and the padding values for SAME and VALID. Fails,
// naming operator and tensor, on invalid inputs. The result has one entry per output.
Result<std::vector<Shape>> infer_shapes(const Graph& graph, Node& node);

// Checks all invariants: IDs in range, producers and users consistent, order topological, types and shapes as inferred.
Status verify(const Graph& graph);

std::string dump_text(const Graph& graph);      // one line per node; stable across runs
std::string dump_graphviz(const Graph& graph);  // for dot(1)

}  // namespace sightglass
