// Formats a RunReport as text and as JSON. Scripts read the JSON: keys are only ever added.
#include "gpu_engine/quoted.h"
#include "model/model_run.h"
#include "model/report_format.h"

namespace sightglass {
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
