// Which dimensions of a value are the rows, columns and channels of images, as far as the operators of a graph prove
// it: convolutions, pools and resizes define the dimensions of the values that they read and write, and other operators
// move them. A color input defines its own if its shape allows only one order.
#pragma once

#include <vector>

#include "graph/graph.h"

namespace sightglass {

enum class Axis : uint8_t { kUnknown, kBatch, kRows, kColumns, kChannels };

// A dimension, or one of several that a RESHAPE merged.
struct AxisPart {
  Axis axis = Axis::kUnknown;
  int32_t size = 1;  // above 1
  bool operator==(const AxisPart&) const = default;
};
// By dimension: its parts, the outermost first. One part if nothing was merged, none for size 1.
using ValueAxes = std::vector<std::vector<AxisPart>>;

// By value ID.
std::vector<ValueAxes> axes_of_values(const Graph& graph);

}  // namespace sightglass
