// Scalar reference kernels: the definition of what each operator computes. Written for reading, not for speed.
//
// Sums run in double precision; results are float32. What is computed from a NaN is a NaN, except that MAXIMUM, MINIMUM
// and MAX_POOL_2D may give the other operand. Infinities follow IEEE 754: HARD_SWISH of minus infinity is a NaN.
#pragma once

#include <vector>

#include "graph/graph.h"

namespace sightglass::ref {

// Evaluates one node on dense tensors, in the order of its inputs (an absent optional input is nullptr), activation
// included. Output shapes are those of the node's outputs in `graph`. Fails on types that the kernel does not take.
Result<std::vector<HostTensor>> evaluate(const Graph& graph, const Node& node,
                                         const std::vector<const HostTensor*>& inputs);

// Runs the whole graph; inputs and outputs in the graph's order. `states`, by the graph's states, holds what the run
// before has left (nothing: the initial state) and what this one leaves; null: a first run whose states are forgotten.
Result<std::vector<HostTensor>> run(const Graph& graph, const std::vector<HostTensor>& inputs,
                                    std::vector<HostTensor>* states = nullptr);

// A constant of the graph as a tensor of its value's type (float16 storage widened).
Result<HostTensor> constant_tensor(const Graph& graph, ValueId id);

float apply(Activation activation, float x, float prelu_slope = 0.0f);

}  // namespace sightglass::ref
