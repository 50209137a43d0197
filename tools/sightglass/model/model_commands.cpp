#include "model_commands.h"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "common/cache_folder.h"
#include "common/progress.h"
#include "gpu_engine/output_file.h"
#include "input_shape.h"
#include "model_bench.h"
#include "model_check.h"
#include "model_dump.h"
#include "model_run.h"
#include "models_command.h"
#include "operator_report.h"

namespace sightglass {

namespace {

using interop::GlFlavour;

constexpr const char* kModelHelp =
    "Path of a .tflite file, BUNDLE.task:MEMBER, or the name of a known model (see `sightglass models`)";
constexpr const char* kModelsHelp =
    "Paths of .tflite files, BUNDLE.task:MEMBER, or names of known models (see `sightglass models`)";

void add_precision(CLI::App& app, Precision& precision) {
  add_choice<Precision>(app, "--precision", precision, {{"fp32", Precision::kFp32}, {"fp16", Precision::kFp16}},
                        "Storage of activations and weights on the GPU; sums are always 32-bit (fp32)");
}

void add_convolutions(CLI::App& app, bool& exact) {
  add_choice<bool>(app, "--convolutions", exact, {{"exact", true}, {"fast", false}},
                   "exact = direct sums, fast = Winograd's algorithm where the GPU family gains from it, which rounds "
                   "differently (exact)");
}

void add_tuning(CLI::App& app, TuningMode& tuning) {
  add_choice<TuningMode>(app, "--tuning", tuning,
                         {{"off", TuningMode::kOff}, {"cached", TuningMode::kCached}, {"on", TuningMode::kOn}},
                         "Kernel variants to run: off = defaults of the GPU family, cached = the fastest ones listed "
                         "in the cache directory, on = like cached, but measure missing ones first (cached)");
}

void add_fallback(CLI::App& app, Fallback& fallback) {
  add_choice<Fallback>(app, "--fallback", fallback, {{"error", Fallback::kError}, {"cpu", Fallback::kCpu}},
                       "How to handle operators that the GPU cannot run (error)");
}

void add_quantized_models(CLI::App& app, ModelOptions& options) {
  add_choice<QuantizedModels>(app, "--quantized-models", options.quantized_models,
                              {{"refused", QuantizedModels::kRefused}, {"allowed", QuantizedModels::kAllowed}},
                              "Whether 8-bit quantized models may run; results are within a few quantization steps of "
                              "TensorFlow Lite (allowed)");
}

void add_input_shapes(CLI::App& app, std::vector<InputShape>& shapes) {
  app.add_option_function<std::vector<std::string>>(
         "--input-shape",
         [&shapes](const std::vector<std::string>& words) {
           for (const std::string& word : words) {
             auto shape = parse_input_shape(word);
             if (!shape.ok()) throw CLI::ValidationError("--input-shape", shape.status().message());
             shapes.push_back(std::move(shape).value());
           }
         },
         "NAME=1x256x256x3 or INDEX=…: use this shape for an input instead of the one in the file; repeatable")
      ->allow_extra_args(false);
}

void add_seconds(CLI::App& app, const std::string& name, std::chrono::nanoseconds& time, const std::string& help) {
  app.add_option_function<double>(
         name,
         [&time](double seconds) {
           time = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds));
         },
         help)
      ->check(CLI::Range(1e-9, 3600.0));
}

void add_limits(CLI::App& app, ModelOptions& model, ResourceLimits& resources) {
  app.add_option_function<uint64_t>(
         "--memory-limit",
         [&model, &resources](uint64_t bytes) {
           model.memory_limit = resources.memory_bytes = static_cast<int64_t>(bytes);
         },
         "Maximum memory of the model, in files and on the GPU, such as 500MiB (1GiB)")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(uint64_t{1} << 20, uint64_t{1} << 40));
  add_seconds(app, "--dispatch-limit", resources.dispatch_time,
              "Maximum time of one dispatch in seconds, as estimated for a slow GPU of the kind (2)");
  add_seconds(app, "--run-limit", resources.run_time,
              "Maximum time of one run in seconds, estimated like that, and measured (15)");
}

