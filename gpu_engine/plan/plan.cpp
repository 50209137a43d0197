#include "sightglass/plan.h"

#include <algorithm>
#include <optional>
#include <span>

#include "gpu_engine/files.h"
#include "gpu_engine/internals.h"
#include "gpu_engine/quoted.h"
#include "graph/analyses.h"
#include "graph/op_types.h"
#include "graph/quantized.h"
#include "kernel/emitter.h"
#include "kernel/tensors.h"
#include "ops/parts.h"
#include "ops/tensor_io.h"
#include "plan/plan_data.h"
#include "plan/planner.h"
#include "rewrites/rewrites.h"
#include "sightglass/log.h"

namespace sightglass {

// Log messages about planning.

namespace {

std::string megabytes(int64_t bytes) {
  std::string number = std::to_string(static_cast<double>(bytes) / 1e6);  // six digits after the point
  number.resize(number.size() - 4);
  return number + " MB";
}

std::string describe(const Step& step, size_t place) {
  const std::string what =
      "step " + std::to_string(place) + ", level " + std::to_string(step.level) + ": " + step.node + ": " + step.kernel;
  if (step.cpu_stretch >= 0) return what;
  const auto& [x, y, z] = step.groups;
  return what + ", " + std::to_string(x) + "x" + std::to_string(y) + "x" + std::to_string(z) + " work groups";
}

}  // namespace

void log_rewrites(const RewriteReport& report, const Log& log) {
  if (!log.wants(LogLevel::kDebug)) return;
  for (const RewriteReport::Entry& entry : report.applied) {
    log.debug([&] { return "rewrite " + entry.rewrite + " applied at " + entry.node; });
  }
  for (const RewriteReport::Entry& entry : report.declined) {
    log.debug([&] { return "rewrite " + entry.rewrite + " declined at " + entry.node + ": " + entry.reason; });
  }
}

// Logs the finished plan of the model `name`: steps, operators on the CPU, and totals.
void log_plan(const std::string& name, const PlanData& plan, const Stopwatch& time) {
  const Log& log = plan.options.log;
  if (!log.wants(LogLevel::kInfo)) return;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    log.debug([&] { return describe(plan.steps[i], i); });
  }
  for (const std::string& on_cpu : plan.fallback.operators) {
    log.debug([&] { return "on the CPU: " + on_cpu; });
  }
  const MemoryReport& memory = plan.memory;
  log.debug([&] {
    return name + ": memory: " + megabytes(memory.arena_bytes) + " for activations (" +
           megabytes(memory.lower_bound_bytes) + " live at once, " + megabytes(memory.tensor_bytes) +
           " without sharing), " + megabytes(memory.constant_bytes) + " for constants, " +
           megabytes(memory.output_bytes) + " for outputs, " + megabytes(memory.weight_bytes) + " for weights";
  });
  log.info([&] {
    return name + ": " + std::to_string(plan.steps.size() - plan.cpu_stretches.size()) + " dispatches in " +
           std::to_string(plan.levels) + " levels, " + std::to_string(plan.programs.size()) + " shader programs, " +
           (plan.options.precision == Precision::kFp16 ? "fp16" : "fp32") + ", planned in " + time.text();
  });
}

