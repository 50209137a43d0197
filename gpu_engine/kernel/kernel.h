// A kernel: one way to run an operator on the GPU.
#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"
#include "kernel/emitter.h"
#include "sightglass/status.h"

namespace sightglass {

struct Kernel {
  const char* name;  // for reports: "conv2d"
  OpType op;
  // Ok, or the reason why this kernel does not support the node. Types, ranks and the like have been checked for all
  // kernels.
  Status (*supports)(const PlanContext& context, const Node& node);
  // Appends the node's steps.
  Status (*emit)(Emitter& emitter, const Node& node);
  // All programs that emit() can request, without the additions of the emitter: buffer textures and functions of
  // results.
  std::vector<ShaderKey> (*variants)();
  // Limits of supports() other than types, for documentation. Empty if there are none or another kernel covers the
  // rest.
  std::string limits = {};
};

// Maximum dimensions of a tensor on the GPU.
inline constexpr int kMostDimensions = 5;

}  // namespace sightglass
