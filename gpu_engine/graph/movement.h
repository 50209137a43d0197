// Where the elements come from that an operator moves, as maps from an output to an input in dense row-major order.
#pragma once

#include <vector>

#include "graph/graph.h"

namespace sightglass {

// One dimension of the output, or a part of one: coordinate i in [0, size) is input coordinate p = begin + i, which
// adds p * stride to the place.
struct MovementDim {
  int32_t size = 1;
  int64_t stride = 0;
  int32_t begin = 0;
  int32_t limit = INT32_MAX;  // where the input's coordinates end
};

// What stands where an input coordinate is outside [0, limit).
enum class Outside : uint8_t {
  kNothing,    // no coordinate is
  kFill,       // a number
  kReflect,    // what lies as far within, counted from the element at the border
  kSymmetric,  // the same, counted from the border itself
};

struct Movement {
  Shape shape;                    // of what it makes
  std::vector<MovementDim> dims;  // outermost first; their sizes multiply to the elements of `shape`
  int64_t first = 0;              // added to every place
  Outside outside = Outside::kNothing;
  float fill = 0;
};

// The movements, one after the other, that make an output of a node from its first input. The operator
// has the trait kBySteps of graph/operator_table.h; shapes are inferred.
std::vector<Movement> movements(const Graph& graph, const Node& node, size_t output);

// The same with as few dimensions as will do.
Movement simplified(Movement movement);

// The distance in elements between neighbours along each dimension of a dense tensor.
std::vector<int64_t> element_strides(const Shape& shape);

}  // namespace sightglass