namespace {

Status check_texture_type(const TensorInfo& info) {
  if (storage_of(info.type, info.quantization, Storage::kFloat32) != Storage::kInt32) return {};
  return unsupported(std::string("cannot use a texture for a tensor of ") + to_string(info.type) +
                     "; read and write it through the host");
}

// Completes the options: one spec per input and output, each valid for its tensor.
Result<ForcedPlanOptions> complete_options(const Model& model, const DeviceLimits& limits, ForcedPlanOptions options) {
  if (options.inputs.size() > model.inputs().size() || options.outputs.size() > model.outputs().size()) {
    return invalid_argument(model.name() + " has " + std::to_string(model.inputs().size()) + " inputs and " +
                            std::to_string(model.outputs().size()) +
                            " outputs, but there are options for more; remove them");
  }
  if (options.sentinel_bytes < 0 || options.sentinel_bytes % 16 != 0) {
    return invalid_argument("guard bands must be a multiple of 16 bytes");
  }
  options.inputs.resize(model.inputs().size());
  options.outputs.resize(model.outputs().size());
  for (size_t i = 0; i < options.inputs.size(); ++i) {
    const TensorInfo& info = model.inputs()[i];
    if (options.inputs[i].source == InputSpec::Source::kBuffer) {
      SIGHTGLASS_RETURN_IF_ERROR(
          check_buffer_input(info.type, info.shape).with_context(model.name() + ", input " + quote(info.name)));
    }
    if (options.inputs[i].source != InputSpec::Source::kTexture) continue;
    SIGHTGLASS_RETURN_IF_ERROR(check_texture_input(info.shape, options.inputs[i], limits)
                                   .with_context(model.name() + ", input " + quote(info.name)));
  }
  for (size_t i = 0; i < options.outputs.size(); ++i) {
    if (options.outputs[i].target != OutputSpec::Target::kTexture) continue;
    const TensorInfo& info = model.outputs()[i];
    SIGHTGLASS_RETURN_IF_ERROR(check_texture_type(info).with_context(model.name() + ", output " + quote(info.name)));
    SIGHTGLASS_RETURN_IF_ERROR(check_texture_output(info.shape, options.outputs[i], limits)
                                   .with_context(model.name() + ", output " + quote(info.name)));
  }
  return options;
}

// Makes inputs that are outputs of the previous run states of the graph.
Status carry_outputs(Graph& graph, const std::vector<InputSpec>& specs) {
  for (size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].source != InputSpec::Source::kPrevious) continue;
    const std::string here = "input " + std::to_string(i) + " continues output " + std::to_string(specs[i].previous);
    if (specs[i].previous >= graph.outputs.size()) return invalid_argument(here + ", which does not exist");
    const State state{graph.inputs[i], graph.outputs[specs[i].previous], {}};
    const Value &to = graph.value(state.input), &from = graph.value(state.output);
    if (from.type != to.type || from.shape != to.shape || from.quantization.scale != to.quantization.scale ||
        from.quantization.zero_point != to.quantization.zero_point) {
      return invalid_argument(here + " of another type, shape or quantization");
    }
    graph.states.push_back(state);
  }
  return {};
}

// Replaces each unused output by a used one.
Status drop_unwanted_outputs(Graph& graph, const std::vector<OutputSpec>& specs) {
  const auto wanted =
      std::ranges::find_if(specs, [](const OutputSpec& s) { return s.target != OutputSpec::Target::kNone; });
  if (wanted == specs.end() && !specs.empty()) return invalid_argument("all outputs are unused; use at least one");
  for (size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].target != OutputSpec::Target::kNone) continue;
    graph.outputs[i] = graph.outputs[static_cast<size_t>(wanted - specs.begin())];
  }
  graph.remove_dead_nodes();
  return {};
}

// Inputs that the host or shaders write keep their place from run to run.
Status place_inputs(Emitter& emitter, PlanData& data) {
  for (size_t i = 0; i < emitter.graph().inputs.size(); ++i) {
    const ValueId id = emitter.graph().inputs[i];
    data.input_buffers.push_back(-1);
    if (emitter.context().texture_input(id) ||
        emitter.context().options.inputs[i].source == InputSpec::Source::kPrevious) {
      data.inputs.push_back({});
      continue;
    }
    SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef ref, emitter.tensor(id));
    data.inputs.push_back(ref);
    if (emitter.context().options.inputs[i].source == InputSpec::Source::kBuffer) {
      SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef dense, emit_load_buffer(emitter, static_cast<int>(i), ref));
      data.input_buffers.back() = dense.tensor;
    } else {
      emitter.plan_tensor(ref).persistent = true;
    }
  }
  return {};
}

// Before all nodes: a kernel may update a state in place.
Status place_states(Emitter& emitter, PlanData& data) {
  const Graph& graph = emitter.graph();
  int64_t bytes = 0;
  for (const State& state : graph.states) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef ref, emitter.tensor(state.input));
    PlanTensor& tensor = emitter.plan_tensor(ref);
    tensor.persistent = true;
    bytes += tensor.size * kBlockBytes;
    if (const int64_t limit = emitter.context().options.resources.memory_bytes; bytes > limit) {
      return beyond_memory_limit("its state needs", bytes, limit);
    }
    PlanState placed{ref, std::vector<std::byte>(static_cast<size_t>(tensor.size * kBlockBytes))};
    if (state.initial) {
      const Value& value = graph.value(state.input);
      const std::vector<std::byte> stored =
          to_storage(ref.shape, tensor.storage, value.type, value.quantization, state.initial->bytes);
      std::ranges::copy(stored, placed.initial.begin());
    }
    data.states.push_back(std::move(placed));
  }
  return {};
}

