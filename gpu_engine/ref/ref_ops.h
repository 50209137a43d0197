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

}  // namespace sightglass::ref
