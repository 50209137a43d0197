#include "graph/graph.h"
#include "graph/operator_table.h"

namespace sightglass {

Result<std::vector<Shape>> infer_shapes(const Graph& graph, Node& node) {
  const std::string op = node.origin.empty() ? std::string(to_string(node.op)) : node.origin;
  if (!fits(node.op, node.attributes)) {
    return internal_error(op + ": its attributes are those of another operator");
  }
  if (node.activation == Activation::kPrelu && !has_weights(node.op)) {
    return invalid_model(op + ": it has no slopes for the activation prelu");
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<Shape> shapes, operators::row_of(node.op).shapes(NodeShapes(graph, node)));
  if (node.outputs.size() == shapes.size()) return shapes;
  return invalid_model(op + ": it has " + std::to_string(node.outputs.size()) + " outputs, but computes " +
                       std::to_string(shapes.size()));
}

}  // namespace sightglass
