#include <algorithm>
#include <utility>

#include "graph/analyses.h"
#include "graph/op_types.h"
#include "graph/quantized.h"
#include "ops/ops.h"
#include "ops/parts.h"
#include "plan/planner.h"

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

namespace {

// Whether the arena can hold it.
bool is_storable(const Value& value) {
  const bool type = value.type == DataType::kFloat32 || is_quantized(value) || is_integer(value);
  return type && value.shape.rank() <= kMostDimensions && value.shape.elements() > 0;
}

Result<HostCopy> copy_of(Emitter& emitter, ValueId id) {
  const Value& value = emitter.graph().value(id);
  if (!is_storable(value)) {
    return unsupported("tensor " + quote(value.name) + " of " + to_string(value.type) + " " + value.shape.to_string() +
                       " cannot be transferred between CPU and GPU");
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef ref, emitter.tensor(id));
  if (ref.first == 0) return HostCopy{id, ref};
  const TensorRef whole = emitter.temporary(value.name, ref.shape, ref);
  SIGHTGLASS_RETURN_IF_ERROR(emit_reshape(emitter, ref, whole));
  return HostCopy{id, whole};
}

}  // namespace

void keep_quanta_together(const Graph& graph, KernelChoice& choice) {
  const auto move = [&](NodeId id, const std::string& reason) {
    if (choice.on_cpu(id)) return;
    choice.kernels[static_cast<size_t>(id)] = nullptr;
    choice.reasons[static_cast<size_t>(id)] = reason;
  };
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (node.op != OpType::kDynamicQuantize) continue;
    const std::vector<NodeId>& users = graph.value(node.outputs[0]).users;
    if (std::ranges::any_of(users, [&](NodeId user) { return choice.on_cpu(user); })) {
      move(id, "a reader of its result runs on the CPU");
    }
    if (!choice.on_cpu(id)) continue;
    for (const NodeId user : users) move(user, "its data is rounded on the CPU");
  }
}

std::vector<Stretch> divide(const Graph& graph, const KernelChoice& choice) {
  std::vector<Stretch> stretches;
  std::vector<NodeId> left = graph.order();
  std::vector<bool> done(graph.node_count(), false);
  const auto is_ready = [&](NodeId id) {
    return std::ranges::all_of(graph.node(id).inputs, [&](ValueId input) {
      const NodeId producer = input == kNone ? kNone : graph.value(input).producer;
      return producer == kNone || done[static_cast<size_t>(producer)];
    });
  };
  for (bool on_cpu = false; !left.empty(); on_cpu = !on_cpu) {
    Stretch stretch{on_cpu, {}};
    std::erase_if(left, [&](NodeId id) {
      if (choice.on_cpu(id) != on_cpu || !is_ready(id)) return false;
      done[static_cast<size_t>(id)] = true;
      stretch.nodes.push_back(id);
      return true;
    });
    if (!stretch.nodes.empty()) stretches.push_back(std::move(stretch));
  }
  return stretches;
}

Status emit_on_cpu(Emitter& emitter, PlanData& data, const KernelChoice& choice, const std::vector<NodeId>& nodes) {
  const Graph& graph = emitter.graph();
  // Values that steps on the CPU have read or computed so far.
  std::vector<bool> there(graph.value_count(), false);
  const auto mark = [&](ValueId id) { there[static_cast<size_t>(id)] = true; };
  for (const CpuStretch& earlier : data.cpu_stretches) {
    for (const HostCopy& copy : earlier.reads) mark(copy.value);
    for (const NodeId id : earlier.nodes) std::ranges::for_each(graph.node(id).outputs, mark);
  }
  CpuStretch stretch;
  stretch.nodes = nodes;
  Step step;
  step.kernel = "CPU";
  FallbackReport& report = data.fallback;
  const auto size = [&](const HostCopy& copy) { return emitter.plan_tensor(copy.ref).size * kBlockBytes; };
  for (const NodeId id : nodes) {
    const Node& node = graph.node(id);
    const std::string name = describe(graph, id);
    step.node += (step.node.empty() ? "" : ", ") + name;
    step.work += work(graph, node);
    report.operators.push_back(name + ": " + choice.reasons[static_cast<size_t>(id)]);
    for (const ValueId input : node.inputs) {
      if (input == kNone || graph.is_constant(input) || there[static_cast<size_t>(input)]) continue;
      SIGHTGLASS_ASSIGN_OR_RETURN(const HostCopy copy, copy_of(emitter, input));
      stretch.reads.push_back(copy);
      step.reads.push_back(copy.ref.tensor);
      report.bytes_read += size(copy);
      mark(input);
    }
    for (const ValueId output : node.outputs) {
      mark(output);
      const std::vector<NodeId>& users = graph.value(output).users;
      const bool read_on_gpu = std::ranges::any_of(users, [&](NodeId user) { return !choice.on_cpu(user); });
      if (!read_on_gpu && !graph.is_output(output)) continue;
      SIGHTGLASS_ASSIGN_OR_RETURN(const HostCopy copy, copy_of(emitter, output));
      stretch.writes.push_back(copy);
      step.writes.push_back(copy.ref.tensor);
      report.bytes_written += size(copy);
    }
  }
  step.cpu_stretch = static_cast<int>(data.cpu_stretches.size());
  data.cpu_stretches.push_back(std::move(stretch));
  data.steps.push_back(std::move(step));
  return {};
}

std::string FallbackReport::warning() const {
  std::string names;
  for (const std::string& name : operators) names += (names.empty() ? "" : "; ") + name;
  const std::string count =
      operators.size() == 1 ? "1 operator runs" : std::to_string(operators.size()) + " operators run";
  return count + " on the CPU, and " + std::to_string(bytes_read + bytes_written) +
         " bytes are transferred between GPU and CPU per run: " + names;
}

}  // namespace sightglass
