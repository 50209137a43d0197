// Kernel choice per node, and the blockers of nodes that no kernel can run.
#pragma once

#include <string>
#include <vector>

#include "kernel/kernel.h"
#include "sightglass/model.h"

namespace sightglass {

struct KernelChoice {
  std::vector<const Kernel*> kernels;  // by node; null for unsupported nodes and for nodes on the CPU
  std::vector<std::string> reasons;    // by node: reason for running on the CPU; empty for others
  std::vector<Obstacle> obstacles;
  bool changed = false;  // a node moved to the CPU
  bool on_cpu(NodeId id) const { return !reasons[static_cast<size_t>(id)].empty(); }
  // Called if the kernel of a node cannot run it: moves the node to the CPU, or adds an obstacle.
  void give_up(const PlanContext& context, NodeId id, const std::string& reason);
};

// Checks inputs, outputs and all nodes, even after the first obstacle.
KernelChoice choose_kernels(const PlanContext& context);

// Ok without obstacles; otherwise one error that names them all.
Status refuse(const Graph& graph, const std::vector<Obstacle>& obstacles);

}  // namespace sightglass
