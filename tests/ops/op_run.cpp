#include "ops/op_run.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gpu_engine/internals.h"
#include "plan/plan_data.h"

namespace sightglass::test {

namespace {

// The minimums of OpenGL ES 3.1, with rows of work groups so short that most operators fold theirs.
DeviceLimits least(const DeviceLimits& limits) {
  DeviceLimits least = limits.clamped_to_minimum();
  least.workgroup_count[0] = 3;
  return least;
}

constexpr int32_t kGuardBytes = 64;

// 16-bit floats end at 65504, and their smallest normal number is 6.1e-5.
constexpr double kHalfLargest = 65504, kHalfSmallest = 6.1e-5;

std::string kernels_of(const Plan& plan) {
  std::string names;
  for (const Step& step : data_of(plan).steps) names += (names.empty() ? "" : " | ") + step.kernel;
  return names.empty() ? "no step" : names;
}

// With minimum limits, storage blocks are as if too small for the arena, except for a step that uses all of it.
Result<std::shared_ptr<const Plan>> plan_for(const std::shared_ptr<const Model>& model, const DeviceLimits& limits,
                                             const Setting& setting, const ForcedPlanOptions& options) {
  if (!setting.minimum_limits) return build_plan(model, limits, options);
  DeviceLimits clamped = least(limits);
  // The tiles of unknown devices.
  const KernelDefaults of_device = std::exchange(clamped.kernels, {});
  clamped.kernels.half = of_device.half;
  clamped.kernels.winograd = of_device.winograd;
  SIGHTGLASS_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> whole, build_plan(model, clamped, options));
  clamped.max_storage_block_bytes = (data_of(*whole).arena_size - 1) * kBlockBytes;
  auto in_windows = build_plan(model, clamped, options);
  return in_windows.ok() ? std::move(*in_windows) : whole;
}

}  // namespace

Result<OpRun> run_on_gpu(const GlApi& gl, DeviceLimits limits, const OpCase& op, const Setting& setting,
                         ForcedPlanOptions options) {
  limits.kernels.half = {true, setting.half_products, setting.half_products};
  limits.kernels.narrow_weights = true;  // other kernels than for wide ones, on any device
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::shared_ptr<const Model> model, model_from_graph(op.graph));
  options.precision = setting.precision;
  options.sentinel_bytes = kGuardBytes;
  OpRun run;
  SIGHTGLASS_ASSIGN_OR_RETURN(run.plan, plan_for(model, limits, setting, options));
  SIGHTGLASS_ASSIGN_OR_RETURN(run.session, Session::create(gl, run.plan));
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    SIGHTGLASS_RETURN_IF_ERROR(run.session->write_input(i, op.inputs[i].data));
  }
  SIGHTGLASS_RETURN_IF_ERROR(run.session->run());
  for (size_t i = 0; i < model->outputs().size(); ++i) {
    const TensorInfo& info = model->outputs()[i];
    HostTensor& output = run.outputs.emplace_back(info.type, info.shape);
    SIGHTGLASS_RETURN_IF_ERROR(run.session->read_output(i, output.data));
  }
  SIGHTGLASS_RETURN_IF_ERROR(check_sentinels(*run.session));
  run.kernels = kernels_of(*run.plan);
  return run;
}

bool fits_half(const HostTensor& tensor) {
  if (tensor.type != DataType::kFloat32) return true;
  double energy = 0;
  for (const float v : tensor.as<float>()) {
    if (!(std::abs(v) <= kHalfLargest)) return false;
    energy += double{v} * v;
  }
  const double rms = std::sqrt(energy / std::max<double>(1, static_cast<double>(tensor.shape.elements())));
  return rms == 0 || rms > kHalfSmallest;
}

void round_to_half(HostTensor& tensor) {
  if (tensor.type != DataType::kFloat32) return;
  for (float& v : tensor.as<float>()) v = half_to_float(float_to_half(v));
}

bool has_dynamic_range(const Graph& graph) {
  return std::ranges::any_of(graph.order(), [&](NodeId id) { return graph.node(id).op == OpType::kDynamicQuantize; });
}

OpCase rounded_to_half(OpCase op) {
  if (has_dynamic_range(op.graph)) return op;
  for (HostTensor& input : op.inputs) round_to_half(input);
  for (const NodeId id : op.graph.order()) {
    const Node& node = op.graph.node(id);
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const bool weights = i < 2 || (node.op == OpType::kDepthwisePointwise && i == kDepthwiseWeights) ||
                           (node.op == OpType::kSqueezeExcite && i == kSqueezeWeights);
      const bool bias_or_slope = has_weights(node.op) && !weights;
      if (bias_or_slope || !op.graph.is_constant(node.inputs[i])) continue;
      if (op.graph.value(node.inputs[i]).type != DataType::kFloat32) continue;
      const Shape shape = op.graph.value(node.inputs[i]).shape;
      HostTensor constant = HostTensor::from_floats(shape, op.graph.floats(node.inputs[i]));
      round_to_half(constant);
      op.graph.set_input(id, i, op.graph.add_constant("rounded", shape, constant.as<float>()));
    }
  }
  return op;
}

}  // namespace sightglass::test
