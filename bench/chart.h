// The times of models as an SVG chart.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace sightglass::bench {

// `peers` may be null.
std::string format_chart(const nlohmann::json& results, const nlohmann::json& peers);

}  // namespace sightglass::bench
