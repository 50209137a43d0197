// Joins the results of the benchmarks, writes them as one JSON file and as a Markdown report, and compares them with
// earlier results and with other engines.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "chart.h"
#include "checks.h"
#include "gpu_engine/files.h"
#include "machine.h"
#include "report_text.h"
#include "run_record.h"

namespace {

using nlohmann::json;

[[noreturn]] void fail(const std::string& message) {
  std::fprintf(stderr, "bench_report: %s\n", message.c_str());
  std::exit(1);
}

json read(const std::string& path) {
  std::ifstream file(path);
  json value = json::parse(file, nullptr, false);
  if (!value.is_object()) fail(path + ": not a file of results");
  return value;
}

// Null if the test program did not finish: it then wrote no file, or a part of it.
json read_tests(const std::string& path) {
  std::ifstream file(path);
  json value = json::parse(file, nullptr, false);
  return value.is_object() ? value : json();
}

void write(const std::string& path, const std::string& text) {
  const sightglass::Status status = sightglass::write_output_file(path, text);
  if (!status.ok()) fail(status.message());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Writes a report of benchmarks.", "bench_report");
  std::string version, models, tuned, operators, element, steps, logs, peers, against, report, chart, results_file;
  std::vector<std::string> tests;
  app.add_option("--version-name", version, "Source version of the results");
  CLI::Option* models_option = app.add_option("--models", models, "Output of `sightglass bench --json`");
  app.add_option("--steps", steps, "Steps of a run of the bundle, results.jsonl, instead of the other results")
      ->excludes(models_option);
  app.add_option("--logs", logs, "Directory of the logs of that run");
  app.add_option("--tuned", tuned, "The same with --tuning on");
  app.add_option("--tests", tests, "Output of test programs with --gtest_output=json, each in a file PROGRAM.json")
      ->allow_extra_args(false);
  app.add_option("--operators", operators, "Output of operator_bench");
  app.add_option("--element", element, "Output of element_bench");
  app.add_option("--peers", peers, "Results of other engines");
  app.add_option("--against", against, "Earlier results");
  app.add_option("--results", results_file, "JSON file to write all results to")->required();
  app.add_option("--report", report, "Markdown file to write the report to")->required();
  app.add_option("--chart", chart, "SVG file to write a chart of the models to");
  CLI11_PARSE(app, argc, argv);

  const json other_engines = peers.empty() ? json() : read(peers);
  const json before = against.empty() ? json() : read(against);
  if (models.empty() == steps.empty()) fail("give --models or --steps");
  json results = steps.empty() ? json{{"models", read(models)}} : sightglass::bench::read_run_record(steps, logs);
  if (!results.contains("models")) fail(steps + ": has no device");
  results["version"] = version;
  if (!results.contains("machine")) results["machine"] = sightglass::bench::describe_machine();
  if (!tuned.empty()) results["tuned"] = read(tuned);
  if (!operators.empty()) results["operators"] = read(operators);
  if (!element.empty()) results["element"] = read(element);
  try {
    for (const std::string& file : tests) {
      results["checks"].push_back(
          sightglass::bench::summarize_tests(std::filesystem::path(file).stem(), read_tests(file)));
    }
    if (!chart.empty()) write(chart, sightglass::bench::format_chart(results, other_engines));
    write(report, sightglass::bench::format_report(results, other_engines, before));
  } catch (const json::exception& error) {
    fail(std::string("incomplete results: ") + error.what());
  }
  write(results_file, results.dump(1) + "\n");
  return 0;
}
