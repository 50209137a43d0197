// Reductions over any axes, ARG_MAX and ARG_MIN. A tensor is viewed as [outer, reduced, inner], after a copy if its
#include <limits>

#include "graph/quantized.h"
#include "graph/tabulated_functions.h"
// layout differs. Adjacent axes are reduced at once, groups of axes one after the other, channels first.
#include <algorithm>

#include "graph/op_types.h"
#include "graph/operator_table.h"
#include "graph/quantized.h"
#include "kernel/tensors.h"
#include "ops/function.h"
#include "ops/ops.h"
#include "ops/parts.h"

namespace sightglass {

namespace {

// Elements per work group. Longer rows need several passes.
constexpr int32_t kSpan = 8192;
// Shader iterations are bounded (see DeviceLimits::max_loop_iterations). A slice takes one.
constexpr int32_t kMostIterations = 65535;

ShaderKey reduce_shader(const char* file, bool channels) {
  ShaderKey key{file, {}};
  if (channels) key.defines.push_back({"CHANNELS", "1"});
  return key;
}

struct Reducer {
  OpType op;
  GpuReduction reduction;
};
constexpr auto kReducers = std::to_array<Reducer>({
    {OpType::kMean, GpuReduction::kSum},
    {OpType::kSum, GpuReduction::kSum},
    {OpType::kReduceMax, GpuReduction::kMaximum},
    {OpType::kReduceAny, GpuReduction::kMaximum},
    {OpType::kReduceMin, GpuReduction::kMinimum},
    {OpType::kReduceAll, GpuReduction::kMinimum},
    {OpType::kReduceProd, GpuReduction::kProduct},
});
static_assert(operators::lists_exactly(kReducers, operators::kReduces));

// A group of axes as the middle of three dimensions.
struct Rows {
  int32_t outer = 1, count = 1, inner = 1;
};

std::vector<Rows> groups_of(const Shape& shape, const std::vector<int32_t>& axes, bool channels_done) {
  const int last = shape.rank() - 1;
  const auto reduced = [&](int d) { return std::ranges::find(axes, d) != axes.end(); };
  std::vector<Rows> groups;
  for (int end = last; end >= 0;) {
    int begin = end;
    while (begin > 0 && reduced(begin - 1) == reduced(end)) --begin;
    if (reduced(end)) {
      Rows rows;
      for (int d = 0; d < begin; ++d) rows.outer *= shape.dim(d);
      for (int d = begin; d <= end; ++d) rows.count *= d == last && channels_done ? 1 : shape.dim(d);
      for (int d = end + 1; d <= last; ++d) rows.inner *= reduced(d) ? 1 : shape.dim(d);
      if (rows.count > 1) groups.push_back(rows);
    }
    end = begin - 1;
  }
  return groups;
}

class Reduction {
 public:
  Reduction(Emitter& emitter, const Node& node)
      : emitter_(emitter),
        node_(node),
        integers_(is_integer(emitter.graph().value(node.inputs[0]))),
        requantizes_(node.op == OpType::kMean && is_quantized(emitter.graph().value(node.inputs[0])) &&
                     is_quantized(emitter.graph().value(node.outputs[0])) && is_clamp(node.activation)),
        shape_(emitter.graph().value(node.inputs[0]).shape),
        axes_(std::get<ReduceAttr>(node.attributes).axes) {}

  Status emit() {
    SIGHTGLASS_ASSIGN_OR_RETURN(current_, emitter_.tensor(node_.inputs[0]));
    SIGHTGLASS_ASSIGN_OR_RETURN(out_, emitter_.tensor(node_.outputs[0]));
    if (requantizes_) current_.scale.scale = 1;  // sums of steps
    const int32_t channels = current_.shape.c;
    const bool by_channels =
        channels > 1 && axes_.back() == shape_.rank() - 1 && current_.shape.slices() <= kMostIterations;
    std::vector<Rows> groups = groups_of(shape_, axes_, by_channels);
    if (by_channels) {
      const Bhwc reduced{current_.shape.b, current_.shape.h, current_.shape.w, 1};
      const Grid grid{int64_t{reduced.h} * reduced.w, reduced.b};
      SIGHTGLASS_RETURN_IF_ERROR(pass(true, reduced, 0, grid, groups.empty()));
    }
    for (size_t i = 0; i < groups.size(); ++i) {
      SIGHTGLASS_RETURN_IF_ERROR(reduce_rows(groups[i], i + 1 == groups.size()));
    }
    if (requantizes_) return requantize();
    return current_.tensor == out_.tensor ? Status() : emit_reshape(emitter_, current_, out_);
  }

