// Formats a BenchReport as text and as JSON. Scripts read the JSON: keys are only ever added.
#include <filesystem>

#include "model/model_bench.h"
#include "model/report_format.h"

namespace sightglass {

namespace {

double peak_share(const RunReport& run, const DeviceSpeed& speed) {
  return gflops(run.multiply_adds, run.times.median * 1e6) / (speed.multiply_adds_per_second * 2e-9);
}

nlohmann::ordered_json start_json(const MeasuredStart& start) {
  return {{"context", start.times.context}, {"import", start.times.import},
          {"tuning", start.times.tuning},   {"plan", start.times.plan},
          {"session", start.times.session}, {"first_run", start.first_run},
          {"total", start.total()},         {"cached_programs", start.cached_programs}};
}

}  // namespace

std::string format_text(const BenchReport& report) {
  std::string text;
  append(text, "gl          %s, %s (%s)\n", report.device.renderer.c_str(), report.device.version.c_str(),
         report.display.c_str());
  append(text, "device      %.1f GFLOP/s of multiply-adds (%d chains of vec4), %.1f GB/s of copies (%s), by %s\n",
         report.speed.multiply_adds_per_second * 2e-9, report.speed.chains, report.speed.copied_bytes_per_second * 1e-9,
         report.speed.buffer_textures ? "buffer textures" : "storage blocks", name_of(report.method));
  if (report.models.empty()) return text;
  const RunOptions& options = report.models.front().run.options;
  append(text, "runs        %d after the first one, %s\n\n", options.runs, name_of(options.precision));
  append(text,
         "   median      p95  GFLOP/s  of peak  cold start  warm start  dispatches  GL calls each  barriers  arena KiB "
         " bound KiB  "
         "weights KiB  file KiB  model\n");
  for (const ModelBench& bench : report.models) {
    const RunReport& run = bench.run;
    append(text, "%9.2f %8.2f  %7.1f  %5.1f %%", run.times.median, run.times.p95,
           gflops(run.multiply_adds, run.times.median * 1e6), 100 * peak_share(run, report.speed));
    const auto start = [&text](const std::optional<MeasuredStart>& measured) {
      measured ? append(text, "  %10.0f", measured->total()) : append(text, "  %10s", "-");
    };
    start(bench.cold);
    start(bench.warm);
    append(text, "  %10d  %13.1f  %8d  %9.0f  %9.0f  %11.0f  %8.0f  ", run.dispatches, run.gl_calls_per_dispatch(),
           run.barriers, kib(run.memory.arena_bytes), kib(run.memory.lower_bound_bytes), kib(run.memory.weight_bytes),
           kib(run.file_bytes));
    text += std::filesystem::path(run.options.model).filename().string() + "\n";
  }
  text +=
      "\nTimes are in milliseconds: run and wait for the GPU, without upload and readback. Each start is a separate "
      "process, up to\nthe end of the first run: cold with empty program caches of engine and driver, warm with the "
      "caches that the cold\nstart has filled.\n";
  for (const ModelBench& bench : report.models) {
    if (bench.run.profile) text += "\n" + bench.run.options.model + "\n" + format_text(*bench.run.profile);
  }
  return text;
}

std::string format_json(const BenchReport& report) {
  using nlohmann::ordered_json;
  ordered_json root;
  root["gl"] = {{"vendor", report.device.vendor},
                {"renderer", report.device.renderer},
                {"version", report.device.version},
                {"es", report.device.es},
                {"display", report.display}};
  root["device"] = device_speed_json(report.speed);
  root["timing"] = name_of(report.method);
  root["models"] = ordered_json::array();
  for (const ModelBench& bench : report.models) {
    const RunReport& run = bench.run;
    ordered_json entry = run_json(run);
    entry.erase("gl");
    // Measured in this process, after other models. The separate processes measure the cost of a start.
    entry.erase("start_ms");
    entry["peak_share"] = peak_share(run, report.speed);
    entry["arena_ratio"] = arena_ratio(run.memory);
    entry["weights_of_file"] =
        run.file_bytes > 0 ? static_cast<double>(run.memory.weight_bytes) / static_cast<double>(run.file_bytes) : 0.0;
    if (bench.cold && bench.warm) {
      entry["start_ms"] = {{"cold", start_json(*bench.cold)}, {"warm", start_json(*bench.warm)}};
    }
    root["models"].push_back(std::move(entry));
  }
  root["failures"] = report.failures;
  return to_text(root);
}

}  // namespace sightglass
