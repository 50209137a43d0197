// Runs the subcommands for video as on a machine without a display.
#pragma once

#include <cstdlib>

#include "harness/command_case.h"

namespace sightglass::test {

class VideoCase : public CommandTest {
 protected:
  void SetUp() override {
    // Programs stay in the cache of the other tests: compiling them anew takes seconds per run.
    const char* cache = std::getenv("XDG_CACHE_HOME");
    const std::string kept = cache != nullptr ? cache : "";
    CommandTest::SetUp();
    if (!kept.empty()) ::setenv("XDG_CACHE_HOME", kept.c_str(), 1);
    // The command must select GL by itself.
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "GST_GL_PLATFORM", "GST_GL_API", "GST_GL_WINDOW"}) {
      ::unsetenv(name);
    }
  }
};

}  // namespace sightglass::test
