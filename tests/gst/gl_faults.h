// GL functions that fail when a test wants it, in the contexts that GStreamer makes.
#pragma once

#include <string>

namespace sightglass::test {

// Contexts made from now on look their functions up here. Call it before any pipeline.
void install_gl_faults();

// The next `calls` calls of that function ("DispatchCompute") do nothing, give nothing, and make glGetError() say
// GL_OUT_OF_MEMORY. 0 ends it.
void fail_gl(const std::string& function, int calls);
constexpr int kEveryCall = 1 << 30;
// Ends all of them.
void end_gl_faults();

}  // namespace sightglass::test
