// Measurements of elements on frames, and those of other engines, as sections of a report.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace sightglass::bench {

// `measured` has the lines of frames_bench. Those with fewer streams and smaller frames come first.
void append_frames(std::string& text, const nlohmann::json& measured);

// `compared` has the lines of packaging/bundle/compare: {"model", "engine", "device", "ms", "ours_ms", "note"}, or
// {"engine", "missing"}.
void append_compared(std::string& text, const nlohmann::json& compared);

}  // namespace sightglass::bench
