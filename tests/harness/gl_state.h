// Snapshots of GL state, to check that code leaves it as found.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sightglass/gl_api.h"

namespace sightglass::test {

using GlState = std::map<std::string, std::vector<GLint>>;

// Every binding, enable, and pixel-store value that the current context can report and that video code may change.
GlState snapshot_gl_state(const GlApi& gl);

// One line per value that differs: "GL_VIEWPORT: 0 0 4 4 -> 0 0 8 8"; empty if none differs.
std::string difference(const GlState& before, const GlState& after);

// Sets all drawing state to unusual values, as an element that relies on its own state would.
void disturb_gl_state(const GlApi& gl);

}  // namespace sightglass::test
