// Which kernel runs each node, and what stands in the way of those that none can run.
#pragma once

#include <string>
#include <vector>

#include "gpu_engine/model.h"
#include "kernel/kernel.h"

namespace sightglass {

struct KernelChoice {
  std::vector<const Kernel*> kernels;  // by node; null beside an obstacle, and for what runs on the CPU
  std::vector<std::string> reasons;    // by node: why it runs on the CPU; empty for others
  std::vector<Obstacle> obstacles;
  bool changed = false;  // a node has moved to the CPU
  bool on_cpu(NodeId id) const { return !reasons[static_cast<size_t>(id)].empty(); }
  // The node's kernel cannot run it: it moves to the CPU, or becomes an obstacle.
  void give_up(const PlanContext& context, NodeId id, const std::string& reason);
};

// Looks at inputs, outputs and all nodes, whatever it finds at the first ones.
KernelChoice choose_kernels(const PlanContext& context);

// Ok without obstacles; else one error that names them all.
Status refuse(const Graph& graph, const std::vector<Obstacle>& obstacles);

}  // namespace sightglass
