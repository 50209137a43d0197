#include <algorithm>
#include <string>
#include <string_view>

#include "common/formatting.h"
#include "report_text.h"

namespace sightglass::bench {

namespace {

using nlohmann::json;

// Failed tests of a program that are named here. Its section has all.
constexpr size_t kMostTests = 5;

json list_of(const json& object, const char* key) { return object.value(key, json::array()); }

void append_tests(std::string& text, const json& checks) {
  for (const json& check : checks) {
    const std::string program = "`" + check.at("program").get<std::string>() + "`";
    const json& failures = check.at("failures");
    if (!failures.empty()) {
      append(text, "- %s: %d of %d tests failed: ", program.c_str(), check.at("failed").get<int>(),
             check.at("failed").get<int>() + check.at("passed").get<int>());
      for (size_t i = 0; i < std::min(failures.size(), kMostTests); ++i) {
        text += (i > 0 ? ", `" : "`") + failures.at(i).at("test").get<std::string>() + "`";
      }
      text += failures.size() > kMostTests ? ", …\n" : "\n";
    }
    if (check.at("finished").get<bool>()) continue;
    const bool stopped = check.value("stopped", false);
    append(text, "- %s %s after %d tests", program.c_str(), stopped ? "was stopped" : "ended early",
           check.at("passed").get<int>() + check.at("failed").get<int>());
    text += check.contains("in") ? ", in `" + check.at("in").get<std::string>() + "`\n" : "\n";
  }
}

// One line for each part, because dozens of its steps may not be reached. `stopped` has lines such as "speed of MODEL".
void append_stopped(std::string& text, const json& stopped) {
  std::string previous;
  for (const json& step : stopped) {
    const auto line = step.get<std::string>();
    const size_t name = line.find(" of ");
    const std::string part = line.substr(0, name);
    if (name != std::string::npos && part == previous) {
      text += "; " + line.substr(name + std::string_view(" of ").size());
    } else {
      text += (previous.empty() ? "- stopped at the end of its time: " : "\n- stopped at the end of its time: ") + line;
    }
    previous = part;
  }
  if (!previous.empty()) text += "\n";
}

void append_frame_problems(std::string& text, const json& frames, const std::string& renderer) {
  for (const json& one : frames) {
    std::string name = one.at("name");
    append(name, ", %d × %d, %d streams: ", one.at("width").get<int>(), one.at("height").get<int>(),
           one.at("streams").get<int>());
    if (one.contains("error")) text += "- " + name + one.at("error").get<std::string>() + "\n";
    if (one.at("copies").at("count") > 0) {
      append(text, "- %s%lld copies between CPU and GPU, %lld bytes\n", name.c_str(),
             static_cast<long long>(one.at("copies").at("count").get<int64_t>()),
             static_cast<long long>(one.at("copies").at("bytes").get<int64_t>()));
    }
    for (const json& element : list_of(one, "elements")) {
      const int64_t failures = element.value("failures", int64_t{0});
      if (failures == 0) continue;
      append(text, "- %s%lld frames of %s failed\n", name.c_str(), static_cast<long long>(failures),
             element.at("element").get<std::string>().c_str());
    }
    const auto other = one.value("renderer", renderer);
    if (other != renderer) text += "- " + name + "ran on another renderer, " + other + "\n";
  }
}

}  // namespace

void append_problems(std::string& text, const json& results) {
  std::string problems;
  append_tests(problems, list_of(results, "checks"));
  for (const json& step : list_of(results, "failed")) problems += "- failed: " + step.get<std::string>() + "\n";
  append_stopped(problems, list_of(results, "stopped"));
  for (const char* part : {"models", "tuned"}) {
    if (!results.contains(part)) continue;
    for (const json& failure : list_of(results.at(part), "failures")) {
      problems += "- not measured: " + failure.get<std::string>() + "\n";
    }
  }
  append_frame_problems(problems, list_of(results, "frames"),
                        results.at("models").at("gl").value("renderer", std::string()));
  for (const json& one : list_of(results, "compared")) {
    if (one.value("agrees", true)) continue;
    problems += "- " + one.at("model").get<std::string>() + ": our output differs from that of " +
                one.at("engine").get<std::string>() + ": " + one.value("note", "") + "\n";
  }
  text += "\n## What was wrong\n\n" + (problems.empty() ? "Nothing.\n" : problems);
}

}  // namespace sightglass::bench
