#include "fuzz/graph_check.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "gpu_engine/internals.h"
#include "graph/op_types.h"
#include "graph/quantized.h"
#include "harness/compare.h"
#include "ref/ref_ops.h"

namespace sightglass::test {

namespace {

// The tolerance of functions that are not computed in integers: one result in fifty, off by one quantization step.
constexpr int kOneIn = 50;
constexpr double kFewQuanta = 1e-4;
constexpr double kFloatTolerance = 1e-9;
// The allowed multiple of the output change that small changes of intermediate results cause.
constexpr double kCondition = 100;
// Above this, the limit would accept anything.
constexpr double kHighestBar = 1e-2;

using Tensors = std::vector<std::optional<HostTensor>>;  // per value
double rms(const HostTensor& tensor) {
  double energy = 0;
  for (const float v : tensor.as<float>()) energy += double{v} * v;
  return std::sqrt(energy / std::max<double>(1, static_cast<double>(tensor.shape.elements())));
}

template <typename T>
void step_some(HostTensor& tensor, Random& random) {
  const auto count = static_cast<int>(tensor.as<T>().size());
  for (int i = random.pick(0, std::min(count, kOneIn) - 1); i < count; i += kOneIn) {
    T& v = tensor.as<T>()[static_cast<size_t>(i)];
    v = static_cast<T>(v == std::numeric_limits<T>::max() ? v - 1 : v + 1);
  }
}

// Changes the values as another order of sums, or another rounding, would.
class Shake {
 public:
  Shake(const Graph& graph, const std::vector<bool>& exact, Precision precision)
      : graph_(graph), exact_(exact), precision_(precision) {}

  // A small sum may consist of large summands, before an activation is applied, so the summands are changed too.
  bool reaches_into(const Node& node) const {
    const Value& data = graph_.value(node.inputs[0]);
    const bool rounded = data.producer != kNone && graph_.node(data.producer).op == OpType::kDynamicQuantize;
    return (has_weights(node.op) || node.op == OpType::kLstm) && data.type == DataType::kFloat32 && !rounded;
  }
  // `keeps`: between its steps, the operator stores values like the plan.
  void move(HostTensor& tensor, bool keeps = false) {
    const float unit = keeps && precision_ == Precision::kFp16 ? 0x1p-11f : 0x1p-22f;
    const auto floor = static_cast<float>(rms(tensor) * 0x1p-24);
    for (float& v : tensor.as<float>()) v += (std::abs(v) * unit + floor) * random_.uniform(-1, 1);
  }

  void result(ValueId id, HostTensor& tensor) {
    const Value& value = graph_.value(id);
    if (value.type == DataType::kFloat32 && precision_ == Precision::kFp16) round_to_half(tensor);
    if (exact_[static_cast<size_t>(id)]) return;
    if (value.type == DataType::kFloat32) {
      move(tensor);
    } else if (is_quantized(value)) {
      if (value.type == DataType::kInt8) step_some<int8_t>(tensor, random_);
      if (value.type == DataType::kUInt8) step_some<uint8_t>(tensor, random_);
      if (value.type == DataType::kInt16) step_some<int16_t>(tensor, random_);
    }
  }

 private:
  const Graph& graph_;
  const std::vector<bool>& exact_;
  Precision precision_;
  Random random_{1};
};

// All tensors of the reference, perturbed if `shake` is set.
Result<Tensors> evaluate(const OpCase& op, Shake* shake) {
  const Graph& graph = op.graph;
  Tensors tensors(graph.value_count());
  for (size_t i = 0; i < op.inputs.size(); ++i) tensors[static_cast<size_t>(graph.inputs[i])] = op.inputs[i];
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    std::vector<const HostTensor*> arguments;
    for (const ValueId input : node.inputs) {
      if (input == kNone) {
        arguments.push_back(nullptr);
        continue;
      }
      std::optional<HostTensor>& tensor = tensors[static_cast<size_t>(input)];
      if (!tensor) {
        SIGHTGLASS_ASSIGN_OR_RETURN(tensor, ref::constant_tensor(graph, input));
      }
      arguments.push_back(&*tensor);
    }
    HostTensor data;
    if (shake != nullptr && shake->reaches_into(node)) {
      data = *arguments[0];
      shake->move(data, node.op == OpType::kLstm);
      arguments[0] = &data;
    }
    SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<HostTensor> results, ref::evaluate(graph, node, arguments));
    for (size_t i = 0; i < results.size(); ++i) {
      if (shake != nullptr) shake->result(node.outputs[i], results[i]);
      tensors[static_cast<size_t>(node.outputs[i])] = std::move(results[i]);
    }
  }
  return tensors;
}

// The expected result of a case with one precision, and the tolerance per value.
struct Expectation {
  OpCase op;  // as it is stored
  Tensors tensors;
  std::vector<double> bars;
  std::string unfit;  // why no comparison is possible; empty if one is
};

bool moderate(const HostTensor& tensor) {
  if (tensor.type != DataType::kFloat32) return true;
  return std::ranges::all_of(tensor.as<float>(), [](float v) { return std::abs(v) < 1e30f; });
}

