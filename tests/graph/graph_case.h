// Builds small graphs node by node.
#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"

namespace sightglass::test {

// A float32 value that no node computes.
ValueId add_value(Graph& graph, const std::string& name, const Shape& shape);
ValueId add_input(Graph& graph, const std::string& name, const Shape& shape);
// Stored in half precision, with the type float32 or float16.
ValueId add_half_constant(Graph& graph, const std::string& name, const std::vector<float>& values, DataType type);

// Appends a node with one output, whose shape is inferred from the inputs. Returns the output.
ValueId add_op(Graph& graph, OpType op, const Attributes& attributes, const std::vector<ValueId>& inputs,
               const std::string& name);

// in -> RELU -> "relu" -> ADD with itself -> "sum" -> RESHAPE -> "out"
struct Chain {
  Graph graph;
  ValueId in, relu, sum, out;
};
Chain make_chain();

}  // namespace sightglass::test