void add_device_choices(CLI::App& app, RunOptions& options) {
  add_choice<bool>(app, "--limits", options.minimum_limits, {{"device", false}, {"min", true}},
                   "Plan for the limits of the device, or for the minimums that OpenGL ES 3.1 guarantees (device)");
  add_choice<GlFlavour>(app, "--gl", options.flavour,
                        {{"es", GlFlavour::kEs31}, {"desktop", GlFlavour::kDesktopCore45}}, "OpenGL API to use (es)");
}

void add_cache(CLI::App& app, RunOptions& options) {
  options.cache_folder = default_cache_folder();
  CLI::Option* cache = app.add_option(
      "--cache-dir", options.cache_folder,
      "Directory for compiled programs and tuning results (sightglass below $XDG_CACHE_HOME or ~/.cache)");
  app.add_flag_callback(
         "--no-cache", [&options] { options.cache_folder.clear(); }, "Compile everything and store nothing")
      ->excludes(cache);
}

struct ProfileArguments {
  bool profile = false;
  std::string trace_file, svg_file;  // empty: not written
  bool wanted() const { return profile || !trace_file.empty() || !svg_file.empty(); }
};

void add_profile(CLI::App& app, ProfileArguments& arguments) {
  app.add_flag("--profile", arguments.profile, "Time every step separately and compare it with the device maximum");
  app.add_option("--trace", arguments.trace_file, "FILE: write step times for chrome://tracing or Perfetto");
  app.add_option("--svg", arguments.svg_file, "FILE: write a chart of the step times");
}

struct RunArguments {
  RunOptions options;
  ProfileArguments profile;
  std::vector<double> range;
  double scale = 1.0 / 255, offset = 0;
  bool json = false;
};

CLI::App* add_run(CLI::App& app, RunArguments& arguments) {
  RunOptions& options = arguments.options;
  CLI::App* run = app.add_subcommand("run", "Run a model on the GPU, without a window, and measure it");
  run->add_option("MODEL", options.model, kModelHelp)->required();
  run->add_option("--input", options.input.sources,
                  "One per model input, in order: an image, FILE.raw (tightly packed, little-endian), or random:SEED. "
                  "Missing inputs are random")
      ->allow_extra_args(false);
  CLI::Option* range =
      run->add_option("--range", arguments.range,
                      "LO,HI: map 0 and 255 of images, or 0 and 1 of random inputs, to these (images: 0,1)")
          ->delimiter(',')
          ->expected(2);
  CLI::Option* scale =
      run->add_option("--scale", arguments.scale, "For images: value = sample * scale + offset (1/255)");
  CLI::Option* offset = run->add_option("--offset", arguments.offset, "See --scale (0)");
  range->excludes(scale)->excludes(offset);
  add_choice<Fit>(*run, "--fit", options.input.fit,
                  {{"stretch", Fit::kStretch}, {"letterbox", Fit::kLetterbox}, {"cover", Fit::kCover}},
                  "How to scale an image of another size to the input (stretch)");
  run->add_option("--output-prefix", options.output_prefix, "P: write each output to P.outK.raw");
  run->add_option("--runs", options.runs, "Number of runs after the first one (20)")->check(CLI::Range(0, 1000000));
  add_precision(*run, options.precision);
  add_convolutions(*run, options.exact);
  add_tuning(*run, options.tuning);
  add_fallback(*run, options.fallback);
  add_quantized_models(*run, options.model_options);
  add_input_shapes(*run, options.model_options.input_shapes);
  add_limits(*run, options.model_options, options.resources);
  add_device_choices(*run, options);
  add_cache(*run, options);
  run->add_flag("--json", arguments.json, "Print the report as JSON");
  add_profile(*run, arguments.profile);
  run->callback([&arguments, scale, offset] {
    InputOptions& input = arguments.options.input;
    if (arguments.range.size() == 2) input.range = {arguments.range[0], arguments.range[1]};
    if (scale->count() > 0 || offset->count() > 0) input.scale_offset = {arguments.scale, arguments.offset};
    arguments.options.profile = arguments.profile.wanted();
  });
  return run;
}

struct BenchArguments {
  BenchOptions options;
  ProfileArguments profile;
  bool json = false;
};

