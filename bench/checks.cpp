#include "checks.h"

#include <cstdlib>

#include "common/append.h"

namespace sightglass::bench {

namespace {

using nlohmann::json;

// Maximum length of a failure in the report. The logs have the rest.
constexpr size_t kMostCharacters = 400;

// One line, which does not end a cell of a table.
std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '|') c = ' ';
  }
  return text.substr(0, kMostCharacters);
}

}  // namespace

nlohmann::json summarize_tests(const std::string& program, const json& output) {
  json summary{{"program", program}, {"finished", output.is_object()}, {"passed", 0}, {"failed", 0}, {"skipped", 0},
               {"seconds", 0.0}};
  summary["failures"] = json::array();
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
    if (!check.at("finished").get<bool>() || check.at("failed").get<int>() > 0) return false;
  }
  return true;
}

void append_checks(std::string& text, const json& checks) {
  text +=
      "\n## Tests\n\nThe logs of the programs have the measured differences, and the reason of each skipped test.\n\n"
      "| program | passed | failed | skipped | seconds |\n|---|---|---|---|---|\n";
  for (const json& check : checks) {
    const auto program = check.at("program").get<std::string>();
    if (!check.at("finished").get<bool>()) {
      text += "| " + program + " | – | did not finish | – | – |\n";
      continue;
    }
    append(text, "| %s | %d | %d | %d | %.1f |\n", program.c_str(), check.at("passed").get<int>(),
           check.at("failed").get<int>(), check.at("skipped").get<int>(), check.at("seconds").get<double>());
  }
  if (all_passed(checks)) return;
  text += "\nFailures:\n\n";
  for (const json& check : checks) {
    const auto program = check.at("program").get<std::string>();
    if (!check.at("finished").get<bool>()) text += "- `" + program + "` ended early\n";
    for (const json& failure : check.at("failures")) {
      text += "- `" + program + "`, `" + failure.at("test").get<std::string>() +
              "`: " + one_line(failure.at("message").get<std::string>()) + "\n";
    }
  }
}

}  // namespace sightglass::bench
