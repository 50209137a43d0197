// The part of a model that runs on the CPU, by the reference kernels. No GL.
#pragma once

#include <unordered_map>

#include "plan/plan_data.h"

namespace sightglass {

using CpuTensors = std::unordered_map<ValueId, HostTensor>;

// Evaluates the nodes of `stretch`. `tensors` holds what earlier stretches have read and made, and what this one reads;
// its results are added.
Status run_stretch(const Graph& graph, const CpuStretch& stretch, CpuTensors& tensors);

}  // namespace sightglass
