#include "plan/fallback.h"

#include <algorithm>

#include "graph/op_types.h"
#include "graph/quantized.h"
#include "graph/work.h"

namespace sightglass {

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
  return HostCopy{id, ref};
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
