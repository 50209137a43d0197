// A function table that counts its calls, and can report errors on request.
#pragma once

#include <map>
#include <string>

#include "sightglass/gl_api.h"

namespace sightglass::test {

// Calls since the last reset, per entry point without its prefix ("DispatchCompute"). One counter for the process.
std::map<std::string, int>& gl_calls();

// Returns `gl` with all entries counted.
GlApi counting_gl(const GlApi& gl);

// From the nth call of `name` on (counting from 1), GetError of a counting table reports GL_OUT_OF_MEMORY once, and the
// call itself is not forwarded. An empty name ends this.
void fail_gl_call(const std::string& name, int nth);

}  // namespace sightglass::test