 private:
  Status requantize() {
    const Value& result = emitter_.graph().value(node_.outputs[0]);
    TensorRef target{out_.tensor, current_.shape, out_.scale};
    const bool in_place = same_layout(current_.shape, out_.shape);
    if (!in_place) target = emitter_.temporary("mean " + node_.origin, current_.shape, out_);
    const MeanFactors factors = mean_factors(emitter_.graph(), node_);
    SIGHTGLASS_RETURN_IF_ERROR(
        emit_requantization(emitter_, current_, target, factors.factor, quantum_range(result, node_.activation)));
    return in_place ? Status() : emit_reshape(emitter_, target, out_);
  }

  Status reduce_rows(const Rows& rows, bool last) {
    const Bhwc view{rows.outer, 1, rows.count, rows.inner};
    if (!same_layout(current_.shape, view)) {
      TensorRef copy = emitter_.temporary("rows of " + node_.origin, view, current_);
      SIGHTGLASS_RETURN_IF_ERROR(emit_reshape(emitter_, current_, copy));
      current_ = copy;
    }
    current_.shape = view;
    for (;;) {
      const int32_t parts = (current_.shape.w + kSpan - 1) / kSpan;
      const Bhwc reduced{view.b, 1, parts, view.c};
      const Grid grid{int64_t{kKernelInvocations} * parts, int64_t{view.b} * view.slices()};
      SIGHTGLASS_RETURN_IF_ERROR(pass(false, reduced, kSpan, grid, last && parts == 1));
      if (parts == 1) return {};
    }
  }

  // Reduces current_ to `reduced`: into the output if this is the last pass and the layout matches, otherwise in full
  // precision.
  Status pass(bool channels, const Bhwc& reduced, int32_t span, const Grid& grid, bool last) {
    TensorRef target{out_.tensor, reduced, out_.scale};
    if (last && !same_layout(reduced, out_.shape)) target = emitter_.temporary(name(), reduced, out_);
    if (!last || requantizes_) {
      target = emitter_.temporary(name(), reduced, integers_ ? Storage::kInt32 : Storage::kFloat32);
    }
    const int64_t count = shape_.elements() / emitter_.graph().value(node_.outputs[0]).shape.elements();
    const bool mean = last && node_.op == OpType::kMean && !requantizes_;
    StepParams params({current_, target});
    const GpuReduction reduction = operators::find_row(kReducers, node_.op).reduction;
    params.ints(gpu_code(reduction), 0, mean ? static_cast<int32_t>(count) : 1, span);
    SIGHTGLASS_RETURN_IF_ERROR(
        emitter_.add_step(reduce_shader("reduce.comp", channels), std::move(params), grid, {current_}, {target},
                          {.activation = last && !requantizes_ ? gpu_code(node_.activation) : 0}));
    current_ = target;
    return {};
  }

  std::string name() const { return "reduced " + node_.origin; }

