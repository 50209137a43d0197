// Plans that run partly on the CPU, with the reference kernels.
#pragma once

#include <vector>

#include "kernel/emitter.h"
#include "plan/choose_kernels.h"
#include "plan/plan_data.h"

namespace sightglass {

// Keeps values that are quantized at run time with all their readers: their GPU tensor contains quantization steps that
// are meaningless elsewhere.
void keep_quanta_together(const Graph& graph, KernelChoice& choice);

// Consecutive nodes that run in one place.
struct Stretch {
  bool on_cpu = false;
  std::vector<NodeId> nodes;
};
// All nodes, in an order with few changes of place (a greedy search).
std::vector<Stretch> divide(const Graph& graph, const KernelChoice& choice);

// Appends to `data` a step that runs the nodes on the CPU; the emitter emits into `data` too. Their inputs are read
// back unless an earlier CPU step has them. Outputs with readers on the GPU are uploaded.
Status emit_on_cpu(Emitter& emitter, PlanData& data, const KernelChoice& choice, const std::vector<NodeId>& nodes);

}  // namespace sightglass
