// A function table that counts its calls, and can be told to report errors.
#pragma once

#include <map>
#include <string>

#include "gpu_engine/gl_api.h"

namespace sightglass::test {

// Calls since the last reset, by entry point without its prefix ("DispatchCompute"). One counter for the process.
std::map<std::string, int>& gl_calls();

// `gl` with every entry counted.
GlApi counting_gl(const GlApi& gl);

// From the nth call of `name` on (counting from 1), GetError of a counting table reports GL_OUT_OF_MEMORY once, and the
// call itself is not passed on. An empty name ends it.
void fail_gl_call(const std::string& name, int nth);

}  // namespace sightglass::test
