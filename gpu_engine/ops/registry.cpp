#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "graph/op_types.h"
#include "kernel/tensors.h"
#include "ops/function.h"
#include "ops/ops.h"
#include "ops/tensor_io.h"
#include "shader/own_shaders.h"

namespace sightglass {

namespace {

struct Row {
  OpType op;
  Kernels& kernels;
};
constexpr auto kRows = std::to_array<Row>({
#define OPERATOR(op, name, attributes, shapes, reference, kernels, ...) {OpType::op, kernels##_kernels},
#include "graph/operators.h"
});

std::vector<Kernel> make_kernels() {
  std::vector<Kernel> all;
  for (const Row& row : kRows) {
    for (Kernel& kernel : row.kernels(row.op)) {
      kernel.op = row.op;
      all.push_back(std::move(kernel));
    }
  }
  return all;
}

// Limits of all kernels, whatever the operator.
Status check_value(const Value& value) {
  const std::string name = "tensor " + quote(value.name) + " ";
  if (value.quantization.scale.size() > 1 && !is_integer(value)) {
    return unsupported(name + "is " + to_string(value.type) + " with several scales; one is supported");
  }
  if (value.shape.rank() > kMostDimensions) {
    return unsupported(name + "has " + std::to_string(value.shape.rank()) + " dimensions; at most " +
                       std::to_string(kMostDimensions) + " are supported");
  }
  if (value.shape.elements() == 0) return unsupported(name + "is empty");
  return {};
}

Status check_values(const Graph& graph, const Node& node) {
  SIGHTGLASS_RETURN_IF_ERROR(check_types(typed_op(graph, node)));
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    // Packing dequantizes weights and biases, whatever their type.
    const bool packed = packs_constants(node.op) && i > 0 && graph.is_constant(node.inputs[i]);
    if (node.inputs[i] != kNone && !packed) SIGHTGLASS_RETURN_IF_ERROR(check_value(graph.value(node.inputs[i])));
  }
  for (const ValueId output : node.outputs) SIGHTGLASS_RETURN_IF_ERROR(check_value(graph.value(output)));
  return {};
}

bool samples_frames(const ShaderKey& key) {
  const ShaderFiles shaders = engine_shaders();
  const auto found = std::ranges::find(shaders, key.shader, &EmbeddedShader::name);
  return found != shaders.end() && found->text.find("#include \"lib/frame.glsl\"") != std::string_view::npos;
}

}  // namespace

std::span<const Kernel> all_kernels() {
  static const std::vector<Kernel> kernels = make_kernels();
  return kernels;
}

Result<const Kernel*> find_kernel(const PlanContext& context, const Node& node, std::string* declined) {
  SIGHTGLASS_RETURN_IF_ERROR(check_values(context.graph, node));
  std::string reasons;
  for (const Kernel& kernel : all_kernels()) {
    if (kernel.op != node.op) continue;
    const Status status = kernel.supports(context, node);
    if (status.ok()) {
      if (declined != nullptr) *declined = std::move(reasons);
      return &kernel;
    }
    reasons += (reasons.empty() ? "" : "; ") + std::string(kernel.name) + ": " + status.message();
  }
  return unsupported(reasons.empty() ? "no kernel supports this operator" : reasons);
}

std::vector<ShaderKey> all_shader_variants() {
  std::set<ShaderKey> keys;
  for (const Kernel& kernel : all_kernels()) {
    for (ShaderKey& key : kernel.variants()) keys.insert(std::move(key));
  }
  for (ShaderKey& key : texture_io_variants()) keys.insert(std::move(key));
  for (ShaderKey& key : store_buffer_variants()) keys.insert(std::move(key));
  for (ShaderKey& key : load_buffer_variants()) keys.insert(std::move(key));
  // Additions of the emitter: buffer textures for all, functions of results, folded layers and frame kinds for the
  // first variant of each file.
  std::set<ShaderKey> result = keys;
  const auto add = [&result](ShaderKey key, const char* name, int32_t value) {
    key.defines.push_back({name, std::to_string(value)});
    result.insert(std::move(key));
  };
  std::string file;
  for (const ShaderKey& key : keys) {
    add(key, kBufferTextures, 1);
    if (key.shader == file) continue;
    file = key.shader;
    add(key, "OUT_QUANTIZED", 1);
    add(key, kFoldedLayers, 65537);
    if (samples_frames(key)) {
      for (const FrameKind kind : kFrameKinds) {
        if (const char* define = frame_define(kind)) add(key, define, 1);
      }
    }
    for (int32_t code = 1; code <= gpu_code(GpuFunction::kExp); ++code) add(key, "ACTIVATION", code);
  }
  for (ShaderKey& key : measure_shader_variants()) result.insert(std::move(key));
  result.insert(gate_shader());
  result.insert(settle_shader());
  return {result.begin(), result.end()};
}

}  // namespace sightglass
