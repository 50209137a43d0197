// Joins the results of the benches, writes them as one JSON file and as a Markdown report, and compares them with
// earlier ones and with other engines.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "gpu_engine/output_file.h"
#include "machine.h"
#include "report_text.h"

namespace {

using nlohmann::json;

[[noreturn]] void fail(const std::string& message) {
  std::fprintf(stderr, "bench_report: %s\n", message.c_str());
  std::exit(1);
}

json read(const std::string& path) {
  std::ifstream file(path);
  json value = json::parse(file, nullptr, false);
  if (!value.is_object()) fail(path + " holds no results");
  return value;
}

void write(const std::string& path, const std::string& text) {
  const sightglass::Status status = sightglass::write_output_file(path, text);
  if (!status.ok()) fail(status.message());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Writes a report of benchmarks.", "bench_report");
  std::string version, models, operators, element, peers, against, report, results_file;
  app.add_option("--version-name", version, "Which source the results are of");
  app.add_option("--models", models, "What `sightglass bench --json` printed")->required();
  app.add_option("--operators", operators, "What operator_bench printed");
  app.add_option("--element", element, "What element_bench printed");
  app.add_option("--peers", peers, "Figures of other engines");
  app.add_option("--against", against, "Earlier results");
  app.add_option("--results", results_file, "Where to write all results as JSON")->required();
  app.add_option("--report", report, "Where to write the report")->required();
  CLI11_PARSE(app, argc, argv);

  const json other_engines = peers.empty() ? json() : read(peers);
  const json before = against.empty() ? json() : read(against);
  json results{{"version", version}, {"machine", sightglass::bench::describe_machine()}, {"models", read(models)}};
  if (!operators.empty()) results["operators"] = read(operators);
  if (!element.empty()) results["element"] = read(element);
  try {
    write(report, sightglass::bench::format_report(results, other_engines, before));
  } catch (const json::exception& error) {
    fail(std::string("a file of results lacks something: ") + error.what());
  }
  write(results_file, results.dump(1) + "\n");
  return 0;
}
