// Element movements of operators, as maps from output to input positions in tightly packed row-major order.
#pragma once

#include <vector>

#include "graph/graph.h"

namespace sightglass {

// One output dimension, or a part of one: coordinate i in [0, size) is input coordinate p = begin + i, which adds p *
// stride to the input position.
struct MovementDim {
  int32_t size = 1;
  int64_t stride = 0;
  int32_t begin = 0;
  int32_t limit = INT32_MAX;  // end of the input coordinates
};

// Output for an input coordinate outside [0, limit).
enum class Outside : uint8_t {
  kNothing,    // does not occur
  kFill,       // a constant
  kReflect,    // the element mirrored at the border element
  kSymmetric,  // the element mirrored at the border itself
};

struct Movement {
  Shape shape;                    // of the output
  std::vector<MovementDim> dims;  // outermost first; their sizes multiply to the elements of `shape`
  int64_t first = 0;              // added to every position
  Outside outside = Outside::kNothing;
  float fill = 0;
};

// The successive movements that make an output of a node from its first input. Requires the trait kBySteps of
// graph/operator_table.h, and inferred shapes.
std::vector<Movement> movements(const Graph& graph, const Node& node, size_t output);

// The same with the minimum number of dimensions.
Movement simplified(Movement movement);

// Distance in elements between neighbors along each dimension of a tightly packed tensor.
std::vector<int64_t> element_strides(const Shape& shape);

}  // namespace sightglass
