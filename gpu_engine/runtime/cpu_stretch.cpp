#include "runtime/cpu_stretch.h"

#include "ref/ref_ops.h"

namespace sightglass {

Status run_stretch(const Graph& graph, const CpuStretch& stretch, CpuTensors& tensors) {
  for (const NodeId id : stretch.nodes) {
    const Node& node = graph.node(id);
    std::vector<HostTensor> constants(node.inputs.size());
    std::vector<const HostTensor*> arguments;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId input = node.inputs[i];
      if (graph.is_constant(input)) {
        SIGHTGLASS_ASSIGN_OR_RETURN(constants[i], ref::constant_tensor(graph, input));
        arguments.push_back(&constants[i]);
      } else {
        arguments.push_back(input == kNone ? nullptr : &tensors.at(input));
      }
    }
    SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<HostTensor> results, ref::evaluate(graph, node, arguments));
    for (size_t i = 0; i < results.size(); ++i) tensors.insert_or_assign(node.outputs[i], std::move(results[i]));
  }
  return {};
}

}  // namespace sightglass
