#include "plan/choose_kernels.h"

#include <algorithm>
#include <utility>

#include "graph/op_types.h"
#include "graph/quantized.h"
#include "ops/registry.h"

namespace sightglass {
namespace {

void check_ends(const Graph& graph, std::vector<Obstacle>& obstacles) {
  std::vector<ValueId> states;
  for (const State& state : graph.states) states.insert(states.end(), {state.input, state.output});
  for (const std::vector<ValueId>* ids : {&graph.inputs, &graph.outputs, &std::as_const(states)}) {
    for (const ValueId id : *ids) {
      const Value& value = graph.value(id);
      const bool stored = value.type == DataType::kFloat32 || is_quantized(value) || is_integer(value);
      if (stored && value.shape.rank() <= kMostDimensions && value.shape.elements() != 0) continue;
      obstacles.push_back({"",
                           "tensor " + quote(value.name) + " is " + to_string(value.type) + " " +
                               value.shape.to_string() + ", which is not supported",
                           "inputs, outputs and states must be float32, integers or booleans, with at most one "
                           "quantization scale and at most five dimensions"});
    }
  }
}

Result<const Kernel*> visible_kernel(const PlanContext& context, const Node& node, std::string& declined) {
  const std::vector<std::string>& hidden = context.options.hidden_operators;
  if (std::ranges::find(hidden, to_string(node.op)) != hidden.end()) return unsupported("it is hidden");
  return find_kernel(context, node, &declined);
}

void log_kernel(const PlanContext& context, NodeId id, const Result<const Kernel*>& kernel,
                const std::string& declined) {
  context.options.log.debug([&] {
    const std::string node = describe(context.graph, id);
    if (!kernel.ok()) return node + ": no kernel: " + kernel.status().message();
    return node + ": kernel " + (*kernel)->name + (declined.empty() ? "" : "; declined " + declined);
  });
}

}  // namespace

void KernelChoice::give_up(const PlanContext& context, NodeId id, const std::string& reason) {
  if (context.options.fallback != Fallback::kCpu) {
    obstacles.push_back({describe(context.graph, id), reason, "fallback=cpu runs it on the CPU"});
    return;
  }
  kernels[static_cast<size_t>(id)] = nullptr;
  reasons[static_cast<size_t>(id)] = reason;
  changed = true;
}

KernelChoice choose_kernels(const PlanContext& context) {
  KernelChoice choice;
  check_ends(context.graph, choice.obstacles);
  choice.kernels.resize(context.graph.node_count(), nullptr);
  choice.reasons.resize(context.graph.node_count());
  for (const NodeId id : context.graph.order()) {
    std::string declined;
    const Result<const Kernel*> kernel = visible_kernel(context, context.graph.node(id), declined);
    log_kernel(context, id, kernel, declined);
    if (kernel.ok()) {
      choice.kernels[static_cast<size_t>(id)] = *kernel;
    } else {
      choice.give_up(context, id, kernel.status().message());
    }
  }
  return choice;
}

Status refuse(const Graph& graph, const std::vector<Obstacle>& obstacles) {
  if (obstacles.empty()) return {};
  const auto operators = std::ranges::count_if(obstacles, [](const Obstacle& o) { return !o.where.empty(); });
  std::string message = graph.name + ": ";
  if (operators > 0) {
    message +=
        std::to_string(operators) + " of " + std::to_string(graph.order().size()) + " operators cannot run on the GPU:";
  } else {
    message += "cannot run on the GPU:";
  }
  for (const Obstacle& obstacle : obstacles) message += "\n  " + to_string(obstacle);
  return unsupported(message);
}

}  // namespace sightglass
