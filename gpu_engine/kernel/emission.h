// Output of kernels: plain data, completed by the planner.
#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "kernel/step.h"
#include "kernel/tensors.h"
#include "sightglass/shader_source.h"

namespace sightglass {

struct Emission {
  std::vector<PlanTensor> tensors;
  std::vector<ShaderKey> programs;
  std::vector<Step> steps;
  std::vector<std::byte> weights;  // the constants buffer
  std::set<Storage> weight_storages;
  bool buffer_textures = false;  // steps read the arena and the constants through buffer textures
};

}  // namespace sightglass
