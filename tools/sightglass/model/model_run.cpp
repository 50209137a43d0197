#include "model/model_run.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <span>

#include "common/headless_gl.h"
#include "common/hooked_gl.h"
#include "gpu_engine/build_programs.h"
#include "gpu_engine/files.h"
#include "gpu_engine/quoted.h"
#include "model/report_format.h"
#include "model_store.h"
#include "sightglass/cache_folder.h"
#include "sightglass/gl_objects.h"
#include "sightglass/program_cache.h"
#include "sightglass/session.h"
#include "sightglass/share_group.h"

namespace sightglass {
namespace {

class LapTimer {
 public:
  // Returns milliseconds since construction or the previous call.
  double lap() {
    const auto now = Clock::now();
    const std::chrono::duration<double, std::milli> elapsed = now - last_;
    last_ = now;
    return elapsed.count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 != 0 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// The smallest value that at least 95% of the values do not exceed.
double percentile_95(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(std::ceil(0.95 * static_cast<double>(values.size()))) - 1];
}

template <typename T>
void find_range(const HostTensor& tensor, RunOutput& output) {
  const auto values = tensor.as<T>();
  if (values.empty()) return;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  output.minimum = static_cast<double>(*low);
  output.maximum = static_cast<double>(*high);
}

void find_range_of(const HostTensor& tensor, RunOutput& output) {
  switch (tensor.type) {
    case DataType::kFloat32:
      return find_range<float>(tensor, output);
    case DataType::kInt8:
      return find_range<int8_t>(tensor, output);
    case DataType::kUInt8:
    case DataType::kBool:
      return find_range<uint8_t>(tensor, output);
    case DataType::kInt16:
      return find_range<int16_t>(tensor, output);
    case DataType::kInt32:
      return find_range<int32_t>(tensor, output);
    case DataType::kInt64:
      return find_range<int64_t>(tensor, output);
    case DataType::kFloat16:
      return;
  }
}

// Enough for any model; on software renderers, compiling takes most of it.
constexpr std::chrono::minutes kTuningBudget{5};

// Counts GL calls of the session, whose programs several threads may compile. Nothing else uses the counting table.
std::atomic<int64_t> gl_calls = 0;
bool count_gl_call(const char*) {
  ++gl_calls;
  return true;
}

Result<std::unique_ptr<Session>> compile_session(const std::shared_ptr<ShareGroup>& group,
                                                 const std::shared_ptr<const Plan>& plan) {
  const CompileScope scope(interop::ContextThreads::for_compiling);
  return Session::create(group, plan);
}

struct Pass {
  double run = 0, with_transfers = 0;
  int64_t gl_calls = 0;  // in the run
};

// One upload, run, and readback. Waits between upload and run, so that the two times do not overlap.
Result<Pass> measure_pass(Session& session, const GlApi& gl, const std::vector<ModelInput>& inputs,
                          std::vector<HostTensor>& outputs) {
  Pass pass;
  LapTimer timer;
  for (size_t i = 0; i < inputs.size(); ++i) SIGHTGLASS_RETURN_IF_ERROR(session.write_input(i, inputs[i].tensor.data));
  SIGHTGLASS_RETURN_IF_ERROR(wait_for_gpu(gl));
  const double upload = timer.lap();
  const int64_t calls_before = gl_calls;
  SIGHTGLASS_RETURN_IF_ERROR(session.run());
  pass.gl_calls = gl_calls - calls_before;
  SIGHTGLASS_RETURN_IF_ERROR(wait_for_gpu(gl));
  pass.run = timer.lap();
  for (size_t i = 0; i < outputs.size(); ++i) SIGHTGLASS_RETURN_IF_ERROR(session.read_output(i, outputs[i].data));
  pass.with_transfers = upload + pass.run + timer.lap();
  return pass;
}

Status measure(Session& session, const GlApi& gl, const std::vector<ModelInput>& inputs,
               std::vector<HostTensor>& outputs, RunReport& report) {
  const RunOptions& options = report.options;
  SIGHTGLASS_ASSIGN_OR_RETURN(const Pass first, measure_pass(session, gl, inputs, outputs));
  report.gl_calls = first.gl_calls;
  std::vector<double> run, with_transfers;
  for (int i = 0; i < options.runs; ++i) {
    if (options.progress) options.progress(i, options.runs);
    SIGHTGLASS_ASSIGN_OR_RETURN(const Pass pass, measure_pass(session, gl, inputs, outputs));
    run.push_back(pass.run);
    with_transfers.push_back(pass.with_transfers);
    report.gl_calls = pass.gl_calls;
  }
  if (run.empty()) {
    run.push_back(first.run);
    with_transfers.push_back(first.with_transfers);
  }
  RunTimes& times = report.times;
  times.first = first.run;
  times.median = median(run);
  times.minimum = *std::min_element(run.begin(), run.end());
  times.p95 = percentile_95(run);
  times.transfer_median = median(with_transfers);
  times.transfer_minimum = *std::min_element(with_transfers.begin(), with_transfers.end());
  return {};
}

Result<StepProfile> profile(Session& session, const std::shared_ptr<ShareGroup>& group, const RunOptions& options,
                            const DeviceLimits& limits) {
  constexpr int kLeastPasses = 5;
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto timer, StepTimer::create(group));
  DeviceSpeed device;
  if (options.device_speed) {
    device = *options.device_speed;
  } else {
    SIGHTGLASS_ASSIGN_OR_RETURN(device, measure_device(*timer, limits));
  }
  return profile_session(session, *timer, device, std::max(options.runs, kLeastPasses));
}

}  // namespace

Result<RunReport> run_model(const RunOptions& asked) {
  RunReport report;
  report.options = asked;
  SIGHTGLASS_ASSIGN_OR_RETURN(report.options.model, ModelStore().resolve(asked.model));
  if (const Status usable = check_cache_folder(report.options.cache_folder); !usable.ok()) {
    report.cache_note = usable.message();
    report.options.cache_folder.clear();
  }
  const RunOptions& options = report.options;

  LapTimer timer;
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto headless, HeadlessGl::create(options.flavour));
  report.device = headless->device();
  report.display = headless->context().display().name();
  report.start.context = timer.lap();

