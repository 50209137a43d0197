// Runs pipelines under the tracer in separate processes, and parses the table that they print.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace sightglass::test {

struct TracerRow {
  uint64_t frames = 0, calls = 0, bytes = 0;
  std::string thread;
};

struct TracerRun {
  int status = -1;
  std::string output;  // stdout and stderr
  // Per element and kind of copy. Rows of several threads are added.
  std::map<std::pair<std::string, std::string>, TracerRow> rows;
  std::string summary;  // the last line of the table, without "zerocopy: "

  // Returns zeros if there is no such row.
  TracerRow row(const std::string& element, const std::string& what) const;
  bool says(const std::string& text) const { return output.find(text) != std::string::npos; }
};

// For tests that run programs without sanitizers, which cannot load a plugin built with them.
class TracedTest : public ::testing::Test {
 protected:
  void SetUp() override;
};

// `tracers` is GST_TRACERS; `environment` are more assignments for the shell.
TracerRun run_traced(const std::string& tracers, const std::string& command, const std::string& environment = "");
// The same with gst-launch-1.0 -q PIPELINE.
TracerRun launch_traced(const std::string& tracers, const std::string& pipeline, const std::string& environment = "");

}  // namespace sightglass::test
