// A RunReport as text and as JSON. Scripts read the JSON: keys are only ever added.
#include <cstdarg>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "model_run.h"

namespace sightglass {
namespace {

const char* name_of(Precision precision) { return precision == Precision::kFp16 ? "fp16" : "fp32"; }

__attribute__((format(printf, 2, 3))) void append(std::string& text, const char* format, ...) {
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  // NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): va_start is right above
  std::vsnprintf(line, sizeof(line), format, arguments);
  va_end(arguments);
  text += line;
}

double kib(int64_t bytes) { return static_cast<double>(bytes) / 1024; }

double arena_ratio(const MemoryReport& memory) {
  if (memory.lower_bound_bytes == 0) return 1;
  return static_cast<double>(memory.arena_bytes) / static_cast<double>(memory.lower_bound_bytes);
}

nlohmann::ordered_json tensor_json(const TensorInfo& info) {
  const auto dims = info.shape.dims();
  return {
      {"name", info.name}, {"type", to_string(info.type)}, {"shape", std::vector<int32_t>(dims.begin(), dims.end())}};
}

}  // namespace

std::string format_text(const RunReport& report) {
  std::string text;
  append(text, "model       %s\n", report.options.model.c_str());
  append(text, "gl          %s, %s (%s)\n", report.device.renderer.c_str(), report.device.version.c_str(),
         report.display.c_str());
  append(text, "limits      %s\n",
         report.options.minimum_limits ? "the minimums of OpenGL ES 3.1" : "as the device reports them");
  append(text, "precision   %s\n", name_of(report.options.precision));
  for (size_t i = 0; i < report.inputs.size(); ++i) {
    const TensorInfo& info = report.inputs[i];
    append(text, "input %zu     %s %s '%s' from %s\n", i, to_string(info.type), info.shape.to_string().c_str(),
           info.name.c_str(), report.input_sources[i].c_str());
  }
  for (size_t i = 0; i < report.outputs.size(); ++i) {
    const RunOutput& output = report.outputs[i];
    append(text, "output %zu    %s %s '%s' from %.6g to %.6g%s%s\n", i, to_string(output.info.type),
           output.info.shape.to_string().c_str(), output.info.name.c_str(), output.minimum, output.maximum,
           output.file.empty() ? "" : ", written to ", output.file.c_str());
  }
  const StartTimes& start = report.start;
  append(text, "start       %.1f ms: context %.1f, import %.1f, plan %.1f, session %.1f\n", start.total(),
         start.context, start.import, start.plan, start.session);
  const RunTimes& times = report.times;
  append(text, "run         first %.2f ms; of %d more: median %.2f ms, minimum %.2f ms (run and wait for the GPU)\n",
         times.first, report.options.runs, times.median, times.minimum);
  append(text, "            with upload and readback: median %.2f ms, minimum %.2f ms\n", times.transfer_median,
         times.transfer_minimum);
  append(text, "plan        %d dispatches, %d barriers, %d programs\n", report.dispatches, report.barriers,
         report.programs);
  const MemoryReport& memory = report.memory;
  append(text, "arena       %.1f KiB; lower bound %.1f KiB (ratio %.3f); all activations %.1f KiB\n",
         kib(memory.arena_bytes), kib(memory.lower_bound_bytes), arena_ratio(memory), kib(memory.tensor_bytes));
  append(text, "weights     %.1f KiB; other constants %.1f KiB\n", kib(memory.weight_bytes),
         kib(memory.constant_bytes));
  return text;
}

std::string format_json(const RunReport& report) {
  using nlohmann::ordered_json;
  ordered_json root;
  root["model"] = report.options.model;
  root["gl"] = {{"vendor", report.device.vendor},
                {"renderer", report.device.renderer},
                {"version", report.device.version},
                {"es", report.device.es},
                {"display", report.display}};
  root["precision"] = name_of(report.options.precision);
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
  root["start_ms"] = {{"context", report.start.context},
                      {"import", report.start.import},
                      {"plan", report.start.plan},
                      {"session", report.start.session},
                      {"total", report.start.total()}};
  root["run_ms"] = {{"first", report.times.first},
                    {"runs", report.options.runs},
                    {"median", report.times.median},
                    {"min", report.times.minimum}};
  root["run_with_transfers_ms"] = {{"median", report.times.transfer_median}, {"min", report.times.transfer_minimum}};
  root["dispatches"] = report.dispatches;
  root["barriers"] = report.barriers;
  root["programs"] = report.programs;
  root["memory"] = {{"arena_bytes", report.memory.arena_bytes},
                    {"lower_bound_bytes", report.memory.lower_bound_bytes},
                    {"tensor_bytes", report.memory.tensor_bytes},
                    {"constant_bytes", report.memory.constant_bytes},
                    {"weight_bytes", report.memory.weight_bytes}};
  // Names come from model files and may hold anything.
  return root.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace sightglass
