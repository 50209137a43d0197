#include "report_text.h"

#include <algorithm>

#include "checks.h"
#include "common/formatting.h"
#include "comparison.h"

namespace sightglass::bench {

namespace {

using nlohmann::json;

// Maximum number of changes of each kind in the comparison with earlier results.
constexpr size_t kMostChanges = 12;
// Smaller changes are noise on a machine with other load.
constexpr double kNoise = 1.1;

std::string text_of(const json& object, const char* key) {
  return object.contains(key) && object.at(key).is_string() ? object.at(key).get<std::string>() : "unknown";
}

void append_machine(std::string& text, const json& results) {
  const json& machine = results.at("machine");
  text += "| | |\n|---|---|\n";
  const auto row = [&text](const char* name, const std::string& value) {
    text += std::string("| ") + name + " | " + value + " |\n";
  };
  row("date", text_of(machine, "date"));
  row("sightglass", text_of(results, "version"));
  row("processor", text_of(machine, "processor") + ", " + std::to_string(machine.at("cores").get<int>()) + " cores");
  row("memory", text_of(machine, "memory"));
  row("system", text_of(machine, "system") + ", " + text_of(machine, "kernel"));
  std::string load;
  append(
      load, "%.1f (one minute, %s)", machine.at("load_average").at(0).get<double>(),
      results.contains("run") ? "at the start of the run" : "when the report was written; includes the measurements");
  row("load", load);
  const json& models = results.at("models");
  row("GL", text_of(models.at("gl"), "renderer") + ", " + text_of(models.at("gl"), "version"));
  if (results.contains("element")) row("GStreamer", text_of(results.at("element"), "gstreamer"));
  if (!models.contains("device")) return;  // not measured yet
  const json& device = models.at("device");
  std::string speed;
  append(speed, "%.1f GFLOP/s of multiply-adds in registers, %.1f GB/s of copies (read and written)",
         device.at("multiply_add_gflops").get<double>(), device.at("copy_gb_per_s").get<double>());
  row("device, measured", speed);
  row("steps timed by", text_of(models, "timing"));
}

void append_models(std::string& text, const json& models) {
  if (models.at("models").empty() && models.at("failures").empty()) return;
  text += R"(
## Models

Milliseconds. Run: only the model, including the wait for the GPU. Transfers: with the upload of all inputs and the readback
of all outputs. Peak: the fraction of the measured multiply-adds of the device. Weights: on the GPU, compared with the file.

| model | run, median | p95 | with transfers | GFLOP/s | peak | dispatches | GL calls each | barriers | arena KiB | of bound | weights KiB | of file |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
)";
  for (const json& model : models.at("models")) {
    append(text, "| %s | %.2f | %.2f | %.2f | %.1f | %.1f %% | %d | %.1f | %d | %.0f | %.3f | %.0f | %.2f |\n",
           model_name(model).c_str(), model.at("run_ms").at("median").get<double>(),
           model.at("run_ms").at("p95").get<double>(), model.at("run_with_transfers_ms").at("median").get<double>(),
           model.at("gflops").get<double>(), 100 * model.at("peak_share").get<double>(),
           model.at("dispatches").get<int>(), model.at("gl_calls_per_dispatch").get<double>(),
           model.at("barriers").get<int>(), model.at("memory").at("arena_bytes").get<double>() / 1024,
           model.at("arena_ratio").get<double>(), model.at("memory").at("weight_bytes").get<double>() / 1024,
           model.at("weights_of_file").get<double>());
  }
  for (const json& failure : models.at("failures")) text += "\nNot measured: " + failure.get<std::string>() + "\n";
}

void append_starts(std::string& text, const json& models) {
  if (std::ranges::none_of(models.at("models"), [](const json& model) { return model.contains("start_ms"); })) return;
  text += R"(
## Starts

Milliseconds from the start of GL to the end of the first run, each in a separate process. Cold: the program caches of
engine and driver are empty. Warm: they contain the programs of the cold start. Libraries and the model file are in memory.

| model | cold | warm | warm of cold | cold: session | warm: context | import | plan | session | first run |
|---|---|---|---|---|---|---|---|---|---|
)";
  for (const json& model : models.at("models")) {
    if (!model.contains("start_ms")) continue;
    const json &cold = model.at("start_ms").at("cold"), &warm = model.at("start_ms").at("warm");
    const auto of = [](const json& start, const char* part) { return start.at(part).get<double>(); };
    append(text, "| %s | %.0f | %.0f | %.1f %% | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f |\n",
           model_name(model).c_str(), of(cold, "total"), of(warm, "total"), 100 * of(warm, "total") / of(cold, "total"),
           of(cold, "session"), of(warm, "context"), of(warm, "import"), of(warm, "plan") + of(warm, "tuning"),
           of(warm, "session"), of(warm, "first_run"));
  }
}