// Before states change: copies of the old contents of states that are outputs, or the next contents of other states.
Status keep_old_states(Emitter& emitter, PlanData& data) {
  const Graph& graph = emitter.graph();
  if (!emitter.context().options.keep_state) return {};
  emitter.set_node("states");
  std::vector<std::pair<ValueId, ValueId>> kept;  // with the state that needs no copy of its own contents
  for (const State& state : graph.states) kept.emplace_back(state.output, state.input);
  for (const ValueId output : graph.outputs) kept.emplace_back(output, kNone);
  for (const auto& [value, own] : kept) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef ref, emitter.tensor(value));
    const int region = region_of(data.tensors, ref.tensor);
    for (size_t i = 0; i < graph.states.size(); ++i) {
      const State& holder = graph.states[i];
      const bool unchanged = holder.output == holder.input || holder.input == own;
      if (data.states[i].place.tensor != region || unchanged || holder.output == value) continue;
      const TensorRef copy = emitter.temporary(emitter.name(ref) + " (old)", ref.shape, ref);
      SIGHTGLASS_RETURN_IF_ERROR(emit_reshape(emitter, ref, copy));
      emitter.place(value, copy);
      break;
    }
  }
  return {};
}

// After all nodes: states for the next run.
Status emit_states(Emitter& emitter, const PlanData& data) {
  if (!emitter.context().options.keep_state) return {};
  emitter.set_node("states");
  for (size_t i = 0; i < data.states.size(); ++i) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef from, emitter.tensor(emitter.graph().states[i].output));
    const TensorRef& to = data.states[i].place;
    if (from.tensor != to.tensor) SIGHTGLASS_RETURN_IF_ERROR(emit_reshape(emitter, from, to));
  }
  return {};
}

bool is_obstacle(const Status& status) {
  return status.code() == ErrorCode::kUnsupported || status.code() == ErrorCode::kResourceExhausted;
}

// Continues after nodes that cannot run, to find all of them. Skips nodes that depend on them.
Status emit_on_gpu(Emitter& emitter, PlanData& data, KernelChoice& choice, const std::vector<NodeId>& nodes,
                   std::vector<bool>& missing) {
  const Graph& graph = emitter.graph();
  for (const NodeId id : nodes) {
    const Node& node = graph.node(id);
    const Kernel* kernel = choice.kernels[static_cast<size_t>(id)];
    const auto is_missing = [&](ValueId input) { return input != kNone && missing[static_cast<size_t>(input)]; };
    bool emitted = kernel != nullptr && std::ranges::none_of(node.inputs, is_missing);
    if (emitted) {
      emitter.set_node(describe(graph, id));
      const size_t first_step = data.steps.size();
      const Status status = kernel->emit(emitter, node);
      if (!status.ok() && !is_obstacle(status)) return status.with_context(describe(graph, id));
      if (!status.ok()) choice.give_up(emitter.context(), id, status.message());
      emitted = status.ok();
      share_work(std::span(data.steps).subspan(first_step), multiply_adds(graph, node), work(graph, node));
    }
    for (const ValueId output : node.outputs) missing[static_cast<size_t>(output)] = !emitted;
  }
  return {};
}

Status emit_nodes(Emitter& emitter, PlanData& data, KernelChoice& choice) {
  std::vector<bool> missing(emitter.graph().value_count());
  for (const Stretch& stretch : divide(emitter.graph(), choice)) {
    if (!stretch.on_cpu) {
      SIGHTGLASS_RETURN_IF_ERROR(emit_on_gpu(emitter, data, choice, stretch.nodes, missing));
    } else if (choice.obstacles.empty() && !choice.changed) {
      SIGHTGLASS_RETURN_IF_ERROR(emit_on_cpu(emitter, data, choice, stretch.nodes));
    }
  }
  return {};
}

