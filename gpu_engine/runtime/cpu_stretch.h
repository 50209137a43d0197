// A CPU segment, run with the reference kernels. No GL.
#pragma once

#include <unordered_map>

#include "plan/plan_data.h"

namespace sightglass {

using CpuTensors = std::unordered_map<ValueId, HostTensor>;

// Evaluates the nodes of `stretch`. `tensors` contains the inputs and results of earlier segments and the inputs of
// this one; its results are added.
Status run_stretch(const Graph& graph, const CpuStretch& stretch, CpuTensors& tensors);

}  // namespace sightglass
