// Plans of which part runs on the CPU, by the reference kernels.
#pragma once

#include <vector>

#include "kernel/emitter.h"
#include "plan/choose_kernels.h"
#include "plan/plan_data.h"

namespace sightglass {

// What is rounded to quanta of its own range goes with all who read it: its tensor on the GPU holds steps of these
// quanta, which mean nothing elsewhere.
void keep_quanta_together(const Graph& graph, KernelChoice& choice);

// Neighbours in an order of execution that run in one place.
struct Stretch {
  bool on_cpu = false;
  std::vector<NodeId> nodes;
};
// All nodes, in an order that changes place as seldom as it finds.
std::vector<Stretch> divide(const Graph& graph, const KernelChoice& choice);

// Appends a step that runs the nodes on the CPU to `data`, which the emitter emits into. What they read is read back
// unless an earlier such step has it; what others read of them is uploaded.
Status emit_on_cpu(Emitter& emitter, PlanData& data, const KernelChoice& choice, const std::vector<NodeId>& nodes);

}  // namespace sightglass