// Emits all nodes. If a node turns out not to fit the device and the fallback is enabled, it moves to the CPU and
// everything is emitted again.
Status emit_model(const PlanContext& context, KernelChoice& choice, PlanData& data, std::optional<Emitter>& emitter) {
  do {
    choice.changed = false;
    keep_quanta_together(context.graph, choice);
    data = PlanData();
    emitter.emplace(context, data, emit_load_texture);
    for (const NodeId id : context.graph.order()) {
      if (choice.kernels[static_cast<size_t>(id)] != nullptr) suggest_parts(*emitter, context.graph.node(id));
    }
    SIGHTGLASS_RETURN_IF_ERROR(place_inputs(*emitter, data));
    SIGHTGLASS_RETURN_IF_ERROR(place_states(*emitter, data));
    SIGHTGLASS_RETURN_IF_ERROR(emit_nodes(*emitter, data, choice));
  } while (choice.changed);
  return {};
}

Status emit_ends(Emitter& emitter, PlanData& data) {
  const Graph& graph = emitter.graph();
  SIGHTGLASS_RETURN_IF_ERROR(keep_old_states(emitter, data));
  SIGHTGLASS_RETURN_IF_ERROR(emit_states(emitter, data));
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef ref, emitter.tensor(graph.outputs[i]));
    data.outputs.push_back(ref);
    data.output_buffers.push_back(-1);
    switch (emitter.context().options.outputs[i].target) {
      case OutputSpec::Target::kHost:
      case OutputSpec::Target::kNone:
        break;
      case OutputSpec::Target::kTexture:
        SIGHTGLASS_RETURN_IF_ERROR(emit_store_texture(emitter, static_cast<int>(i), ref));
        break;
      case OutputSpec::Target::kBuffer:
        SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef dense, emit_store_buffer(emitter, static_cast<int>(i), ref));
        data.output_buffers.back() = dense.tensor;
        break;
    }
  }
  return {};
}

// Texels of the longest buffer texture over the buffers of the plan.
int64_t texels(const PlanData& plan) {
  return std::max(plan.arena_size * kBlockBytes / bytes_of(Storage::kFloat16),
                  plan.memory.weight_bytes / bytes_of(Storage::kInt8));
}

// With known offsets, completes the uniform blocks of the steps and places them in one buffer.
void place_params(PlanData& plan) {
  const auto alignment = static_cast<size_t>(std::max(plan.limits.uniform_offset_alignment, 16)) / sizeof(int32_t);
  for (Step& step : plan.steps) {
    step.params.place(plan.tensors, [&](int tensor) { return window_base(step, tensor); });
    plan.params.resize((plan.params.size() + alignment - 1) / alignment * alignment, 0);
    step.params_offset = static_cast<int64_t>(plan.params.size() * sizeof(int32_t));
    plan.params.insert(plan.params.end(), step.params.words().begin(), step.params.words().end());
  }
}

}  // namespace

