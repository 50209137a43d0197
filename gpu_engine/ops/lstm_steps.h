// What the LSTMs of real numbers and of integers share: sizes, constants, and where states lie.
#pragma once

#include <functional>

#include "graph/lstm.h"
#include "kernel/emitter.h"

namespace sightglass::lstm {

inline constexpr int32_t kLanes = kKernelInvocations;  // a work group runs a batch
// Slices that fit the work group's shared memory of 16 KiB: of everything, and where less is kept.
inline constexpr int32_t kFewSlices = 128, kManySlices = 256;

inline int32_t slices_of(int32_t channels) { return (channels + 3) / 4; }
// Slices that one invocation has at most.
inline int32_t rounds_of(int32_t slices) { return (slices + kLanes - 1) / kLanes; }

// Ok where all but data and states is constant, neither states nor outputs are wider than `most` slices, and a time
// step takes no more than the iterations that the device makes.
Status check_size(const PlanContext& context, const Node& node, int32_t most, int64_t iterations);

// The matrices of the gates one below the other, each gate's rows padded to whole slices; absent gates are zeros.
std::vector<float> stack(const std::array<std::vector<float>, kGates>& gates, int32_t rows, int32_t columns);

// Padded to whole slices.
std::vector<float> padded(std::vector<float> values, int32_t channels);
// The three, one after the other.
std::vector<float> padded(const std::array<std::vector<float>, 3>& values, int32_t channels);

// Data, states and what they become; a state's next one lies where it does, unless someone else reads what it was.
struct Tensors {
  TensorRef data, hidden, cell, out, next_hidden, next_cell;
};
Result<Tensors> tensors_of(Emitter& emitter, const Node& node);

// What dispatches the time steps of a node.
struct TimeSteps {
  const ShaderKey& shader;
  Storage weights;
  int64_t iterations;  // of the loops of one invocation in one time step
  // Appends what the shader reads after the tensors, the range of time steps, and how far apart these are.
  std::function<void(StepParams&)> add_params;
};
// Adds them to the plan, as many to a step as the device may loop for.
Status emit_time_steps(Emitter& emitter, const Node& node, const TensorRef& gates, Tensors tensors,
                       const TimeSteps& steps);

// kFewSlices where cells and outputs fit, else kManySlices.
int32_t slices_for(const Sizes& sizes);

// The shape of all gates' sums, one below the other in the channels.
Bhwc shape_of_gates(const TensorRef& data, const Sizes& sizes);

}  // namespace sightglass::lstm
