#include "tracer_run.h"

#include <sstream>
#include <vector>

#include "harness/program.h"
#include "harness/sanitizers.h"
#include "harness/scratch_folder.h"

namespace sightglass::test {

namespace {

// Columns are separated by at least two spaces.
std::vector<std::string> split_cells(const std::string& line) {
  std::vector<std::string> cells;
  for (size_t begin = 0; begin < line.size();) {
    const size_t end = std::min(line.find("  ", begin), line.size());
    cells.push_back(line.substr(begin, end - begin));
    begin = std::min(line.find_first_not_of(' ', end), line.size());
  }
  return cells;
}

void read_table(TracerRun& run) {
  std::istringstream lines(run.output);
  bool in_table = false;
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view kSummary = "zerocopy: ";
    if (line.starts_with(kSummary)) run.summary = line.substr(kSummary.size());
    const std::vector<std::string> cells = split_cells(line);
    if (cells.size() == 8 && cells[0] == "element") {
      in_table = true;
    } else if (in_table && cells.size() == 8) {
      TracerRow& row = run.rows[{cells[0], cells[1]}];
      row.thread = cells[2];
      row.frames = std::stoull(cells[3]);
      row.calls += std::stoull(cells[4]);
      row.bytes += std::stoull(cells[6]);
    } else {
      in_table = false;
    }
  }
}

}  // namespace

void TracedTest::SetUp() {
  if (kSanitized) GTEST_SKIP() << kPluginIsSanitized;
}

TracerRow TracerRun::row(const std::string& element, const std::string& what) const {
  const auto found = rows.find({element, what});
  return found == rows.end() ? TracerRow() : found->second;
}

TracerRun run_traced(const std::string& tracers, const std::string& command, const std::string& environment) {
  const CommandResult result =
      run_program("GST_GL_PLATFORM=egl GST_GL_WINDOW=egl-device GST_GL_API=gles2 GST_PLUGIN_PATH=" +
                  quoted(SIGHTGLASS_PLUGIN_FOLDER) + " GST_REGISTRY=" + quoted(SIGHTGLASS_REGISTRY) +
                  " XDG_CACHE_HOME=" + scratch_folder().string() + " GST_TRACERS='" + tracers + "' " + environment +
                  " timeout 120 " + command + " 2>&1");
  TracerRun run{result.status, result.output, {}, {}};
  read_table(run);
  return run;
}

TracerRun launch_traced(const std::string& tracers, const std::string& pipeline, const std::string& environment) {
  return run_traced(tracers, "gst-launch-1.0 -q " + pipeline, environment);
}

}  // namespace sightglass::test
