#include "model/model_commands.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "common/command_line.h"
#include "common/progress.h"
#include "gpu_engine/files.h"
#include "gpu_engine/internals.h"
#include "model/model_bench.h"
#include "model/model_check.h"
#include "model/model_inputs.h"
#include "model/model_run.h"
#include "model/report_format.h"
#include "sightglass/cache_folder.h"

namespace sightglass {

// Formats the operators of the engine as a page of documentation and as JSON: `sightglass operators`.

// Formats a SupportTable as Markdown and as JSON. Scripts read the JSON: keys are only ever added.

namespace {

std::string join(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

std::string runs_as(const OperatorSupport& entry) {
  if (entry.while_loading) return "evaluated while loading";
  return entry.kernels.empty() ? "CPU only (`fallback=cpu`)" : join(entry.kernels, ", ");
}

void append_row(std::string& text, const OperatorSupport& entry, size_t all_types) {
  const bool any = entry.takes.empty() || entry.takes.size() == all_types;
  std::string takes = any ? "any" : join(entry.takes, ", ");
  if (!entry.other_inputs.empty()) takes += "; " + entry.other_inputs;
  const std::string makes = entry.while_loading          ? "–"
                            : entry.makes == entry.takes ? "the same"
                                                         : join(entry.makes, ", ");
  text += "| " + entry.name + " | " + takes + " | " + makes + " | " + runs_as(entry) + " | " +
          join(entry.limits, "; ") + " |\n";
}

// Operators that are rejected for the same reason share a row.
void append_refused(std::string& text, const std::vector<SupportTable::Entry>& refused) {
  std::vector<SupportTable::Entry> rows;
  for (const SupportTable::Entry& entry : refused) {
    auto row = std::ranges::find(rows, entry.meaning, &SupportTable::Entry::meaning);
    if (row == rows.end()) {
      rows.push_back(entry);
    } else {
      row->name += ", " + entry.name;
    }
  }
  for (const SupportTable::Entry& row : rows) text += "| " + row.name + " | " + row.meaning + " |\n";
}

// SIZE_MAX means any number.
nlohmann::ordered_json count_json(size_t count) {
  return count == SIZE_MAX ? nlohmann::ordered_json("any") : nlohmann::ordered_json(count);
}

}  // namespace

std::string format_markdown(const SupportTable& table) {
  std::string text =
      "# Operators\n\n"
      "Which of TensorFlow Lite's operators run, on tensors of which types, and within which limits. This page is made "
      "by\n"
      "`sightglass operators --markdown` from the tables that the engine decides by; a test compares the two.\n\n"
      "`sightglass check MODEL.tflite` applies all of it to a model.\n\n"
      "## For all operators\n\n"
      "- An operator's version does not matter: its options, shapes and types do.\n"
      "- Sizes, axes, paddings and bounds that a file carries as tensors must be constant.\n"
      "- Operators on constants alone are evaluated while loading, whatever their types.\n";
  append(text, "- Tensors on the GPU have at most %d dimensions, those used while loading %d; none is empty.\n",
         table.max_dimensions, table.max_dimensions_loading);
  text += "- Fused activations: " + join(table.activations, ", ") + ".\n";
  text +=
      "- NaNs pass through, but MAXIMUM, MINIMUM, and MAX_POOL_2D may return the other operand, and TOPK_V2 does not "
      "rank\n"
      "  them.\n"
      "- Operators that move, compare, or average quantized numbers keep the numbers, whatever the scales of their "
      "tensors.\n";
  text +=
      "- What a device has of memory, work groups and loop iterations limits it further; `check` applies that.\n"
      "- Weights and biases may be float32, float16, 8-bit integers by tensor or by axis, or sparse; they are "
      "constant\n"
      "  unless the limits say otherwise.\n\n"
      "Types:\n\n";
  for (const auto& type : table.types) {
    if (type.name != type.meaning) text += "- *" + type.name + "*: " + type.meaning + "\n";
  }
  text += "- *float16* and *per-axis*: only constants, converted while loading\n";
  append(text, "\n## What runs: %zu operators\n\n", table.operators.size());
  text += "| operator | data | results | runs as | limits |\n|---|---|---|---|---|\n";
  for (const OperatorSupport& entry : table.operators) append_row(text, entry, table.types.size());
  append(text, "\n## What is refused: %zu operators, and custom ones beside those above\n\n", table.refused.size());
  text += "| operator | why, and what helps |\n|---|---|\n";
  append_refused(text, table.refused);
  return text;
}

std::string format_json(const SupportTable& table) {
  using nlohmann::ordered_json;
  ordered_json root;
  root["types"] = ordered_json::object();
  for (const auto& type : table.types) root["types"][type.name] = type.meaning;
  root["activations"] = table.activations;
  root["max_dimensions"] = table.max_dimensions;
  root["max_dimensions_loading"] = table.max_dimensions_loading;
  root["operators"] = ordered_json::array();
  for (const OperatorSupport& entry : table.operators) {
    root["operators"].push_back({{"name", entry.name},
                                 {"min_inputs", entry.min_inputs},
                                 {"max_inputs", count_json(entry.max_inputs)},
                                 {"max_outputs", count_json(entry.max_outputs)},
                                 {"takes", entry.takes},
                                 {"makes", entry.makes},
                                 {"other_inputs", entry.other_inputs},
                                 {"while_loading", entry.while_loading},
                                 {"kernels", entry.kernels},
                                 {"limits", entry.limits}});
  }
  root["refused"] = ordered_json::array();
  for (const auto& entry : table.refused) root["refused"].push_back({{"name", entry.name}, {"reason", entry.meaning}});
  return to_text(root);
}

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

// What to load of a file.
void add_file_choices(CLI::App& app, ModelOptions& options) {
  app.add_option("--signature", options.signature,
                 "Entry point of a file that has several; its inputs and outputs (the first subgraph)");
  std::vector<InputShape>& shapes = options.input_shapes;
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
  std::string trace_file;  // empty: not written
  bool wanted() const { return profile || !trace_file.empty(); }
};

void add_profile(CLI::App& app, ProfileArguments& arguments) {
  app.add_flag("--profile", arguments.profile, "Time every step separately and compare it with the device maximum");
  app.add_option("--trace", arguments.trace_file, "FILE: write step times for chrome://tracing or Perfetto");
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
  add_file_choices(*run, options.model_options);
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
    if (!arguments.profile.trace_file.empty() && arguments.options.models.size() != 1) {
      throw CLI::ValidationError("--trace", "needs exactly one model");
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
  add_file_choices(*check, options.model_options);
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
  add_file_choices(*dump, options.model_options);
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
  if (!report.profile || arguments.trace_file.empty()) return {};
  const std::string title =
      std::filesystem::path(report.options.model).filename().string() + " on " + report.device.renderer;
  return write_output_file(arguments.trace_file, format_trace(*report.profile, title));
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
