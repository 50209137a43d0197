// Shape inference by operator family; graph/operator_table.h assigns the functions.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "graph/graph.h"

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
  Result<int64_t> window(const char* axis, int64_t in, int64_t filter, int64_t stride, int64_t dilation,
                         PaddingMode mode, int32_t& before, int32_t& after) const;
  Result<Shape> broadcast(size_t a, size_t b) const;
  Result<Shape> broadcast(const Shape& a, const Shape& b, const std::string& inputs) const;

 private:
  const Graph& graph_;
  Node& node_;
};

// window_shapes.cpp
Result<Shape> infer_conv2d(const NodeShapes& n);
Result<Shape> infer_depthwise_conv2d(const NodeShapes& n);
Result<Shape> infer_depthwise_pointwise(const NodeShapes& n);
Result<Shape> infer_transpose_conv(const NodeShapes& n);
Result<Shape> infer_fully_connected(const NodeShapes& n);
Result<Shape> infer_batch_matmul(const NodeShapes& n);
Result<Shape> infer_pool2d(const NodeShapes& n);  // also for either output of a pool with positions
Result<Shape> infer_max_unpool(const NodeShapes& n);

// custom_shapes.cpp
Result<Shape> infer_landmarks_to_matrix(const NodeShapes& n);
Result<Shape> infer_transform_landmarks(const NodeShapes& n);
Result<Shape> infer_transform_image(const NodeShapes& n);

// elementwise_shapes.cpp
Result<Shape> infer_reduction(const NodeShapes& n);
Result<Shape> infer_arg_extreme(const NodeShapes& n);
Result<Shape> infer_top_k(const NodeShapes& n);  // for either output
Result<Shape> infer_select(const NodeShapes& n);
Result<Shape> infer_broadcast_to(const NodeShapes& n);
Result<Shape> infer_add_n(const NodeShapes& n);
Result<Shape> infer_unary(const NodeShapes& n);
Result<Shape> infer_binary(const NodeShapes& n);
Result<Shape> infer_softmax(const NodeShapes& n);  // also for other functions of rows along the last dimension
Result<Shape> infer_dynamic_quantize(const NodeShapes& n);

// movement_shapes.cpp
Result<Shape> infer_concat(const NodeShapes& n);
Result<Shape> infer_pad(const NodeShapes& n);
Result<Shape> infer_reshape(const NodeShapes& n);
Result<Shape> infer_strided_slice(const NodeShapes& n);
Result<Shape> infer_resize(const NodeShapes& n);
Result<Shape> infer_depth_to_space(const NodeShapes& n);

// movement_shapes.cpp
Result<Shape> infer_transpose(const NodeShapes& n);
Result<std::vector<Shape>> infer_split(const NodeShapes& n);
Result<Shape> infer_pack(const NodeShapes& n);
Result<Shape> infer_tile(const NodeShapes& n);
Result<Shape> infer_mirror_pad(const NodeShapes& n);
Result<Shape> infer_space_to_depth(const NodeShapes& n);
Result<Shape> infer_space_to_batch(const NodeShapes& n);
Result<Shape> infer_batch_to_space(const NodeShapes& n);
Result<Shape> infer_gather(const NodeShapes& n);
Result<Shape> infer_gather_nd(const NodeShapes& n);

Result<std::vector<Shape>> infer_lstm(const NodeShapes& n);             // recurrent_shapes.cpp
Result<std::vector<Shape>> infer_detection(const NodeShapes& n);        // custom_shapes.cpp
Result<std::vector<Shape>> infer_posenet_decoder(const NodeShapes& n);  // custom_shapes.cpp

}  // namespace sightglass