  SIGHTGLASS_ASSIGN_OR_RETURN(const StoredModel stored, load_stored_model(options.model, options.model_options));
  const auto& model = stored.model;
  report.start.import = timer.lap();
  report.inputs = model->inputs();
  report.options.input.largest_picture = report.device.limits.max_texture_size;
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto inputs, load_model_inputs(*model, options.input));
  for (const ModelInput& input : inputs) report.input_sources.push_back(input.source);

  timer.lap();
  PlanOptions plan_options;
  plan_options.precision = options.precision;
  plan_options.exact = options.exact;
  plan_options.fallback = options.fallback;
  plan_options.resources = options.resources;
  const auto cache =
      options.cache_folder.empty() ? nullptr : std::make_shared<ProgramCache>(program_folder(options.cache_folder));
  const auto group = ShareGroup::create(hooked_gl<count_gl_call>(headless->gl()), cache);
  DeviceInfo device = report.device;
  if (options.minimum_limits) device.limits = device.limits.clamped_to_minimum();
  SIGHTGLASS_ASSIGN_OR_RETURN(
      plan_options.tuning,
      prepare_tuning(group, model, device, plan_options, options.tuning,
                     {options.cache_folder, installed_folder("tuning")},
                     {.budget = kTuningBudget, .progress = options.tuning_progress}, &report.tuning_note));
  report.start.tuning = timer.lap();
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto plan, Plan::build(model, device.limits, plan_options));
  report.start.plan = timer.lap();
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto session, compile_session(group, plan));
  report.start.session = timer.lap();

  std::vector<HostTensor> outputs;
  for (const TensorInfo& info : model->outputs()) outputs.emplace_back(info.type, info.shape);
  SIGHTGLASS_RETURN_IF_ERROR(measure(*session, headless->gl(), inputs, outputs, report));

  for (size_t i = 0; i < outputs.size(); ++i) {
    RunOutput output;
    output.info = model->outputs()[i];
    find_range_of(outputs[i], output);
    if (!options.output_prefix.empty()) {
      output.file = options.output_prefix + ".out" + std::to_string(i) + ".raw";
      SIGHTGLASS_RETURN_IF_ERROR(write_output_file(output.file, outputs[i].data));
    }
    report.outputs.push_back(std::move(output));
  }
  report.dispatches = plan->dispatches();
  report.barriers = plan->barriers();
  report.programs = plan->programs();
  report.cached_programs = cache != nullptr ? cache->hits() : 0;
  report.memory = plan->memory();
  report.fallback = plan->fallback();
  for (const StepInfo& step : plan->steps()) report.multiply_adds += step.multiply_adds;
  report.file_bytes = stored.bytes;
  if (options.profile) {
    SIGHTGLASS_ASSIGN_OR_RETURN(report.profile, profile(*session, group, options, device.limits));
  }
  return report;
}

// Formats a RunReport as text and as JSON. Scripts read the JSON: keys are only ever added.