Result<Expectation> expect(const FuzzCase& fuzz, Precision precision) {
  const bool half = precision == Precision::kFp16 && !has_dynamic_range(fuzz.op.graph);
  Expectation e{half ? rounded_to_half(fuzz.op) : fuzz.op, {}, {}, {}};
  SIGHTGLASS_ASSIGN_OR_RETURN(e.tensors, evaluate(e.op, nullptr));
  Shake shake(e.op.graph, fuzz.exact, half ? Precision::kFp16 : Precision::kFp32);
  SIGHTGLASS_ASSIGN_OR_RETURN(const Tensors shaken, evaluate(e.op, &shake));
  const Graph& graph = fuzz.op.graph;
  e.bars.resize(graph.value_count(), 0.0);
  for (ValueId id = 0; id < static_cast<ValueId>(graph.value_count()); ++id) {
    const auto i = static_cast<size_t>(id);
    if (!e.tensors[i]) continue;
    if (!(half ? fits_half(*e.tensors[i]) : moderate(*e.tensors[i]))) e.unfit = "numbers overflow";
    const Value& value = graph.value(id);
    const bool is_float = value.type == DataType::kFloat32;
    const double base = is_float ? (half ? kHalfTolerance : kFloatTolerance) : fuzz.exact[i] ? 0 : kFewQuanta;
    e.bars[i] = std::max(base, kCondition * compare(*e.tensors[i], *shaken[i]).nmse);
    const bool is_output = std::ranges::find(graph.outputs, id) != graph.outputs.end();
    if (is_output && e.bars[i] > kHighestBar) e.unfit = "ill-conditioned";
  }
  return e;
}

bool differs(const HostTensor& expected, const HostTensor& got, double bar) {
  const Comparison figures = compare(expected, got);
  if (figures.range < kFlushed && figures.max_abs < kFlushed) return false;
  return !(figures.nmse <= bar);
}

std::string describe_difference(const OpCase& op, ValueId id, const HostTensor& expected, const HostTensor& got,
                                double bar) {
  char text[64];
  std::snprintf(text, sizeof(text), " (bar %.2g)", bar);
  return "'" + op.graph.value(id).name + "': " + to_string(compare(expected, got)) + text;
}

// The first node with a wrong result, from a run that keeps all tensors.
std::string first_wrong(const GlApi& gl, const DeviceLimits& limits, OpCase op, const Setting& setting,
                        const Expectation& e) {
  op.graph.outputs.clear();
  for (const NodeId id : op.graph.order()) {
    if (op.graph.node(id).op == OpType::kDynamicQuantize) continue;  // its tensor contains quantization steps
    for (const ValueId output : op.graph.node(id).outputs) op.graph.outputs.push_back(output);
  }
  ForcedPlanOptions options;
  options.rewrites = false;
  const Result<OpRun> run = run_on_gpu(gl, limits, op, setting, options);
  if (!run.ok()) return run.status().message();
  for (size_t i = 0; i < op.graph.outputs.size(); ++i) {
    const ValueId id = op.graph.outputs[i];
    const auto v = static_cast<size_t>(id);
    if (!differs(*e.tensors[v], run->outputs[i], e.bars[v])) continue;
    return describe(op.graph, op.graph.value(id).producer) + ", " +
           describe_difference(op, id, *e.tensors[v], run->outputs[i], e.bars[v]);
  }
  return "none when nothing is rewritten and all values are kept";
}

struct Variant {
  std::string name;
  ForcedPlanOptions options;
};
std::vector<Variant> variants(const Graph& graph, Precision precision) {
  std::vector<Variant> list(2);
  list[0].name = "without rewrites";
  list[0].options.rewrites = false;
  list[1].name = "with rewrites";
  if (precision == Precision::kFp16) return list;  // constants are not rounded on the CPU
  list.emplace_back();
  const OpType hidden = graph.node(graph.order()[graph.order().size() / 2]).op;
  list[2].name = std::string(to_string(hidden)) + " on the CPU";
  list[2].options.fallback = Fallback::kCpu;
  list[2].options.hidden_operators = {to_string(hidden)};
  return list;
}

}  // namespace

Verdict check_graph(const GlApi& gl, const DeviceLimits& limits, const FuzzCase& fuzz) {
  using Kind = Verdict::Kind;
  if (const Status valid = verify(fuzz.op.graph); !valid.ok()) return {Kind::kWrong, "invalid: " + valid.message()};
  bool compared = false;
  std::string unfit;
  for (const Setting& setting : kSettings) {
    const Result<Expectation> expected = expect(fuzz, setting.precision);
    if (!expected.ok()) return {Kind::kWrong, "the reference: " + expected.status().message()};
    if (!expected->unfit.empty()) {
      unfit = expected->unfit;
      continue;
    }
    for (const Variant& variant : variants(fuzz.op.graph, setting.precision)) {
      const std::string how = std::string(setting.name) + ", " + variant.name;
      const Result<OpRun> run = run_on_gpu(gl, limits, fuzz.op, setting, variant.options);
      if (!run.ok() && run.status().code() == ErrorCode::kUnsupported) {
        return {Kind::kDeclined, run.status().message()};
      }
      if (!run.ok()) return {Kind::kWrong, how + ": " + run.status().message()};
      compared = true;
      for (size_t i = 0; i < run->outputs.size(); ++i) {
        const ValueId id = fuzz.op.graph.outputs[i];
        const auto v = static_cast<size_t>(id);
        const HostTensor& reference = *expected->tensors[v];
        if (!differs(reference, run->outputs[i], expected->bars[v])) continue;
        return {Kind::kWrong, how + ": output " +
                                  describe_difference(fuzz.op, id, reference, run->outputs[i], expected->bars[v]) +
                                  "\nfirst wrong: " + first_wrong(gl, limits, fuzz.op, setting, *expected) +
                                  "\nkernels: " + run->kernels};
      }
    }
  }
  return compared ? Verdict{} : Verdict{Kind::kUnfit, unfit};
}

}  // namespace sightglass::test
