#include "graph/graph.h"
#include "graph/shapes/node_shapes.h"
#include "graph/shapes/special_shapes.h"

namespace sightglass {

namespace {

Result<Shape> infer_one(const NodeShapes& n) {
  if (is_unary(n.node().op)) return infer_unary(n);
  if (is_reduction(n.node().op)) return infer_reduction(n);
  if (is_binary(n.node().op)) {
    SG_RETURN_IF_ERROR(n.need_inputs(2, 2));
    return n.broadcast(0, 1);
  }
  switch (n.node().op) {
    case OpType::kConv2d:
      return infer_conv2d(n);
    case OpType::kDepthwiseConv2d:
      return infer_depthwise_conv2d(n);
    case OpType::kDepthwisePointwise:
      return infer_depthwise_pointwise(n);
    case OpType::kTransposeConv:
      return infer_transpose_conv(n);
    case OpType::kFullyConnected:
      return infer_fully_connected(n);
    case OpType::kBatchMatmul:
      return infer_batch_matmul(n);
    case OpType::kAveragePool2d:
    case OpType::kMaxPool2d:
      return infer_pool2d(n);
    case OpType::kMaxUnpool:
      return infer_max_unpool(n);
    case OpType::kLandmarksToMatrix:
      return infer_landmarks_to_matrix(n);
    case OpType::kTransformLandmarks:
      return infer_transform_landmarks(n);
    case OpType::kTransformImage:
      return infer_transform_image(n);
    case OpType::kDequantize:
    case OpType::kQuantize:
      return infer_unary(n);
    case OpType::kDynamicQuantize:
      return infer_dynamic_quantize(n);
    case OpType::kArgMax:
    case OpType::kArgMin:
      return infer_arg_extreme(n);
    case OpType::kSoftmax:
    case OpType::kLogSoftmax:
    case OpType::kL2Normalization:
      return infer_unary(n, 1);
    case OpType::kConcat:
      return infer_concat(n);
    case OpType::kPad:
      return infer_pad(n);
    case OpType::kReshape:
      return infer_reshape(n);
    case OpType::kStridedSlice:
      return infer_strided_slice(n);
    case OpType::kResizeBilinear:
      return infer_resize(n);
    case OpType::kDepthToSpace:
      return infer_depth_to_space(n);
    case OpType::kSelect:
      return infer_select(n);
    case OpType::kBroadcastTo:
      return infer_broadcast_to(n);
    case OpType::kAddN:
      return infer_add_n(n);
    case OpType::kTranspose:
      return infer_transpose(n);
    case OpType::kPack:
      return infer_pack(n);
    case OpType::kTile:
      return infer_tile(n);
    case OpType::kMirrorPad:
      return infer_mirror_pad(n);
    case OpType::kSpaceToDepth:
      return infer_space_to_depth(n);
    case OpType::kSpaceToBatch:
      return infer_space_to_batch(n);
    case OpType::kBatchToSpace:
      return infer_batch_to_space(n);
    case OpType::kResizeNearest:
      return infer_resize(n);
    case OpType::kGather:
      return infer_gather(n);
    case OpType::kGatherNd:
      return infer_gather_nd(n);
    default:  // those of several outputs
      break;
  }
  return n.wrong("its operator is unknown");
}

}  // namespace

Result<std::vector<Shape>> infer_shapes(const Graph& graph, Node& node) {
  const std::string op = node.origin.empty() ? std::string(to_string(node.op)) : node.origin;
  if (!fits(node.op, node.attributes)) {
    return internal_error(op + ": its attributes are those of another operator");
  }
  if (node.activation == Activation::kPrelu && !has_weights(node.op)) {
    return invalid_model(op + ": it has no slopes for the activation prelu");
  }
  std::vector<Shape> shapes;
  if (node.op == OpType::kLstm) {
    SG_ASSIGN_OR_RETURN(shapes, infer_lstm(graph, node));
  } else if (node.op == OpType::kDetectionPostprocess) {
    SG_ASSIGN_OR_RETURN(shapes, infer_detection(graph, node));
  } else if (node.op == OpType::kPosenetDecoder) {
    SG_ASSIGN_OR_RETURN(shapes, infer_posenet_decoder(graph, node));
  } else if (node.op == OpType::kSplit) {
    SG_ASSIGN_OR_RETURN(shapes, infer_split(NodeShapes(graph, node)));
  } else if (node.op == OpType::kMaxPoolWithArgmax) {
    SG_ASSIGN_OR_RETURN(const Shape shape, infer_pool2d(NodeShapes(graph, node)));
    shapes = {shape, shape};
  } else if (node.op == OpType::kTopK) {
    SG_ASSIGN_OR_RETURN(const Shape shape, infer_top_k(NodeShapes(graph, node)));
    shapes = {shape, shape};
  } else {
    SG_ASSIGN_OR_RETURN(const Shape shape, infer_one(NodeShapes(graph, node)));
    shapes.push_back(shape);
  }
  if (node.outputs.size() == shapes.size()) return shapes;
  return invalid_model(op + ": it has " + std::to_string(node.outputs.size()) + " outputs, but makes " +
                       std::to_string(shapes.size()));
}

}  // namespace sightglass
