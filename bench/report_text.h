// Results as a Markdown report.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace sightglass::bench {

// `peers` and `before` may be null. Sections without results are omitted.
std::string format_report(const nlohmann::json& results, const nlohmann::json& peers, const nlohmann::json& before);

}  // namespace sightglass::bench
