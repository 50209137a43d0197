#include "run_record.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "checks.h"

namespace sightglass::bench {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

// Exit statuses of a program that coreutils' timeout has stopped.
constexpr int kTimedOut = 124, kKilled = 137;

bool was_stopped(const json& step) { return step.at("status") == kTimedOut || step.at("status") == kKilled; }

std::vector<json> read_steps(const fs::path& file) {
  std::vector<json> steps;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    json step = json::parse(line, nullptr, false);
    if (step.is_object() && step.contains("part") && step.contains("status")) steps.push_back(std::move(step));
  }
  return steps;
}

std::string read_text(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Each model is measured by a process of its own, which measures the device as well. The best one counts, because a
// busy machine is slower.
void merge_models(json& into, const json& measured) {
  if (into.is_null()) {
    into = measured;
    return;
  }
  for (const char* list : {"models", "failures"}) {
    for (const json& one : measured.value(list, json::array())) into[list].push_back(one);
  }
  if (measured.contains("timing")) into["timing"] = measured.at("timing");
  if (!measured.contains("device")) return;
  if (!into.contains("device")) into["device"] = measured.at("device");
  for (const char* speed : {"multiply_add_gflops", "copy_gb_per_s"}) {
    json& best = into.at("device").at(speed);
    best = std::max(best.get<double>(), measured.at("device").at(speed).get<double>());
  }
}

json test_program(const std::string& program, const std::string& step, const fs::path& folder) {
  std::ifstream file(folder / (step + ".json"));
  const json output = json::parse(file, nullptr, false);
  return output.is_object() ? summarize_tests(program, output)
                            : summarize_log(program, read_text(folder / (step + ".log")));
}

// Shards of a program are one row.
json read_checks(const fs::path& folder, const std::map<std::string, json>& finished) {
  std::set<std::string> steps;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".log") steps.insert(entry.path().stem());
  }
  std::map<std::string, json> programs;
  for (const std::string& step : steps) {
    const std::string program = step.substr(0, step.find('.'));
    json one = test_program(program, step, folder);
    const auto line = finished.find(step);
    // A program without a line was still running, or the run was killed.
    if (!one.at("finished").get<bool>()) one["stopped"] = line == finished.end() || was_stopped(line->second);
    json& sum = programs[program];
    if (sum.is_null()) {
      sum = std::move(one);
    } else {
      add_checks(sum, one);
    }
  }
  json checks = json::array();
  for (auto& [program, sum] : programs) checks.push_back(std::move(sum));
  return checks;
}

}  // namespace

json read_run_record(const fs::path& steps, const fs::path& logs) {
  json results{{"run", true}};
  std::map<std::string, json> tests;
  for (json& step : read_steps(steps)) {
    const auto part = step.at("part").get<std::string>();
    const auto name = step.value("step", part);
    const json& result = step.contains("result") ? step.at("result") : json();
    if (part == "test") tests[name] = step;
    // The summary of a test program says so, too, unless it had no time at all.
    const bool has_log = part == "test" && fs::exists(logs / "tests" / (name + ".log"));
    if (was_stopped(step) && !has_log) results["stopped"].push_back(part == name ? part : part + " of " + name);
    if (part == "frames" && result.is_object()) results["frames"].push_back(result);
    if (part == "compare" && result.is_object()) results["compared"].push_back(result);
    if (part == "operators" && result.is_object()) results["operators"] = result;
    if (part == "training" && result.is_object()) results["training"].push_back(result);
    if (part == "device" && result.is_object()) {
      results["machine"] = result.at("machine");
      merge_models(results["models"], {{"gl", result.at("gl")}});
    }
    if (part == "speed" && result.is_object()) merge_models(results["models"], result);
    if (part == "tuning" && result.is_object()) merge_models(results["tuned"], result);
    const bool measures =
        part == "speed" || part == "frames" || part == "tuning" || part == "operators" || part == "compare";
    if (measures && step.at("status") != 0 && !was_stopped(step)) {
      results["failed"].push_back(part + " of " + name);
    }
  }
  for (const char* list : {"models", "failures"}) {
    if (results.contains("models") && !results.at("models").contains(list)) results["models"][list] = json::array();
  }
  if (json checks = read_checks(logs / "tests", tests); !checks.empty()) results["checks"] = std::move(checks);
  return results;
}

}  // namespace sightglass::bench
