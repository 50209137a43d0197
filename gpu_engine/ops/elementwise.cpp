#include "ops/function.h"
#include "ops/ops.h"

namespace sightglass {

namespace {

ShaderKey unary_shader() { return {"elementwise.comp", {}}; }

ShaderKey binary_shader(bool broadcast) {
  ShaderKey key{"elementwise.comp", {{"USES_B", "1"}}};
  if (broadcast) key.defines.insert(key.defines.begin(), {"BROADCAST", "1"});
  return key;
}

GpuFunction unary_function(OpType op) {
  switch (op) {
    case OpType::kRelu:
      return GpuFunction::kRelu;
    case OpType::kRelu6:
      return GpuFunction::kRelu6;
    case OpType::kReluN1To1:
      return GpuFunction::kReluN1To1;
    case OpType::kLogistic:
      return GpuFunction::kLogistic;
    case OpType::kTanh:
      return GpuFunction::kTanh;
    case OpType::kHardSwish:
      return GpuFunction::kHardSwish;
    case OpType::kExp:
      return GpuFunction::kExp;
    default:
      return GpuFunction::kNone;
  }
}

GpuBinary binary_operation(OpType op) {
  switch (op) {
    case OpType::kSub:
      return GpuBinary::kSub;
    case OpType::kMul:
      return GpuBinary::kMul;
    case OpType::kMaximum:
      return GpuBinary::kMaximum;
    case OpType::kMinimum:
      return GpuBinary::kMinimum;
    case OpType::kPrelu:
      return GpuBinary::kPrelu;
    default:
      return GpuBinary::kAdd;
  }
}

Status supports_unary(const PlanContext&, const Node& node) {
  if (node.activation != Activation::kNone) return unsupported("a fused activation after a one-operand function");
  return {};
}

Status supports_binary(const PlanContext&, const Node& node) {
  if (node.activation == Activation::kPrelu) return unsupported("a fused PRELU");
  return {};
}

Status emit_unary(Emitter& emitter, const Node& node) {
  SG_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SG_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  StepParams params;
  params.tensor(in).tensor(in).tensor(out).ints(0, gpu_code(unary_function(node.op)));
  const Grid grid{int64_t{out.shape.h} * out.shape.w, int64_t{out.shape.b} * out.shape.slices()};
  return emitter.add_step(unary_shader(), std::move(params), grid, {in}, {out});
}

Status emit_binary(Emitter& emitter, const Node& node) {
  SG_ASSIGN_OR_RETURN(const TensorRef a, emitter.tensor(node.inputs[0]));
  SG_ASSIGN_OR_RETURN(const TensorRef b, emitter.tensor(node.inputs[1]));
  SG_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  StepParams params;
  params.tensor(a).tensor(b).tensor(out);
  params.ints(gpu_code(binary_operation(node.op)), gpu_code(node.activation));
  const Grid grid{int64_t{out.shape.h} * out.shape.w, int64_t{out.shape.b} * out.shape.slices()};
  return emitter.add_step(binary_shader(a.shape != b.shape), std::move(params), grid, {a, b}, {out});
}

std::vector<ShaderKey> unary_variants() { return storage_variants({unary_shader()}, "AO"); }
std::vector<ShaderKey> binary_variants() {
  return storage_variants({binary_shader(false), binary_shader(true)}, "ABO");
}

}  // namespace

std::vector<Kernel> elementwise_kernels() {
  std::vector<Kernel> kernels;
  for (const OpType op : {OpType::kRelu, OpType::kRelu6, OpType::kReluN1To1, OpType::kLogistic, OpType::kTanh,
                          OpType::kHardSwish, OpType::kExp, OpType::kQuantize, OpType::kDequantize}) {
    kernels.push_back({"elementwise", op, supports_unary, emit_unary, unary_variants});
  }
  for (const OpType op :
       {OpType::kAdd, OpType::kSub, OpType::kMul, OpType::kMaximum, OpType::kMinimum, OpType::kPrelu}) {
    kernels.push_back({"elementwise", op, supports_binary, emit_binary, binary_variants});
  }
  return kernels;
}

}  // namespace sightglass