CLI::App* add_bench(CLI::App& app, BenchArguments& arguments) {
  RunOptions& run = arguments.options.run;
  CLI::App* bench = app.add_subcommand("bench", "Measure the device, and models on it with random inputs");
  bench->add_option("MODEL", arguments.options.models, std::string(kModelsHelp) + "; none: measure only the device");
  bench->add_option("--runs", run.runs, "Number of runs per model after the first one (20)")
      ->check(CLI::Range(1, 1000000));
  add_precision(*bench, run.precision);
  add_convolutions(*bench, run.exact);
  add_tuning(*bench, run.tuning);
  add_fallback(*bench, run.fallback);
  add_limits(*bench, run.model_options, run.resources);
  add_device_choices(*bench, run);
  add_cache(*bench, run);
  bench->add_flag_callback(
      "--no-starts", [&arguments] { arguments.options.starts = false; },
      "Do not measure starts, which take two processes per model");
  bench->add_flag("--json", arguments.json, "Print the report as JSON");
  add_profile(*bench, arguments.profile);
  bench->callback([&arguments] {
    arguments.options.run.profile = arguments.profile.wanted();
    const bool files = !arguments.profile.trace_file.empty() || !arguments.profile.svg_file.empty();
    if (files && arguments.options.models.size() != 1) {
      throw CLI::ValidationError("--trace and --svg", "need exactly one model");
    }
  });
  return bench;
}

struct CheckArguments {
  std::vector<std::string> models;
  CheckOptions options;
  bool json = false;
};

CLI::App* add_check(CLI::App& app, CheckArguments& arguments) {
  CheckOptions& options = arguments.options;
  CLI::App* check = app.add_subcommand(
      "check", "Report whether models run entirely on the GPU, and everything that prevents it; needs no GPU");
  check->add_option("MODEL", arguments.models, kModelsHelp)->required();
  add_precision(*check, options.precision);
  add_fallback(*check, options.fallback);
  add_quantized_models(*check, options.model_options);
  add_input_shapes(*check, options.model_options.input_shapes);
  add_limits(*check, options.model_options, options.resources);
  add_choice<bool>(*check, "--limits", options.minimum_limits, {{"minimum", true}, {"typical", false}},
                   "Plan for the minimums that OpenGL ES 3.1 guarantees, or for typical phones (minimum)");
  check->add_flag("--json", arguments.json, "Print the report as JSON");
  return check;
}

CLI::App* add_dump(CLI::App& app, DumpOptions& options) {
  CLI::App* dump = app.add_subcommand("dump", "Show the graph or the plan of a model; needs no GPU");
  dump->add_option("MODEL", options.model, kModelHelp)->required();
  add_choice<DumpStage>(*dump, "--stage", options.stage,
                        {{"file", DumpStage::kFile}, {"rewritten", DumpStage::kRewritten}, {"plan", DumpStage::kPlan}},
                        "Show the graph as in the file, the graph after rewrites, or the plan (file)");
  add_input_shapes(*dump, options.model_options.input_shapes);
  add_limits(*dump, options.model_options, options.resources);
  dump->add_flag("--dot", options.graphviz, "Print Graphviz instead of text");
  return dump;
}

CLI::App* add_operators(CLI::App& app, bool& json) {
  CLI::App* operators =
      app.add_subcommand("operators", "List the supported operators with types and limits, as in docs/operators.md");
  CLI::Option* markdown = operators->add_flag("--markdown")->description("Print Markdown (default)");
  operators->add_flag("--json", json, "Print JSON")->excludes(markdown);
  return operators;
}

Status write_profile(const ProfileArguments& arguments, const RunReport& report) {
  if (!report.profile) return {};
  const std::string title =
      std::filesystem::path(report.options.model).filename().string() + " on " + report.device.renderer;
  if (!arguments.trace_file.empty()) {
    SIGHTGLASS_RETURN_IF_ERROR(write_output_file(arguments.trace_file, format_trace(*report.profile, title)));
  }
  if (!arguments.svg_file.empty()) {
    SIGHTGLASS_RETURN_IF_ERROR(write_output_file(arguments.svg_file, format_svg(*report.profile, title)));
  }
  return {};
}

