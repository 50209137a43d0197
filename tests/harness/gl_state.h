// A snapshot of GL state, to prove that code leaves it as found.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gpu_engine/gl_api.h"

namespace sightglass::test {

using GlState = std::map<std::string, std::vector<GLint>>;

// Every binding, enable and pixel-store value that the current context can tell of and that video code may touch.
GlState snapshot_gl_state(const GlApi& gl);

// One line for each value that differs: "GL_VIEWPORT: 0 0 4 4 -> 0 0 8 8"; empty when none does.
std::string difference(const GlState& before, const GlState& after);

// Sets what decides where and how things are drawn as nobody has it by default: a neighbour that counts on its own.
void disturb_gl_state(const GlApi& gl);

}  // namespace sightglass::test