Result<std::shared_ptr<const Plan>> PlanInternals::build(std::shared_ptr<const Model> model, const DeviceLimits& limits,
                                                         const ForcedPlanOptions& options,
                                                         std::vector<Obstacle>* obstacles) try {
  const Stopwatch time;
  SIGHTGLASS_ASSIGN_OR_RETURN(const ForcedPlanOptions complete, complete_options(*model, limits, options));
  Graph graph = graph_of(*model);
  SIGHTGLASS_RETURN_IF_ERROR(carry_outputs(graph, complete.inputs).with_context(model->name()));
  SIGHTGLASS_RETURN_IF_ERROR(drop_unwanted_outputs(graph, complete.outputs).with_context(model->name()));
  if (complete.rewrites) {
    const Result<RewriteReport> report = run_rewrites(graph);
    if (!report.ok()) return report.status().with_context(model->name());
    log_rewrites(*report, options.log);
  }
  const PlanContext context{graph, limits, complete};
  KernelChoice choice = choose_kernels(context);
  PlanData data;
  std::optional<Emitter> emitter;
  // Values that the arena cannot store cannot be emitted.
  const bool ends_fit = std::ranges::none_of(choice.obstacles, [](const Obstacle& o) { return o.where.empty(); });
  if (ends_fit) SIGHTGLASS_RETURN_IF_ERROR(emit_model(context, choice, data, emitter).with_context(model->name()));
  const Status refused = refuse(graph, choice.obstacles);
  if (obstacles != nullptr) *obstacles = std::move(choice.obstacles);
  SIGHTGLASS_RETURN_IF_ERROR(refused);
  SIGHTGLASS_RETURN_IF_ERROR(emit_ends(*emitter, data).with_context(model->name()));
  if (!limits.kernels.narrow_weights && std::ssize(data.weights) > limits.max_storage_block_bytes) {
    DeviceLimits narrow = limits;
    narrow.kernels.narrow_weights = true;
    return build(std::move(model), narrow, options, obstacles);
  }
  data.limits = limits;
  data.options = complete;
  schedule(data);
  SIGHTGLASS_RETURN_IF_ERROR(plan_memory(data).with_context(model->name()));
  SIGHTGLASS_RETURN_IF_ERROR(check_memory(data).with_context(model->name()));
  if (data.buffer_textures && (data.has_windows || texels(data) > limits.max_buffer_texels)) {
    DeviceLimits without = limits;
    without.max_buffer_texels = 0;
    options.log.debug([&] {
      return model->name() + ": buffer textures declined: one needs " + std::to_string(texels(data)) +
             " texels, but the device allows " + std::to_string(limits.max_buffer_texels) +
             (data.has_windows ? "; the arena is larger than a storage block" : "");
    });
    return build(std::move(model), without, options, obstacles);
  }
  if (data.has_windows) SIGHTGLASS_RETURN_IF_ERROR(plan_windows(data).with_context(model->name()));
  place_params(data);
  SIGHTGLASS_RETURN_IF_ERROR(check_time(data).with_context(model->name()));
  if (options.precision == Precision::kFp16 && !limits.kernels.half.storage) {
    options.log.info(
        [] { return std::string("precision=fp16: values have 32 bits, which are faster on this device"); });
  }
  log_plan(model->name(), data, time);
  if (!data.cpu_stretches.empty()) data.graph = std::make_shared<const Graph>(std::move(graph));

  std::shared_ptr<Plan> plan(new Plan());
  plan->model_ = std::move(model);
  plan->data_ = std::make_unique<const PlanData>(std::move(data));
  return std::shared_ptr<const Plan>(std::move(plan));
} catch (...) {
  return status_of_exception(model ? std::string_view(model->name()) : "a model", "plan it");
}

Result<std::shared_ptr<const Plan>> Plan::build(std::shared_ptr<const Model> model, const DeviceLimits& limits,
                                                const PlanOptions& options, std::vector<Obstacle>* obstacles) {
  return build_plan(std::move(model), limits, options, obstacles);
}

Plan::~Plan() = default;

const MemoryReport& Plan::memory() const { return data_->memory; }
const FallbackReport& Plan::fallback() const { return data_->fallback; }
const ResourceLimits& Plan::resources() const { return data_->options.resources; }
int Plan::dispatches() const { return static_cast<int>(data_->steps.size() - data_->cpu_stretches.size()); }
int Plan::barriers() const { return std::max(data_->levels - 1, 0); }
int Plan::programs() const { return static_cast<int>(data_->programs.size()); }

std::vector<StepInfo> Plan::steps() const {
  std::vector<StepInfo> infos;
  for (const Step& step : data_->steps) infos.push_back(step_info(*data_, step));
  return infos;
}

std::string Plan::dump() const {
  std::string text;
  const auto tensors = [this](const std::vector<int>& ids) {
    std::string list;
    for (const int id : ids) {
      const PlanTensor& tensor = data_->tensors[static_cast<size_t>(id)];
      list += (list.empty() ? "" : ", ") + printable(tensor.name) + "@" + std::to_string(tensor.offset) + "+" +
              std::to_string(tensor.size);
    }
    return list.empty() ? std::string("texture") : list;
  };
  for (const Step& step : data_->steps) {
    text += "level " + std::to_string(step.level) + "  " + step.node + "  " + step.kernel + "  groups " +
            std::to_string(step.groups[0]) + "x" + std::to_string(step.groups[1]) + "x" +
            std::to_string(step.groups[2]) + "  " + tensors(step.reads) + " -> " + tensors(step.writes) + "\n";
  }
  return text;
}

}  // namespace sightglass
