// The list of kernels, and the choice for a node.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernel/kernel.h"
#include "sightglass/shader_source.h"
#include "sightglass/status.h"

namespace sightglass {

// In order of preference: the first kernel for the operator that supports a node is used.
std::span<const Kernel> all_kernels();

// Fails with the reasons of all candidates. `declined`, if given, receives the reasons of the candidates preferred to
// the chosen kernel.
Result<const Kernel*> find_kernel(const PlanContext& context, const Node& node, std::string* declined = nullptr);

// Every program that a plan may need, including texture loads and stores and device measurements, without combinations
// with functions of results; no duplicates.
std::vector<ShaderKey> all_shader_variants();

}  // namespace sightglass