void append_rooflines(std::string& text, const json& models) {
  const auto profiled = [](const json& model) { return model.contains("profile"); };
  if (std::ranges::none_of(models.at("models"), profiled)) return;
  text += R"(
## Roofline

All steps of a model, each run separately. Minimum: the time that they need at the limits of the device, which is that of
the arithmetic or of the memory traffic of each step, whichever is longer.

| model | steps | measured, ms | minimum, ms | minimum of measured | slowest kernel | its share |
|---|---|---|---|---|---|---|
)";
  for (const json& model : models.at("models")) {
    if (!profiled(model)) continue;
    const json &profile = model.at("profile"), &kernels = profile.at("kernels");
    const double measured = profile.at("total_ms"), minimum = roofline_ms(model);
    const auto slowest =
        std::ranges::max_element(kernels, {}, [](const json& one) { return one.at("ms").get<double>(); });
    if (slowest == kernels.end() || measured <= 0) continue;
    append(text, "| %s | %zu | %.2f | %.2f | %.0f %% | `%s` | %.0f %% |\n", model_name(model).c_str(),
           profile.at("steps").size(), measured, minimum, 100 * minimum / measured, text_of(*slowest, "kernel").c_str(),
           100 * slowest->at("share").get<double>());
  }
}

void append_tuning(std::string& text, const json& tuned, const json& models) {
  const std::vector<Ratio> ratios = against_defaults(tuned.at("models"), models.at("models"));
  text += R"(
## Tuning

Milliseconds per run, with the default kernel variants of the device family and with those that measured fastest.

| model | default | tuned | times as fast | note |
|---|---|---|---|---|
)";
  for (const Ratio& ratio : ratios) {
    append(text, "| %s | %.2f | %.2f | %.2f | ", ratio.name.c_str(), ratio.theirs, ratio.ours, ratio.times_as_fast());
    text += ratio.note + " |\n";
  }
  append(text, "| geometric mean of %zu | | | %.2f | |\n", ratios.size(), geometric_mean(ratios));
  for (const json& failure : tuned.at("failures")) text += "\nNot tuned: " + failure.get<std::string>() + "\n";
}

void append_peers(std::string& text, const json& models, const json& peers) {
  if (!peers.is_object() || models.at("models").empty()) return;
  text += "\n## Other engines\n\n" + text_of(peers, "note") +
          "\nTheir times are compared with ours including upload and readback.\n";
  for (const json& engine : peers.at("engines")) {
    const std::vector<Ratio> ratios = against_peer(models.at("models"), engine);
    if (ratios.empty()) continue;
    text += "\n" + text_of(engine, "name") + " (" + text_of(engine, "version") +
            "):\n\n| model | theirs | ours | times as fast |\n|---|---|---|---|\n";
    for (const Ratio& ratio : ratios) {
      append(text, "| %s%s | %.1f | %.2f | %.2f |\n", ratio.name.c_str(),
             ratio.note.empty() ? "" : (" (" + ratio.note + ")").c_str(), ratio.theirs, ratio.ours,
             ratio.times_as_fast());
    }
    append(text, "| geometric mean of %zu | | | %.2f |\n", ratios.size(), geometric_mean(ratios));
  }
}

// The cost of the element beyond its model, compared with another blur element.
void append_element_cost(std::string& text, const json& pipelines, const json& models) {
  const auto ms_of = [&pipelines](const std::string& name) {
    const auto found = std::ranges::find_if(pipelines, [&](const json& p) { return p.at("name") == name; });
    return found == pipelines.end() ? 0.0 : found->at("ms_per_frame").get<double>();
  };
  const auto model =
      std::ranges::find_if(models, [](const json& m) { return model_name(m) == "mediapipe_selfie_segmenter_256"; });
  const double without = ms_of("without an element"), blur = ms_of("gleffects_blur") - without,
               segment = ms_of("glsegment background=blur") - without;
  if (model == models.end() || blur <= 0 || segment <= 0) return;
  const double alone = model->at("run_ms").at("min");  // minimum, as for the frames
  append(text,
         "\nOf the %.2f ms that glsegment takes with a blurred background, its model takes %.2f ms. The rest is %.2f "
         "times\n"
         "the time of gleffects_blur.\n",
         segment, alone, (segment - alone) / blur);
}

