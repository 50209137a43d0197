// Makes GL functions fail on request, in contexts that GStreamer creates.
#pragma once

#include <string>

namespace sightglass::test {

// Contexts created from now on look up their functions here. Call this before you create a pipeline.
void install_gl_faults();

// The next `calls` calls of that function ("DispatchCompute") do nothing, return nothing, and make glGetError() report
// GL_OUT_OF_MEMORY. 0 ends this.
void fail_gl(const std::string& function, int calls);
constexpr int kEveryCall = 1 << 30;
// Ends all of them.
void end_gl_faults();

// Calls of that function wait until release_gl(). One function at a time.
void hold_gl(const std::string& function);
// Waits until a call waits; returns false if none does within a minute.
bool wait_for_held_gl();
void release_gl();

}  // namespace sightglass::test
