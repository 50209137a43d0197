// What the operators of a graph prove about the numbers that a value holds.
#pragma once

#include <span>
#include <vector>

#include "graph/graph.h"

namespace sightglass {

// For each value, by its ID, a range that contains all its elements in every run, whatever the inputs contain: real
// numbers for quantized values, elements for others. `inputs`, by graph input, narrows the ranges of inputs; missing
// ones contain anything that their type holds. NaN is no number of a range. Constants that only weights use, and values
// that nothing limits, have an unlimited range.
std::vector<ValueRange> value_ranges(const Graph& graph, std::span<const ValueRange> inputs = {});

// Whether every element is the index of a class: the result of an ARG_MAX or ARG_MIN, only moved and converted since.
bool holds_indices(const Graph& graph, ValueId id);

}  // namespace sightglass