void append_element(std::string& text, const json& element, const json& models) {
  append(
      text,
      "\n## Pipelines\n\n`gltestsrc ! … ! fakesink`, RGBA frames of %d × %d on the GPU, the fastest of several runs of "
      "%d frames.\n\n| element | ms per frame | frames per second | added to the pipeline without "
      "|\n|---|---|---|---|\n",
      element.at("width").get<int>(), element.at("height").get<int>(), element.at("frames").get<int>());
  const json& pipelines = element.at("pipelines");
  const double without = pipelines.at(0).at("ms_per_frame");
  for (const json& pipeline : pipelines) {
    append(text, "| %s | %.2f | %.1f | %.2f |\n", text_of(pipeline, "name").c_str(),
           pipeline.at("ms_per_frame").get<double>(), pipeline.at("frames_per_second").get<double>(),
           pipeline.at("ms_per_frame").get<double>() - without);
  }
  append_element_cost(text, pipelines, models);
}

void append_operators(std::string& text, const json& operators) {
  text += "\n## Operators\n\nSingle operators, median.\n\n| operator | ms | GFLOP/s |\n|---|---|---|\n";
  for (const json& entry : operators.at("operators")) {
    append(text, "| %s | %.3f | ", text_of(entry, "name").c_str(), entry.at("ms").get<double>());
    if (entry.at("multiply_adds").get<int64_t>() > 0) {
      append(text, "%.1f |\n", entry.at("gflops").get<double>());
    } else {
      text += "– |\n";
    }
  }
}

void append_changes(std::string& text, const json& results, const json& before) {
  if (!before.is_object()) return;
  std::vector<Ratio> ratios = against_results(results, before);
  if (ratios.empty()) return;
  text += "\n## Against earlier results\n\nCompared with " + text_of(before.at("machine"), "date") + ", " +
          text_of(before, "version") + ".";
  append(text, " Over %zu times in both, this version is %.3f times as fast (geometric mean).\n", ratios.size(),
         geometric_mean(ratios));
  std::erase_if(
      ratios, [](const Ratio& ratio) { return ratio.times_as_fast() < kNoise && ratio.times_as_fast() > 1 / kNoise; });
  if (ratios.empty()) {
    append(text, "Nothing changed by more than %.0f %%.\n", 100 * (kNoise - 1));
    return;
  }
  std::ranges::stable_sort(ratios, {}, &Ratio::times_as_fast);
  const auto row = [&text](const Ratio& ratio) {
    append(text, "| %s | %.3f | %.3f | %.2f |\n", ratio.name.c_str(), ratio.theirs, ratio.ours, ratio.times_as_fast());
  };
  append(text,
         "Changes of more than %.0f %%, slowdowns first:\n\n| | before, ms | now, ms | times as fast |\n"
         "|---|---|---|---|\n",
         100 * (kNoise - 1));
  if (ratios.size() <= 2 * kMostChanges) {
    for (const Ratio& ratio : ratios) row(ratio);
    return;
  }
  for (size_t i = 0; i < kMostChanges; ++i) row(ratios[i]);
  append(text, "| … %zu more | | | |\n", ratios.size() - 2 * kMostChanges);
  for (size_t i = ratios.size() - kMostChanges; i < ratios.size(); ++i) row(ratios[i]);
}

}  // namespace

std::string format_report(const json& results, const json& peers, const json& before) {
  const json& models = results.at("models");
  std::string text = "# Benchmarks: " + text_of(models.at("gl"), "renderer") + "\n\n";
  append_machine(text, results);
  if (results.contains("run")) append_problems(text, results);
  if (results.contains("checks")) append_checks(text, results.at("checks"));
  append_models(text, models);
  append_rooflines(text, models);
  if (results.contains("tuned")) append_tuning(text, results.at("tuned"), models);
  append_peers(text, models, peers);
  append_starts(text, models);
  if (results.contains("element")) append_element(text, results.at("element"), models.at("models"));
  if (results.contains("frames")) append_frames(text, results.at("frames"));
  if (results.contains("compared")) append_compared(text, results.at("compared"));
  if (results.contains("operators")) append_operators(text, results.at("operators"));
  append_changes(text, results, before);
  return text;
}

}  // namespace sightglass::bench
