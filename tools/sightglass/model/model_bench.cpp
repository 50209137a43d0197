#include "model/model_bench.h"

#include <stdlib.h>

#include <chrono>
#include <filesystem>

#include "common/child_process.h"
#include "common/headless_gl.h"
#include "common/progress.h"
#include "model/report_format.h"

namespace sightglass {

namespace {

namespace fs = std::filesystem;

// A directory that is deleted with its contents.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_((fs::temp_directory_path() / "sightglass-XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~TemporaryFolder() {
    std::error_code error;
    if (!path_.empty()) fs::remove_all(path_, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }  // empty if it could not be created

 private:
  std::string path_;
};

std::string seconds_text(std::chrono::nanoseconds time) {
  return std::to_string(std::chrono::duration<double>(time).count());
}

Result<MeasuredStart> start_model(const RunOptions& options, const std::string& caches) {
  std::error_code error;
  const std::string self = fs::read_symlink("/proc/self/exe", error).string();
  if (error) return internal_error("cannot find this program to start it: " + error.message());
  std::vector<std::string> arguments{self,
                                     "run",
                                     options.model,
                                     "--runs",
                                     "0",
                                     "--json",
                                     "--precision",
                                     name_of(options.precision),
                                     "--convolutions",
                                     name_of_convolutions(options.exact),
                                     "--fallback",
                                     options.fallback == Fallback::kCpu ? "cpu" : "error",
                                     "--gl",
                                     options.flavour == interop::GlFlavour::kEs31 ? "es" : "desktop",
                                     "--limits",
                                     options.minimum_limits ? "min" : "device",
                                     "--memory-limit",
                                     std::to_string(options.resources.memory_bytes),
                                     "--dispatch-limit",
                                     seconds_text(options.resources.dispatch_time),
                                     "--run-limit",
                                     seconds_text(options.resources.run_time),
                                     "--cache-dir",
                                     caches + "/sightglass"};
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::string text,
                              run_process(arguments, {{"MESA_SHADER_CACHE_DIR", caches + "/mesa"},
                                                      {"__GL_SHADER_DISK_CACHE_PATH", caches + "/nvidia"}}));
  const auto report = nlohmann::json::parse(text, nullptr, false);
  if (!report.is_object()) return internal_error("cannot read the report of a start");
  const auto& start = report.at("start_ms");
  MeasuredStart measured;
  measured.times = {start.at("context"), start.at("import"), start.at("tuning"), start.at("plan"), start.at("session")};
  measured.first_run = report.at("run_ms").at("first");
  measured.cached_programs = report.at("cached_programs");
  return measured;
}

Status measure_starts(const RunOptions& options, ModelBench& bench) {
  const TemporaryFolder caches;
  if (caches.path().empty()) return internal_error("cannot create a temporary directory");
  for (const char* below : {"/mesa", "/nvidia"}) fs::create_directory(caches.path() + below);
  SIGHTGLASS_ASSIGN_OR_RETURN(bench.cold, start_model(options, caches.path()));
  SIGHTGLASS_ASSIGN_OR_RETURN(bench.warm, start_model(options, caches.path()));
  return {};
}

// The maximum speed of the device: a busy machine is slower for a while, so the better of two measurements counts.
Status measure_device_of(const BenchOptions& options, BenchReport& report) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto headless, HeadlessGl::create(options.run.flavour));
  report.device = headless->device();
  report.display = headless->context().display().name();
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto timer, StepTimer::create(ShareGroup::create(headless->gl())));
  report.method = timer->method();
  SIGHTGLASS_ASSIGN_OR_RETURN(const DeviceSpeed speed, measure_device(*timer, report.device.limits));
  if (speed.multiply_adds_per_second > report.speed.multiply_adds_per_second) {
    report.speed.multiply_adds_per_second = speed.multiply_adds_per_second;
    report.speed.chains = speed.chains;
  }
  if (speed.copied_bytes_per_second > report.speed.copied_bytes_per_second) {
    report.speed.copied_bytes_per_second = speed.copied_bytes_per_second;
    report.speed.buffer_textures = speed.buffer_textures;
  }
  return {};
}

Result<ModelBench> bench_model(const RunOptions& options, bool starts) {
  ModelBench bench;
  SIGHTGLASS_ASSIGN_OR_RETURN(bench.run, run_model(options));
  if (starts) SIGHTGLASS_RETURN_IF_ERROR(measure_starts(options, bench));
  return bench;
}

}  // namespace

Result<BenchReport> bench_models(const BenchOptions& options) {
  BenchReport report;
  Progress progress;
  // Each model counts with its runs, and with as many again for its starts, so that the bar keeps moving.
  const int pieces = std::max(options.run.runs, 1), of_model = options.starts ? 2 * pieces : pieces;
  const int total = static_cast<int>(options.models.size()) * of_model;
  progress.show("measuring the device", 0, total);
  SIGHTGLASS_RETURN_IF_ERROR(measure_device_of(options, report));
  for (size_t i = 0; i < options.models.size(); ++i) {
    RunOptions run = options.run;
    run.model = options.models[i];
    run.device_speed = report.speed;
    const std::string name = fs::path(run.model).filename().string();
    const int before = static_cast<int>(i) * of_model;
    progress.show(name, before, total);
    run.progress = [&](int done, int) { progress.show(name, before + done, total); };
    run.tuning_progress = [&](int done, int all) {
      progress.show(name + ": tuning, " + std::to_string(done) + "/" + std::to_string(all), before, total);
    };
    auto bench = bench_model(run, options.starts);
    if (!bench.ok()) {
      report.failures.push_back(bench.status().message());
      continue;
    }
    report.models.push_back(std::move(bench).value());
  }
  if (!options.models.empty()) {
    progress.show("measuring the device again", total, total);
    SIGHTGLASS_RETURN_IF_ERROR(measure_device_of(options, report));
  }
  for (ModelBench& bench : report.models) {
    if (bench.run.profile) bench.run.profile->device = report.speed;
  }
  return report;
}

// Formats a BenchReport as text and as JSON. Scripts read the JSON: keys are only ever added.

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
