// Scalar reference kernels: they define the result of each operator. Written for readability, not for speed.
//
// Sums are in double precision; results are float32. Results computed from a NaN are NaN, except that MAXIMUM, MINIMUM
// and MAX_POOL_2D may return the other operand. Infinities follow IEEE 754: HARD_SWISH of minus infinity is NaN.
#pragma once

#include <vector>

#include "graph/graph.h"

namespace sightglass::ref {

// Evaluates one node, including its activation, on tightly packed tensors in input order (nullptr for an absent
// optional input). Output shapes are those of the outputs in `graph`. Fails on unsupported types.
Result<std::vector<HostTensor>> evaluate(const Graph& graph, const Node& node,
                                         const std::vector<const HostTensor*>& inputs);

// Runs the whole graph; inputs and outputs in graph order. `states`, in graph order, contains the states of the
// previous run (empty: the initial states) and receives those of this run. Null: a first run whose states are dropped.
Result<std::vector<HostTensor>> run(const Graph& graph, const std::vector<HostTensor>& inputs,
                                    std::vector<HostTensor>* states = nullptr);

// A constant of the graph as a tensor of its value type (float16 storage is widened).
Result<HostTensor> constant_tensor(const Graph& graph, ValueId id);

float apply(Activation activation, float x, float prelu_slope = 0.0f);

// All integers of a type of 8 or 16 bits, from the lowest, in the last of `rank` dimensions, or of one.
HostTensor all_integers(DataType type, int rank = 1);
// Runs an element-wise node on tensors of other shapes.
Result<HostTensor> evaluate_elements(const Graph& graph, const Node& node, const std::vector<HostTensor>& inputs);

}  // namespace sightglass::ref

namespace sightglass {

// Evaluates nodes with only constant inputs at load time.

// Approximate work of evaluating the node, in multiplications or moved elements.
int64_t folding_steps(const Graph& graph, const Node& node);

// If all inputs of the node are constants, makes its outputs constants too and removes it. DEQUANTIZE of float16 keeps
// the float16 bytes as storage of the float32 value. `folded` reports whether the node was removed. It stays, without
// an error, if it reads other values, produces an output of the graph, or would take too long to evaluate.
Status fold_if_constant(Graph& graph, NodeId id, bool* folded);

}  // namespace sightglass
