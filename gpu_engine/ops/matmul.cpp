// BATCH_MATMUL, and FULLY_CONNECTED with computed weights.
#include "graph/quantized.h"
#include "kernel/tensors.h"
#include "ops/conv_constants.h"
#include "ops/function.h"
#include "ops/ops.h"
#include "ops/parts.h"
namespace sightglass {

namespace {

ShaderKey matmul_shader(bool bias) {
  ShaderKey key{"matmul.comp", {}};
  if (bias) key.defines.push_back({"BIAS", "1"});
  return key;
}

// An invocation needs nine iterations for four products (see DeviceLimits::max_loop_iterations).
constexpr int32_t kMostProducts = 65535 / 9 * 4;

Status check_depth(int32_t depth) {
  if (depth <= kMostProducts) return {};
  return unsupported("sums of " + std::to_string(depth) + " products; at most " + std::to_string(kMostProducts) +
                     " are supported");
}

// Operands and result in the shapes for multiplication.
struct Product {
  TensorRef x, y, out;
  std::vector<Shape> operands;
  Shape result;
  BatchMatmulAttr attr;
  Activation activation = Activation::kNone;
};

struct ColumnConstants {
  int32_t bias = 0, slope = 0;  // positions in the constants
};

Status emit_product(Emitter& emitter, const Product& p, const std::optional<ColumnConstants>& constants) {
  StepParams params({p.x, p.y, p.out});
  add_batch_steps(params, p.operands, p.result);
  params.ints(p.attr.adj_x ? 1 : 0, p.attr.adj_y ? 1 : 0, 0, p.attr.adj_x ? p.x.shape.w : p.x.shape.c);
  if (constants) {
    params.ints(constants->bias, constants->slope);
  } else {
    params.ints(0);
  }
  const int64_t blocks = (p.out.shape.w + 3) / 4;
  const Grid grid{blocks * p.out.shape.h, int64_t{p.out.shape.b} * p.out.shape.slices()};
  return emitter.add_step(matmul_shader(constants.has_value()), std::move(params), grid, {p.x, p.y}, {p.out},
                          {.activation = gpu_code(p.activation)});
}

Status supports_matmul(const PlanContext& context, const Node& node) {
  if (node.activation != Activation::kNone) return unsupported("a fused activation");
  const Bhwc x = Bhwc::from(context.graph.value(node.inputs[0]).shape);
  return check_depth(std::get<BatchMatmulAttr>(node.attributes).adj_x ? x.w : x.c);
}

Status emit_matmul(Emitter& emitter, const Node& node) {
  const auto shape = [&](ValueId id) { return emitter.graph().value(id).shape; };
  Product p;
  SIGHTGLASS_ASSIGN_OR_RETURN(p.x, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(p.y, emitter.tensor(node.inputs[1]));
  SIGHTGLASS_ASSIGN_OR_RETURN(p.out, emitter.tensor(node.outputs[0]));
  p.operands = {shape(node.inputs[0]), shape(node.inputs[1])};
  p.result = shape(node.outputs[0]);
  p.attr = std::get<BatchMatmulAttr>(node.attributes);
  return emit_product(emitter, p, std::nullopt);
}

ShaderKey integer_matmul_shader() { return {"matmul_integers.comp", {}}; }

Status supports_integer_matmul(const PlanContext& context, const Node& node) {
  if (!wide_matmul_factor(context.graph, node)) return unsupported("tensors that are not int16 with zero points of 0");
  return supports_matmul(context, node);
}

Status emit_integer_matmul(Emitter& emitter, const Node& node) {
  const Graph& graph = emitter.graph();
  const auto& attr = std::get<BatchMatmulAttr>(node.attributes);
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef x, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef y, emitter.tensor(node.inputs[1]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  const FixedPoint factor = *wide_matmul_factor(graph, node);
  StepParams params({x, y, out});
  add_batch_steps(params, {graph.value(node.inputs[0]).shape, graph.value(node.inputs[1]).shape},
                  graph.value(node.outputs[0]).shape);
  params.ints(attr.adj_x ? 1 : 0, attr.adj_y ? 1 : 0, 0, attr.adj_x ? x.shape.w : x.shape.c);
  add_wide_factor(params, factor);
  return emitter.add_step(integer_matmul_shader(), std::move(params), Grid::over(out.shape), {x, y}, {out});
}

Status supports_computed_fully_connected(const PlanContext& context, const Node& node) {
  const Value &data = context.graph.value(node.inputs[0]), &weights = context.graph.value(node.inputs[1]);
  if (weights.constant) return unsupported("constant weights");
  if (data.type != weights.type) {
    return unsupported("computed weights of " + std::string(to_string(weights.type)) + " with data of " +
                       to_string(data.type));
  }
  SIGHTGLASS_RETURN_IF_ERROR(check_bias_and_slope(context.graph, node, weights.shape.dim(0)));
  return check_depth(weights.shape.dim(1));
}

// Input `index` as floats, in whole slices; zeros if absent.
std::vector<float> column_numbers(const Graph& graph, const Node& node, size_t index, int32_t columns) {
  std::vector<float> numbers;
  if (node.inputs.size() > index && node.inputs[index] != kNone) {
    const Constant& constant = *graph.value(node.inputs[index]).constant;
    numbers = real_operand(graph, node, index, constant.type, constant.bytes);
  }
  numbers.resize((static_cast<size_t>(columns) + 3) / 4 * 4, 0.0f);
  return numbers;
}

// Emits the product of a matrix [rows, depth] and the transposed weights.
Status emit_computed_fully_connected(Emitter& emitter, const Node& node) {
  const Graph& graph = emitter.graph();
  const Value &data = graph.value(node.inputs[0]), &weights = graph.value(node.inputs[1]);
  const int32_t depth = weights.shape.dim(1), columns = weights.shape.dim(0);
  const auto rows = static_cast<int32_t>(data.shape.elements() / depth);
  Product p;
  SIGHTGLASS_ASSIGN_OR_RETURN(p.x, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(p.y, emitter.tensor(node.inputs[1]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  p.operands = {Shape{rows, depth}, weights.shape};
  p.result = Shape{rows, columns};
  p.attr = {false, true};
  p.activation = node.activation;

  const Bhwc x_view{1, 1, rows, depth}, out_view{1, 1, rows, columns};
  if (!same_layout(p.x.shape, x_view)) {
    const TensorRef matrix = emitter.temporary("rows of " + data.name, x_view, p.x);
    SIGHTGLASS_RETURN_IF_ERROR(emit_reshape(emitter, p.x, matrix));
    p.x = matrix;
  }
  p.x.shape = x_view;
  const bool direct = same_layout(out.shape, out_view);
  p.out = direct ? out : emitter.temporary("rows of " + graph.value(node.outputs[0]).name, out_view, out);
  p.out.shape = out_view;

  ColumnConstants constants;
  constants.bias = emitter.add_constants(column_numbers(graph, node, 2, columns));
  constants.slope = emitter.add_constants(column_numbers(graph, node, 3, columns));
  SIGHTGLASS_RETURN_IF_ERROR(emit_product(emitter, p, constants));
  return direct ? Status() : emit_reshape(emitter, p.out, out);
}

std::vector<ShaderKey> matmul_variants() { return storage_variants({matmul_shader(false)}, "ABO"); }

std::vector<ShaderKey> integer_matmul_variants() { return storage_variants({integer_matmul_shader()}, "ABO"); }

std::vector<ShaderKey> computed_variants() {
  std::vector<ShaderKey> keys = storage_variants({matmul_shader(true)}, "ABO");
  for (ShaderKey& key : reshape_variants()) keys.push_back(std::move(key));
  return keys;
}

std::string most_products() { return "sums of at most " + std::to_string(kMostProducts) + " products"; }
}  // namespace

std::vector<Kernel> batch_matmul_kernels(OpType) {
  return {{"matmul-integers", supports_integer_matmul, emit_integer_matmul, integer_matmul_variants},
          {"matmul", supports_matmul, emit_matmul, matmul_variants, most_products()}};
}

Kernel fully_connected_computed_kernel() {
  return {"fully-connected-computed", supports_computed_fully_connected, emit_computed_fully_connected,
          computed_variants, "computed weights: in the type of the data, constant bias, " + most_products()};
}

}  // namespace sightglass
