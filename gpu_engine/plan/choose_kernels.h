// Which kernel runs each node, and what stands in the way of those that none can run.
#pragma once

#include <vector>

#include "gpu_engine/model.h"
#include "ops/kernel.h"

namespace sightglass {

struct KernelChoice {
  std::vector<const Kernel*> kernels;  // by node, in execution order; null beside an obstacle
  std::vector<Obstacle> obstacles;
};

// Looks at inputs, outputs and all nodes, whatever it finds at the first ones.
KernelChoice choose_kernels(const PlanContext& context);

// Ok without obstacles; else one error that names them all.
Status refuse(const Graph& graph, const std::vector<Obstacle>& obstacles);

}  // namespace sightglass
