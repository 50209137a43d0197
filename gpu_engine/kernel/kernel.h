// A kernel: one way to run an operator on the GPU.
#pragma once

#include <string>
#include <vector>

#include "gpu_engine/status.h"
#include "graph/graph.h"
#include "kernel/emitter.h"

namespace sightglass {

struct Kernel {
  const char* name;  // as in reports: "conv2d"
  OpType op;
  // Ok, or why this kernel cannot serve the node. Types, ranks and the like are checked for all kernels alike before.
  Status (*supports)(const PlanContext& context, const Node& node);
  // Appends the node's steps.
  Status (*emit)(Emitter& emitter, const Node& node);
  // Every program that emit() may ask for, less what the emitter adds: buffer textures and functions of results.
  std::vector<ShaderKey> (*variants)();
  // What supports() bounds beyond types, for people; empty when nothing, or when another kernel takes the rest.
  std::string limits = {};
};

// Of any tensor on the GPU.
inline constexpr int kMostDimensions = 5;

}  // namespace sightglass
