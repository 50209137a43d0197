// Results as a Markdown report, and its sections. Sections without results are omitted.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace sightglass::bench {

// `peers` and `before` may be null.
std::string format_report(const nlohmann::json& results, const nlohmann::json& peers, const nlohmann::json& before);

// What was wrong in a run, the first section: failed tests, programs that ended early or were stopped, models and
// pipelines that were not measured, and copies between CPU and GPU; "Nothing." without any.
void append_problems(std::string& text, const nlohmann::json& results);

// `measured` has the lines of frames_bench. Those with fewer streams and smaller frames come first.
void append_frames(std::string& text, const nlohmann::json& measured);

// `compared` has the lines of packaging/bundle/compare: {"model", "engine", "device", "ms", "ours_ms", "note"}, or
// {"engine", "missing"}.
void append_compared(std::string& text, const nlohmann::json& compared);

}  // namespace sightglass::bench