int run(const RunArguments& arguments) {
  RunOptions options = arguments.options;
  Progress progress;
  options.tuning_progress = [&progress](int done, int total) {
    progress.show("sets of kernel variants measured", done, total);
    if (done == total) progress.clear();
  };
  const auto report = run_model(options);
  progress.clear();
  if (!report.ok()) return fail(report.status());
  if (const Status written = write_profile(arguments.profile, *report); !written.ok()) return fail(written);
  const std::string text = arguments.json ? format_json(*report) : format_text(*report);
  std::fputs(text.c_str(), stdout);
  return 0;
}

// A model that fails does not prevent the others from being measured.
int bench(const BenchArguments& arguments) {
  const auto report = bench_models(arguments.options);
  if (!report.ok()) return fail(report.status());
  for (const auto& model : report->models) {
    if (const auto written = write_profile(arguments.profile, model.run); !written.ok()) return fail(written);
  }
  const std::string text = arguments.json ? format_json(*report) : format_text(*report);
  std::fputs(text.c_str(), stdout);
  for (const std::string& failure : report->failures) std::fprintf(stderr, "sightglass: %s\n", failure.c_str());
  return report->failures.empty() ? 0 : kFailed;
}

// An unreadable file does not prevent the others from being checked.
int check(const CheckArguments& arguments) {
  std::vector<CheckReport> reports;
  bool readable = true, all_run = true;
  std::vector<std::string> models;
  for (const std::string& asked : arguments.models) {
    const auto found = models_to_check(asked);
    if (!found.ok()) fail(found.status());
    readable = readable && found.ok();
    if (found.ok()) models.insert(models.end(), found->begin(), found->end());
  }
  const bool lists = arguments.models.size() > 1 || models.size() > 1;
  for (const std::string& model : models) {
    CheckOptions options = arguments.options;
    options.model = model;
    auto report = check_model(options);
    if (!report.ok()) {
      fail(report.status());
      readable = false;
      continue;
    }
    all_run = all_run && report->support.obstacles.empty();
    if (!arguments.json) std::printf("%s%s", reports.empty() ? "" : "\n", format_text(*report).c_str());
    reports.push_back(std::move(report).value());
  }
  if (arguments.json && lists) std::fputs(format_json(reports).c_str(), stdout);
  if (arguments.json && !lists && readable) std::fputs(format_json(reports[0]).c_str(), stdout);
  if (!readable) return kUsage;
  return all_run ? 0 : kFailed;
}

int dump(const DumpOptions& options) {
  const auto text = dump_model(options);
  if (!text.ok()) return fail(text.status());
  std::fputs(text->c_str(), stdout);
  return 0;
}

int operators(bool json) {
  const SupportTable table = supported_operators();
  std::fputs((json ? format_json(table) : format_markdown(table)).c_str(), stdout);
  return kSucceeded;
}

}  // namespace

void add_model_commands(CLI::App& app, std::vector<Subcommand>& subcommands) {
  // The parser writes into the arguments, and the subcommand keeps them.
  const auto run_arguments = std::make_shared<RunArguments>();
  subcommands.push_back({add_run(app, *run_arguments), [run_arguments] { return run(*run_arguments); }});
  const auto bench_arguments = std::make_shared<BenchArguments>();
  subcommands.push_back({add_bench(app, *bench_arguments), [bench_arguments] { return bench(*bench_arguments); }});
  const auto check_arguments = std::make_shared<CheckArguments>();
  // Status 1 would mean that a model does not run.
  subcommands.push_back(
      {add_check(app, *check_arguments), [check_arguments] { return check(*check_arguments); }, kUsage});
  const auto dump_options = std::make_shared<DumpOptions>();
  subcommands.push_back({add_dump(app, *dump_options), [dump_options] { return dump(*dump_options); }});
  const auto models_arguments = std::make_shared<ModelsArguments>();
  subcommands.push_back({add_models(app, *models_arguments), [models_arguments] { return models(*models_arguments); }});
  const auto as_json = std::make_shared<bool>(false);
  subcommands.push_back({add_operators(app, *as_json), [as_json] { return operators(*as_json); }});
}

}  // namespace sightglass