std::string format_text(const RunReport& report) {
  std::string text;
  append(text, "model       %s\n", report.options.model.c_str());
  append(text, "gl          %s, %s (%s)\n", report.device.renderer.c_str(), report.device.version.c_str(),
         report.display.c_str());
  append(text, "limits      %s\n",
         report.options.minimum_limits ? "minimums of OpenGL ES 3.1" : "as reported by the device");
  const bool stored_in_32 = report.options.precision == Precision::kFp16 && !report.device.limits.kernels.half.storage;
  append(text, "precision   %s%s\n", name_of(report.options.precision),
         stored_in_32 ? ", with 32 bits, which are faster on this device" : "");
  append(text, "tuning      %s\n", name_of(report.options.tuning));
  for (size_t i = 0; i < report.inputs.size(); ++i) {
    const TensorInfo& info = report.inputs[i];
    append(text, "input %zu     %s %s %s from %s\n", i, to_string(info.type), info.shape.to_string().c_str(),
           sightglass::quote(info.name).c_str(), report.input_sources[i].c_str());
  }
  for (size_t i = 0; i < report.outputs.size(); ++i) {
    const RunOutput& output = report.outputs[i];
    append(text, "output %zu    %s %s %s from %.6g to %.6g%s%s\n", i, to_string(output.info.type),
           output.info.shape.to_string().c_str(), sightglass::quote(output.info.name).c_str(), output.minimum,
           output.maximum, output.file.empty() ? "" : ", written to ", output.file.c_str());
  }
  const StartTimes& start = report.start;
  append(text, "start       %.1f ms: context %.1f, import %.1f, tuning %.1f, plan %.1f, session %.1f\n", start.total(),
         start.context, start.import, start.tuning, start.plan, start.session);
  const RunTimes& times = report.times;
  append(text, "run         first %.2f ms; of %d more: median %.2f ms, p95 %.2f ms, minimum %.2f ms (run and wait)\n",
         times.first, report.options.runs, times.median, times.p95, times.minimum);
  append(text, "            with upload and readback: median %.2f ms, minimum %.2f ms\n", times.transfer_median,
         times.transfer_minimum);
  if (!report.cache_note.empty()) text += "warning     " + report.cache_note + "\n";
  if (!report.tuning_note.empty()) text += "warning     " + report.tuning_note + "\n";
  if (!report.fallback.operators.empty()) text += "warning     " + report.fallback.warning() + "\n";
  append(text, "plan        %d dispatches, %d barriers, %d programs (%d from the cache); %.1f GL calls per dispatch\n",
         report.dispatches, report.barriers, report.programs, report.cached_programs, report.gl_calls_per_dispatch());
  append(text, "work        %.1f million multiply-adds: %.1f GFLOP/s\n",
         static_cast<double>(report.multiply_adds) * 1e-6, gflops(report.multiply_adds, times.median * 1e6));
  const MemoryReport& memory = report.memory;
  append(text, "arena       %.1f KiB; lower bound %.1f KiB (ratio %.3f); all activations %.1f KiB\n",
         kib(memory.arena_bytes), kib(memory.lower_bound_bytes), arena_ratio(memory), kib(memory.tensor_bytes));
  append(text, "weights     %.1f KiB, in a file of %.1f KiB; other constants %.1f KiB\n", kib(memory.weight_bytes),
         kib(report.file_bytes), kib(memory.constant_bytes));
  if (report.profile) text += "\n" + format_text(*report.profile);
  return text;
}

std::string format_json(const RunReport& report) { return to_text(run_json(report)); }

nlohmann::ordered_json run_json(const RunReport& report) {
  using nlohmann::ordered_json;
  ordered_json root;
  root["model"] = report.options.model;
  root["gl"] = {{"vendor", report.device.vendor},
                {"renderer", report.device.renderer},
                {"version", report.device.version},
                {"es", report.device.es},
                {"display", report.display}};
  root["cache"] = {{"directory", report.options.cache_folder}, {"note", report.cache_note}};
  root["tuning"] = {{"mode", name_of(report.options.tuning)}, {"note", report.tuning_note}};
  root["precision"] = name_of(report.options.precision);
  root["convolutions"] = name_of_convolutions(report.options.exact);
  root["limits"] = report.options.minimum_limits ? "min" : "device";
  root["inputs"] = ordered_json::array();
  for (size_t i = 0; i < report.inputs.size(); ++i) {
    ordered_json input = tensor_json(report.inputs[i]);
    input["source"] = report.input_sources[i];
    root["inputs"].push_back(std::move(input));
  }
  root["outputs"] = ordered_json::array();
  for (const RunOutput& output : report.outputs) {
    ordered_json entry = tensor_json(output.info);
    entry["min"] = output.minimum;
    entry["max"] = output.maximum;
    if (!output.file.empty()) entry["file"] = output.file;
    root["outputs"].push_back(std::move(entry));
  }
  root["start_ms"] = {{"context", report.start.context}, {"import", report.start.import},
                      {"tuning", report.start.tuning},   {"plan", report.start.plan},
                      {"session", report.start.session}, {"total", report.start.total()}};
  root["run_ms"] = {{"first", report.times.first},
                    {"runs", report.options.runs},
                    {"median", report.times.median},
                    {"p95", report.times.p95},
                    {"min", report.times.minimum}};
  root["run_with_transfers_ms"] = {{"median", report.times.transfer_median}, {"min", report.times.transfer_minimum}};
  root["dispatches"] = report.dispatches;
  root["barriers"] = report.barriers;
  root["gl_calls"] = report.gl_calls;
  root["gl_calls_per_dispatch"] = report.gl_calls_per_dispatch();
  root["programs"] = report.programs;
  root["cached_programs"] = report.cached_programs;
  root["memory"] = memory_json(report.memory);
  root["fallback"] = {{"operators", report.fallback.operators},
                      {"bytes_read", report.fallback.bytes_read},
                      {"bytes_written", report.fallback.bytes_written}};
  root["multiply_adds"] = report.multiply_adds;
  root["gflops"] = gflops(report.multiply_adds, report.times.median * 1e6);
  root["file_bytes"] = report.file_bytes;
  if (report.profile) root["profile"] = profile_json(*report.profile);
  return root;
}

}  // namespace sightglass
