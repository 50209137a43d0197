#include "checks.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "common/formatting.h"

namespace sightglass::bench {

namespace {

using nlohmann::json;

// Maximum length of a failure in the report. The logs have the rest.
constexpr size_t kMostCharacters = 400;
// What GoogleTest prints before the name of a test that begins.
constexpr const char* kRun = "[ RUN      ] ";

// One line, which does not end a cell of a table.
std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '|') c = ' ';
  }
  return text.substr(0, kMostCharacters);
}

json empty_summary(const std::string& program, bool finished) {
  return {{"program", program}, {"finished", finished},     {"passed", 0}, {"failed", 0}, {"skipped", 0},
          {"seconds", 0.0},     {"failures", json::array()}};
}

std::string in_of(const json& check) { return check.at("in").get<std::string>(); }

// Whether the line is that of a result, such as "[  FAILED  ] Suite.Test, where GetParam() = 1 (12 ms)".
bool is_result(const std::string& line, const char* tag) { return line.starts_with(tag) && line.ends_with(" ms)"); }

}  // namespace

nlohmann::json summarize_log(const std::string& program, const std::string& log) {
  json summary = empty_summary(program, false);
  int passed = 0, failed = 0, skipped = 0;
  double milliseconds = 0;
  std::string running, message;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kRun)) {
      running = line.substr(std::strlen(kRun));
      message.clear();
      continue;
    }
    const bool has_passed = is_result(line, "[       OK ]"), has_failed = is_result(line, "[  FAILED  ]"),
               was_skipped = is_result(line, "[  SKIPPED ]");
    if (running.empty() || !(has_passed || has_failed || was_skipped)) {
      message += line + "\n";
      continue;
    }
    passed += has_passed ? 1 : 0;
    failed += has_failed ? 1 : 0;
    skipped += was_skipped ? 1 : 0;
    milliseconds += std::strtod(line.c_str() + line.rfind('(') + 1, nullptr);
    if (has_failed) summary["failures"].push_back({{"test", running}, {"message", message}});
    running.clear();
  }
  if (message.find(": Failure\n") != std::string::npos && !running.empty()) {  // and then it was stopped
    ++failed;
    summary["failures"].push_back({{"test", running}, {"message", message}});
  }
  summary["passed"] = passed;
  summary["failed"] = failed;
  summary["skipped"] = skipped;
  summary["seconds"] = milliseconds * 1e-3;
  if (!running.empty()) summary["in"] = running;
  return summary;
}

void add_checks(json& sum, const json& shard) {
  for (const char* number : {"passed", "failed", "skipped"}) {
    sum[number] = sum.at(number).get<int>() + shard.at(number).get<int>();
  }
  // Shards run at the same time.
  sum["seconds"] = std::max(sum.at("seconds").get<double>(), shard.at("seconds").get<double>());
  for (const json& failure : shard.at("failures")) sum["failures"].push_back(failure);
  if (shard.at("finished").get<bool>()) return;
  // One that crashed outweighs one that was stopped.
  const bool stopped = shard.value("stopped", false);
  sum["stopped"] = stopped && (sum.at("finished").get<bool>() || sum.value("stopped", false));
  sum["finished"] = false;
  if (shard.contains("in")) sum["in"] = shard.at("in");
}

nlohmann::json summarize_tests(const std::string& program, const json& output) {
  json summary = empty_summary(program, output.is_object());
  if (!output.is_object()) return summary;
  int passed = 0, failed = 0, skipped = 0;
  for (const json& suite : output.at("testsuites")) {
    for (const json& test : suite.at("testsuite")) {
      if (test.at("status") != "RUN") continue;  // not selected
      if (test.contains("failures")) {
        ++failed;
        const std::string name = suite.at("name").get<std::string>() + "." + test.at("name").get<std::string>();
        summary["failures"].push_back({{"test", name}, {"message", test.at("failures").at(0).at("failure")}});
      } else if (test.at("result") == "SKIPPED") {
        ++skipped;
      } else {
        ++passed;
      }
    }
  }
  summary["passed"] = passed;
  summary["failed"] = failed;
  summary["skipped"] = skipped;
  summary["seconds"] = std::strtod(output.at("time").get<std::string>().c_str(), nullptr);
  return summary;
}

bool all_passed(const json& checks) {
  for (const json& check : checks) {
    const bool ended_early = !check.at("finished").get<bool>() && !check.value("stopped", false);
    if (ended_early || check.at("failed").get<int>() > 0) return false;
  }
  return true;
}

void append_checks(std::string& text, const json& checks) {
  text +=
      "\n## Tests\n\nThe logs of the programs have the measured differences, and the reason of each skipped test.\n\n"
      "| program | passed | failed | skipped | seconds |\n|---|---|---|---|---|\n";
  for (const json& check : checks) {
    const auto program = check.at("program").get<std::string>();
    const bool finished = check.at("finished").get<bool>(), stopped = check.value("stopped", false);
    const int passed = check.at("passed"), failed = check.at("failed");
    if (!finished && passed + failed == 0) {
      text += "| " + program + " | – | did not finish | – | – |\n";
      continue;
    }
    append(text, "| %s%s | %d | %d | %d | %.1f |\n", program.c_str(),
           finished  ? ""
           : stopped ? ", stopped"
                     : ", ended early",
           passed, failed, check.at("skipped").get<int>(), check.at("seconds").get<double>());
  }
  if (all_passed(checks)) return;
  text += "\nFailures:\n\n";
  for (const json& check : checks) {
    const auto program = check.at("program").get<std::string>();
    if (!check.at("finished").get<bool>() && !check.value("stopped", false)) {
      text += "- `" + program + "` ended early" + (check.contains("in") ? ", in `" + in_of(check) + "`" : "") + "\n";
    }
    for (const json& failure : check.at("failures")) {
      text += "- `" + program + "`, `" + failure.at("test").get<std::string>() +
              "`: " + one_line(failure.at("message").get<std::string>()) + "\n";
    }
  }
}

}  // namespace sightglass::bench
