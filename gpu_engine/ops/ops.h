// The list of kernels, and the choice for a node.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernel/emitter.h"
#include "sightglass/shader_source.h"
#include "sightglass/status.h"

namespace sightglass {

// The lists of graph/operators.h: the kernels for an operator, in order of preference.
using Kernels = std::vector<Kernel>(OpType op);
#define OPERATOR(op, name, attributes, shapes, reference, kernels, ...) Kernels kernels##_kernels;
#include "graph/operators.h"

// Parts of these lists that are in files of their own.
Kernel conv2d_winograd_kernel();
Kernel fully_connected_computed_kernel();  // for computed weights
Kernels elementwise_quantized_kernels;
Kernels lookup_kernels;

// Of all operators. The first kernel for an operator that supports a node is used.
std::span<const Kernel> all_kernels();

// Fails with the reasons of all candidates. `declined`, if given, receives the reasons of the candidates preferred to
// the chosen kernel.
Result<const Kernel*> find_kernel(const PlanContext& context, const Node& node, std::string* declined = nullptr);

// Every program that a plan may need, including texture loads and stores and device measurements, without combinations
// with functions of results; no duplicates.
std::vector<ShaderKey> all_shader_variants();

}  // namespace sightglass
