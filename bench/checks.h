// Results of test programs in a report.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace sightglass::bench {

// `output` is what GoogleTest writes with --gtest_output=json; null if the program ended before it wrote it.
nlohmann::json summarize_tests(const std::string& program, const nlohmann::json& output);

// Whether every program ran to its end without a failure.
bool all_passed(const nlohmann::json& checks);

void append_checks(std::string& text, const nlohmann::json& checks);

}  // namespace sightglass::bench
