// What was wrong in a run: the first section of its report.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace sightglass::bench {

// Failed tests, programs that ended early or were stopped, models and pipelines that were not measured, and copies
// between CPU and GPU; "Nothing." without any.
void append_problems(std::string& text, const nlohmann::json& results);

}  // namespace sightglass::bench
