// The list of kernels, and the choice of one for a node.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gpu_engine/shader_source.h"
#include "gpu_engine/status.h"
#include "kernel/kernel.h"

namespace sightglass {

// In order of preference: the first of an operator's kernels that supports a node serves it.
std::span<const Kernel> all_kernels();

// Ok, or the reasons of every candidate. `declined`, when given, gets the reasons of those before the one that serves.
Result<const Kernel*> find_kernel(const PlanContext& context, const Node& node, std::string* declined = nullptr);

// Every program that some plan may ask for, texture loads and stores and what measures devices included, but for
// combinations with functions of results; no duplicates.
std::vector<ShaderKey> all_shader_variants();

}  // namespace sightglass
