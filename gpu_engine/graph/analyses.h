// What is found out about a graph, and what is changed by it, before kernels are chosen.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/graph.h"
#include "sightglass/model.h"

namespace sightglass {

// What the operators of a graph prove about the numbers that a value holds.

// For each value, by its ID, a range that contains all its elements in every run, whatever the inputs contain: real
// numbers for quantized values, elements for others. `inputs`, by graph input, narrows the ranges of inputs; missing
// ones contain anything that their type holds. NaN is no number of a range. Constants that only weights use, and values
// that nothing limits, have an unlimited range.
std::vector<ValueRange> value_ranges(const Graph& graph, std::span<const ValueRange> inputs = {});

// Whether every element is the index of a class: the result of an ARG_MAX or ARG_MIN, only moved and converted since.
bool holds_indices(const Graph& graph, ValueId id);

// Presents images that a model holds in other orders as 1 x height x width x channels.

// Which dimensions of a value are the rows, columns and channels of images, as far as the operators of a graph prove
// it: convolutions, pools and resizes define the dimensions of the values that they read and write, and other operators
// move them. A color input defines its own if its shape allows only one order.
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

// Replaces color inputs and outputs that are one image in another order, as their operators prove
// (graph/analyses.h). The graph then moves the new input to the order that it reads, and the output from the order
// that it writes. Outputs with merged pixels are replaced if no output is an image otherwise. Names and types stay.
void arrange_images(Graph& graph, ImageOrder order);

// What a model costs: multiply-adds, and a rough estimate for models that would block a GPU.

// Arithmetic cost of a model in multiply-adds.

// Multiply-adds per run of the node: those of convolutions, fully connected layers and recurrent cells with their
// weights. Other operators count as 0.
int64_t multiply_adds(const Graph& graph, const Node& node);

// The sum over all nodes, saturated.
int64_t multiply_adds(const Graph& graph);

// Rough cost of an operator, to find models that would block a GPU.

// In multiply-adds: those of the operator, or the time of its reads, whichever is larger. A double, because a small
// file can describe more than fits into 64 bits.
double work(const Graph& graph, const Node& node);

// Nodes that TensorFlow Lite computes otherwise than their types say: on stored integers, or with 8-bit weights.

// Quantized operators that TensorFlow Lite computes on stored numbers, whatever the scales and zero points of their
// tensors. In the graph such a node has one quantization: a REINTERPRET gives its operands that of its result.

// Whether the numbers of operands with elements of `type` count, not the quantities that they stand for.
bool keeps_numbers(OpType op, DataType type);

// The quantization of the operands of such a node, from its types before they are changed. Null if its results have
// several, or for another operator.
const Quantization* common_quantization(OpType op, const Value& data, const std::vector<const Value*>& outputs);

// The same numbers in another quantization: a REINTERPRET, or another constant.
ValueId reinterpreted(Graph& graph, ValueId id, const Quantization& quantization);

// Gives the operands of the node that quantization. The node is not yet part of the graph.
void keep_numbers(Graph& graph, Node& node);

// Operators with float data and 8-bit weights (dynamic-range quantized). TensorFlow Lite quantizes the data to 8 bits
// at run time, over their actual range, and multiplies integers. The graph has a separate node for this.

// Whether TensorFlow Lite quantizes the data of the node at run time. The node is not yet part of the graph.
bool is_hybrid(const Graph& graph, const Node& node);

// Returns the data of the node after a DYNAMIC_QUANTIZE, which is added to the graph unless it exists.
ValueId add_dynamic_quantize(Graph& graph, const Node& node);

}  // namespace sightglass
