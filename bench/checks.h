// Results of test programs in a report.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace sightglass::bench {

// `output` is what GoogleTest writes with --gtest_output=json; null if the program ended before it wrote it.
nlohmann::json summarize_tests(const std::string& program, const nlohmann::json& output);

// The same from what GoogleTest prints, for a program that ended before it wrote its JSON.
nlohmann::json summarize_log(const std::string& program, const std::string& log);

// Adds the results of another shard of a program.
void add_checks(nlohmann::json& sum, const nlohmann::json& shard);

// Whether no test failed, and every program ran to its end or was stopped because its time was over.
bool all_passed(const nlohmann::json& checks);

void append_checks(std::string& text, const nlohmann::json& checks);

}  // namespace sightglass::bench
