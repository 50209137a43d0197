// Counts the GL calls of our plugins, and of no other code, in contexts that GStreamer creates.
#pragma once

#include <array>
#include <map>
#include <string>

namespace sightglass::test {

// Calls count for the current phase: until the first output frame, until the end of the stream, and after it.
enum class Phase { kStart, kFrames, kStop };
inline constexpr size_t kPhases = 3;

// Counts in all contexts that are created from now on. Returns renderer and version of such contexts; empty if there is
// no GL.
std::string count_gl_calls();

// Phases only move on.
void enter_phase(Phase phase);

// Calls of each function ("DispatchCompute") that was called at all, by phase.
std::map<std::string, std::array<int, kPhases>> gl_calls();

}  // namespace sightglass::test
