// Shape inference by operator family; graph/operators.h assigns the functions.
#pragma once

#include <array>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "graph/graph.h"
#include "graph/operator_table.h"

namespace sightglass {

// The inputs of one node, and error messages about them.
class NodeShapes {
 public:
  static constexpr int64_t kMaxElements = std::numeric_limits<int32_t>::max();

  NodeShapes(const Graph& graph, Node& node) : graph_(graph), node_(node) {}

  const Graph& graph() const { return graph_; }
  const Node& node() const { return node_; }
  template <typename Attr>
  Attr& attributes() const {
    return std::get<Attr>(node_.attributes);
  }
  bool has(size_t input) const { return input < node_.inputs.size() && node_.inputs[input] != kNone; }
  const Shape& shape(size_t input) const { return graph_.value(node_.inputs[input]).shape; }

  std::string subject() const;
  Status wrong(const std::string& what) const;
  Status wrong_input(size_t input, const std::string& what) const;

  Status need_inputs(size_t least, size_t most) const;
  Status need_rank(size_t input, int rank) const;
  Status need_bias_and_slope(int32_t channels) const;
  // A shape of at most kMaxElements.
  Result<Shape> make(std::span<const int64_t> dims) const;
  // Rows and columns of the output of a window that slides over `in` rows and columns. Sets the padding for SAME and
  // VALID.
  struct Window {
    std::array<int64_t, 2> filter, stride, dilation{1, 1};
  };
  Result<std::array<int64_t, 2>> slide(const Window& window, const std::array<int64_t, 2>& in,
                                       Padding2d& padding) const;
  Result<Shape> broadcast(size_t a, size_t b) const;
  Result<Shape> broadcast(const Shape& a, const Shape& b, const std::string& inputs) const;

 private:
  const Graph& graph_;
  Node& node_;
};

// The shape functions of graph/operators.h.
template <OpType op>
using ShapeFunction =
    std::conditional_t<operators::has(op, operators::kSeveralOutputs), Result<std::vector<Shape>>(const NodeShapes&),
                       Result<Shape>(const NodeShapes&)>;
#define OPERATOR(op, name, attributes, shapes, ...) ShapeFunction<OpType::op> infer_##shapes;
#include "graph/operators.h"

}  // namespace sightglass
