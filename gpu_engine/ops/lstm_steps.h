// Shared code of float and integer LSTMs: sizes, constants, and the placement of states.
#pragma once

#include <functional>

#include "graph/lstm.h"
#include "kernel/emitter.h"

namespace sightglass::lstm {

inline constexpr int32_t kLanes = kKernelInvocations;  // one work group runs a batch
// Slices that fit into 16 KiB of shared memory: with all vectors, and with fewer vectors.
inline constexpr int32_t kFewSlices = 128, kManySlices = 256;

inline int32_t slices_of(int32_t channels) { return (channels + 3) / 4; }
// Maximum slices per invocation.
inline int32_t rounds_of(int32_t slices) { return (slices + kLanes - 1) / kLanes; }

// Ok if everything but data and states is constant, neither states nor outputs are wider than `most` slices, and a time
// step needs no more iterations than the device allows.
Status check_size(const PlanContext& context, const Node& node, int32_t most, int64_t iterations);

// The matrices of the gates stacked vertically, with the rows of each gate padded to whole slices. Absent gates are
// zeros.
std::vector<float> stack(const std::array<std::vector<float>, kGates>& gates, int32_t rows, int32_t columns);

// The values padded to whole slices.
std::vector<float> padded(std::vector<float> values, int32_t channels);
// The three vectors in sequence.
std::vector<float> padded(const std::array<std::vector<float>, 3>& values, int32_t channels);

// Data, states and next states. The next state overwrites the state in place, unless the old state has other readers.
struct Tensors {
  TensorRef data, hidden, cell, out, next_hidden, next_cell;
};
Result<Tensors> tensors_of(Emitter& emitter, const Node& node);

// Dispatches of the time steps of a node.
struct TimeSteps {
  const ShaderKey& shader;
  Storage weights;
  int64_t iterations;  // loop iterations of one invocation in one time step
  // Appends the parameters that the shader reads after the tensors, the range of time steps, and their strides.
  std::function<void(StepParams&)> add_params;
};
// Adds them to the plan. Each step runs as many time steps as the iteration limit of the device allows.
Status emit_time_steps(Emitter& emitter, const Node& node, const TensorRef& gates, Tensors tensors,
                       const TimeSteps& steps);

// kFewSlices if cells and outputs fit, else kManySlices.
int32_t slices_for(const Sizes& sizes);

// Shape of the sums of all gates, stacked in the channels.
Bhwc shape_of_gates(const TensorRef& data, const Sizes& sizes);

}  // namespace sightglass::lstm