  Emitter& emitter_;
  const Node& node_;
  const bool integers_;
  const bool requantizes_;  // a MEAN of quantized data: sums of integers are requantized in the end
  const Shape& shape_;
  const std::vector<int32_t>& axes_;
  TensorRef current_, out_;
};

ShaderKey integer_product_shader() { return {"reduce_product_integers.comp", {}}; }

Status supports_integer_product(const PlanContext& context, const Node& node) {
  if (!wide_product_factor(context.graph, node)) return unsupported("tensors that are not int8 or int16");
  const std::vector<Rows> groups =
      groups_of(context.graph.value(node.inputs[0]).shape, std::get<ReduceAttr>(node.attributes).axes, false);
  if (groups.size() != 1) return unsupported("axes with others between them");
  if (groups[0].count <= kMostIterations) return {};
  return unsupported("a product of " + std::to_string(groups[0].count) + " elements");
}

Status emit_integer_product(Emitter& emitter, const Node& node) {
  const Graph& graph = emitter.graph();
  SIGHTGLASS_ASSIGN_OR_RETURN(TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  const Rows rows = groups_of(graph.value(node.inputs[0]).shape, std::get<ReduceAttr>(node.attributes).axes, false)[0];
  const Bhwc view{rows.outer, 1, rows.count, rows.inner}, reduced{rows.outer, 1, 1, rows.inner};
  if (!same_layout(in.shape, view)) {
    const TensorRef copy = emitter.temporary("rows of " + node.origin, view, in);
    SIGHTGLASS_RETURN_IF_ERROR(emit_reshape(emitter, in, copy));
    in = copy;
  }
  in.shape = view;
  TensorRef target{out.tensor, reduced, out.scale};
  if (!same_layout(reduced, out.shape)) target = emitter.temporary("product " + node.origin, reduced, out);
  const QuantumRange range = quantum_range(graph.value(node.outputs[0]), Activation::kNone);
  StepParams params({in, target});
  add_wide_factor(params, *wide_product_factor(graph, node));
  params.ints(range.lowest, range.highest);
  const Grid grid{int64_t{view.b} * view.slices(), 1};
  SIGHTGLASS_RETURN_IF_ERROR(emitter.add_step(integer_product_shader(), std::move(params), grid, {in}, {target}));
  return target.tensor == out.tensor ? Status() : emit_reshape(emitter, target, out);
}

std::vector<ShaderKey> integer_product_variants() {
  std::vector<ShaderKey> keys = storage_variants({integer_product_shader()}, "AO");
  for (ShaderKey& key : reshape_variants()) keys.push_back(std::move(key));
  return keys;
}

Status supports_reduce(const PlanContext& context, const Node& node) {
  if (wide_product_factor(context.graph, node)) return unsupported("a REDUCE_PROD of integers");

  const Shape& shape = context.graph.value(node.inputs[0]).shape;
  const auto& axes = std::get<ReduceAttr>(node.attributes).axes;
  if (std::ranges::all_of(axes, [&](int32_t axis) { return shape.dim(axis) == 1; })) {
    return unsupported("a reduction of one element; use RESHAPE");
  }
  if (node.activation == Activation::kPrelu) return unsupported("a fused PRELU");
  if (addend_of(node) != kNone) return unsupported("an addend");
  return {};
}

Status emit_reduce(Emitter& emitter, const Node& node) { return Reduction(emitter, node).emit(); }

std::vector<ShaderKey> reduce_variants() {
  std::vector<ShaderKey> keys;
  for (const bool channels : {false, true}) {
    for (const char* from : {"", "A_F16"}) {
      for (const char* to : {"", "OUT_F16"}) {
        ShaderKey key = reduce_shader("reduce.comp", channels);
        if (*from != '\0') key.defines.push_back({from, "1"});
        if (*to != '\0') key.defines.push_back({to, "1"});
        keys.push_back(std::move(key));
      }
    }
    ShaderKey key = reduce_shader("reduce.comp", channels);
    key.defines.push_back({"A_I32", "1"});
    key.defines.push_back({"OUT_I32", "1"});
    keys.push_back(std::move(key));
  }
  for (ShaderKey& key : reshape_variants()) keys.push_back(std::move(key));
  for (ShaderKey& key : requantization_variants()) keys.push_back(std::move(key));
  return keys;
}

Status supports_arg(const PlanContext& context, const Node& node) {
  const Shape& shape = context.graph.value(node.inputs[0]).shape;
  const int32_t axis = std::get<ArgAttr>(node.attributes).axis;
  const int32_t iterations = axis == shape.rank() - 1 ? (shape.dim(axis) + 3) / 4 * 5 : shape.dim(axis);
  if (iterations > kMostIterations) {
    return unsupported("a search among " + std::to_string(shape.dim(axis)) + " elements; make it smaller");
  }
  return {};
}

Status emit_arg(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  const Shape& shape = emitter.graph().value(node.inputs[0]).shape;
  const int32_t axis = std::get<ArgAttr>(node.attributes).axis;
  const bool channels = axis == shape.rank() - 1;
  Bhwc found{in.shape.b, in.shape.h, in.shape.w, 1};
  Grid grid{int64_t{in.shape.h} * in.shape.w, in.shape.b};
  if (!channels) {
    Rows rows{1, shape.dim(axis), 1};
    for (int d = 0; d < axis; ++d) rows.outer *= shape.dim(d);
    for (int d = axis + 1; d < shape.rank(); ++d) rows.inner *= shape.dim(d);
    const Bhwc view{rows.outer, 1, rows.count, rows.inner};
    if (!same_layout(in.shape, view)) {
      const TensorRef copy = emitter.temporary("rows of " + node.origin, view, in);
      SIGHTGLASS_RETURN_IF_ERROR(emit_reshape(emitter, in, copy));
      in = copy;
    }
    in.shape = view;
    found = {view.b, 1, 1, view.c};
    grid = {int64_t{view.b} * view.slices(), 1};
  }
  TensorRef target{out.tensor, found, out.scale};
  if (!same_layout(found, out.shape)) target = emitter.temporary("places " + node.origin, found, out);
  auto params = StepParams({in, target}).ints(node.op == OpType::kArgMin ? 1 : 0);
  SIGHTGLASS_RETURN_IF_ERROR(
      emitter.add_step(reduce_shader("arg_extreme.comp", channels), std::move(params), grid, {in}, {target}));
  return target.tensor == out.tensor ? Status() : emit_reshape(emitter, target, out);
}

std::vector<ShaderKey> arg_variants() {
  std::vector<ShaderKey> keys =
      storage_variants({reduce_shader("arg_extreme.comp", false), reduce_shader("arg_extreme.comp", true)}, "A", true);
  for (ShaderKey& key : keys) key.defines.push_back({"OUT_I32", "1"});
  for (ShaderKey& key : reshape_variants()) keys.push_back(std::move(key));
  return keys;
}

}  // namespace

std::vector<Kernel> arg_extreme_kernels(OpType) {
  return {{"arg-extreme", supports_arg, emit_arg, arg_variants,
           "at most " + std::to_string(kMostIterations) + " elements to choose from, along the last dimension " +
               std::to_string(kMostIterations / 5 * 4)}};
}

namespace {

ShaderKey mean_shader(bool requantize) {
  ShaderKey key{"mean_hw.comp", {}};
  if (requantize) key.defines.push_back({"REQUANTIZE", "1"});
  return key;
}

// Converts the axes of the shape to rows and columns of its BHWC view.
Status supports_mean(const PlanContext& context, const Node& node) {
  const int rank = context.graph.value(node.inputs[0]).shape.rank();
  const auto& axes = std::get<ReduceAttr>(node.attributes).axes;
  const bool rows_and_columns = axes.size() == 2 && axes[0] == rank - 3 && axes[1] == rank - 2;
  const Value& in = context.graph.value(node.inputs[0]);
  if (is_integer(in)) return unsupported("integers");
  if (addend_of(node) != kNone && is_quantized(in)) return unsupported("an addend of quantized data");
  if (!rows_and_columns) return unsupported("a mean over axes other than rows and columns");
  if (node.activation == Activation::kPrelu) return unsupported("a fused PRELU");
  return {};
}

Status emit_mean(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  // Without kept dimensions the batch becomes another axis of the result.
  const Bhwc reduced{in.shape.b, 1, 1, in.shape.c};
  TensorRef target{out.tensor, reduced, out.scale};
  if (!same_layout(reduced, out.shape)) target = emitter.temporary("mean " + node.origin, reduced, out);
  StepParams params({in, target});
  const Value &from = emitter.graph().value(node.inputs[0]), &to = emitter.graph().value(node.outputs[0]);
  const bool requantize = is_quantized(from) && is_quantized(to) && is_clamp(node.activation);
  const MeanFactors factors = requantize ? mean_factors(emitter.graph(), node) : MeanFactors{};
  const QuantumRange range = requantize ? quantum_range(to, node.activation) : QuantumRange{};
  params.ints(0, factors.before, factors.factor.multiplier, factors.factor.shift);
  params.ints(range.lowest, range.highest, 0, factors.after);
  const Grid grid{1, int64_t{in.shape.b} * in.shape.slices()};
  ShaderKey shader = mean_shader(requantize);
  std::vector<TensorRef> inputs{in};
  SIGHTGLASS_RETURN_IF_ERROR(add_addend(emitter, node, shader, params, inputs));
  SIGHTGLASS_RETURN_IF_ERROR(emitter.add_step(std::move(shader), std::move(params), grid, inputs, {target},
                                              {.activation = gpu_code(node.activation)}));
  return target.tensor == out.tensor ? Status() : emit_reshape(emitter, target, out);
}

std::vector<ShaderKey> mean_variants() {
  std::vector<ShaderKey> keys = storage_variants({mean_shader(false), mean_shader(true)}, "AO");
  ShaderKey with_addend = mean_shader(false);
  with_addend.defines.push_back(define_of(Operand::kAddend));
  std::ranges::move(storage_variants({with_addend}, "ABO"), std::back_inserter(keys));
  return keys;
}

}  // namespace

std::vector<Kernel> reduce_kernels(OpType op) {
  std::vector<Kernel> kernels;
  if (op == OpType::kMean) kernels.push_back({"mean-hw", supports_mean, emit_mean, mean_variants});
  if (op == OpType::kReduceProd) {
    kernels.push_back(
        {"reduce-product-integers", supports_integer_product, emit_integer_product, integer_product_variants});
  }
  kernels.push_back({"reduce", supports_reduce, emit_reduce, reduce_variants});
  return kernels;
}

// SOFTMAX, LOG_SOFTMAX and L2_NORMALIZATION: over the last dimension.

namespace {

ShaderKey softmax_shader() { return {"softmax.comp", {}}; }
ShaderKey l2_shader() { return {"l2_normalize.comp", {}}; }

// The shader reads the slices three times, and its iterations are bounded (see DeviceLimits::max_loop_iterations).
constexpr int32_t kMostSoftmaxSlices = 65535 / 3;

Status check_slices(const PlanContext& context, const Node& node) {
  const Bhwc shape = Bhwc::from(context.graph.value(node.inputs[0]).shape);
  if (shape.slices() <= kMostSoftmaxSlices) return {};
  return unsupported("a last dimension of " + std::to_string(shape.c) + " elements; make it smaller");
}

Status supports_softmax(const PlanContext& context, const Node& node) {
  if (node.activation != Activation::kNone) return unsupported("a fused activation");
  return check_slices(context, node);
}

Status supports_l2(const PlanContext& context, const Node& node) {
  if (node.activation == Activation::kPrelu) return unsupported("a fused PRELU");
  return check_slices(context, node);
}

Status emit_softmax(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  const auto* softmax = std::get_if<SoftmaxAttr>(&node.attributes);
  auto params = StepParams({in, out}).floats(softmax == nullptr ? 1 : softmax->beta, softmax == nullptr ? 1 : 0);
  return emitter.add_step(softmax_shader(), std::move(params), {int64_t{in.shape.h} * in.shape.w, in.shape.b}, {in},
                          {out});
}

Status emit_l2(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  StepParams params({in, out});
  return emitter.add_step(l2_shader(), std::move(params), {int64_t{in.shape.h} * in.shape.w, in.shape.b}, {in}, {out},
                          {.activation = gpu_code(node.activation)});
}

ShaderKey integer_softmax_shader() { return {"softmax_integers.comp", {}}; }

Status supports_integer_softmax(const PlanContext& context, const Node& node) {
  return has_integer_softmax(context.graph, node) ? Status()
                                                  : unsupported("tensors that are not int16 with zero points of 0");
}

int32_t add_table(Emitter& emitter, const TabulatedFunction& function) {
  std::vector<float> points(function.points().begin(), function.points().end());
  points.resize((points.size() + 3) / 4 * 4, 0.0f);
  return emitter.add_constants(points);
}

Status emit_integer_softmax(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  const IntegerSoftmax softmax(emitter.graph(), node);
  // Distances beyond this one overflow, if the factor has a left shift.
  const int32_t farthest = std::numeric_limits<int32_t>::min() >> std::max(softmax.factor().shift, 0);
  StepParams params({in, out});
  params.ints(softmax.factor().multiplier, softmax.factor().shift, farthest);
  params.ints(add_table(emitter, softmax.exponential()), add_table(emitter, softmax.reciprocal()));
  return emitter.add_step(integer_softmax_shader(), std::move(params), {int64_t{in.shape.h} * in.shape.w, in.shape.b},
                          {in}, {out});
}

std::vector<ShaderKey> integer_softmax_variants() { return storage_variants({integer_softmax_shader()}, "AO"); }
ShaderKey integer_l2_shader() { return {"l2_normalize_integers.comp", {}}; }

Status supports_integer_l2(const PlanContext& context, const Node& node) {
  return normalizes_integers(context.graph, node)
             ? Status()
             : unsupported("tensors that are not 8-bit integers, with a result in 128ths");
}

Status emit_integer_l2(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  const Value& result = emitter.graph().value(node.outputs[0]);
  const QuantumRange range = quantum_range(result, Activation::kNone);
  auto params = StepParams({in, out}).ints(range.lowest, range.highest, result.type == DataType::kUInt8 ? 1 : 0);
  return emitter.add_step(integer_l2_shader(), std::move(params), {int64_t{in.shape.h} * in.shape.w, in.shape.b}, {in},
                          {out});
}

std::vector<ShaderKey> integer_l2_variants() { return storage_variants({integer_l2_shader()}, "AO"); }
std::vector<ShaderKey> softmax_variants() { return storage_variants({softmax_shader()}, "AO"); }
std::vector<ShaderKey> l2_variants() { return storage_variants({l2_shader()}, "AO"); }

}  // namespace

std::vector<Kernel> softmax_kernels(OpType op) {
  const std::string limits = "last dimension at most " + std::to_string(kMostSoftmaxSlices * 4);
  switch (op) {
    case OpType::kSoftmax:
      return {{"softmax-integers", supports_integer_softmax, emit_integer_softmax, integer_softmax_variants},
              {"softmax", supports_softmax, emit_softmax, softmax_variants, limits}};
    case OpType::kL2Normalization:
      return {{"l2-normalize-integers", supports_integer_l2, emit_integer_l2, integer_l2_variants},
              {"l2-normalize", supports_l2, emit_l2, l2_variants, limits}};
    default:
      return {{"softmax", supports_softmax, emit_softmax, softmax_variants, limits}};
  }
}

// TOPK_V2.

namespace {

ShaderKey top_k_shader(bool places) {
  ShaderKey key{"top_k.comp", {}};
  if (places) key.defines.push_back({"PLACES", "1"});
  return key;
}

// An invocation needs five iterations per slice (see DeviceLimits::max_loop_iterations).
constexpr int32_t kMostTopKSlices = 65535 / 5;

Status supports_top_k(const PlanContext& context, const Node& node) {
  const Value &in = context.graph.value(node.inputs[0]), &values = context.graph.value(node.outputs[0]);
  if (node.activation != Activation::kNone) return unsupported("a fused activation");
  if (!same_quantization(in, values.quantization))
    return unsupported("results with another quantization than the data");
  if (Bhwc::from(in.shape).slices() <= kMostTopKSlices) return {};
  return unsupported("a choice among " + std::to_string(in.shape.dim(in.shape.rank() - 1)) + " elements; at most " +
                     std::to_string(kMostTopKSlices * 4) + " are supported");
}

Status emit_output(Emitter& emitter, const Node& node, size_t output) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[output]));
  const int32_t k = std::get<TopKAttr>(node.attributes).k;
  const Bhwc rows{in.shape.b, in.shape.h * in.shape.w, k, 1};
  const bool direct = same_layout(rows, out.shape);
  TensorRef picked{out.tensor, rows, out.scale};
  if (!direct) {
    picked = emitter.temporary("picked " + emitter.graph().value(node.outputs[output]).name, rows, out);
  }
  auto params = StepParams({in, picked}).ints(k);
  const Grid grid{int64_t{in.shape.h} * in.shape.w * in.shape.slices(), in.shape.b};
  SIGHTGLASS_RETURN_IF_ERROR(emitter.add_step(top_k_shader(output == 1), std::move(params), grid, {in}, {picked}));
  return direct ? Status() : emit_reshape(emitter, picked, out);
}

Status emit_top_k(Emitter& emitter, const Node& node) {
  SIGHTGLASS_RETURN_IF_ERROR(emit_output(emitter, node, 0));
  return emit_output(emitter, node, 1);
}

std::vector<ShaderKey> top_k_variants() {
  std::vector<ShaderKey> keys = storage_variants({top_k_shader(true)}, "A", true);
  for (ShaderKey& key : keys) key.defines.push_back({"OUT_I32", "1"});
  for (ShaderKey& key : storage_variants({top_k_shader(false)}, "AO", true)) keys.push_back(std::move(key));
  for (ShaderKey& key : reshape_variants()) keys.push_back(std::move(key));
  return keys;
}

}  // namespace

std::vector<Kernel> top_k_kernels(OpType) {
  return {{"top-k", supports_top_k, emit_top_k, top_k_variants,
           "last dimension at most " + std::to_string(kMostTopKSlices * 4)}};
}

}  // namespace sightglass
