// The tracer stagelatency: its statistics, and its table for pipelines with known delays.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "harness/program.h"
#include "harness/sanitizers.h"
#include "tracer/stage_times.h"

namespace sightglass::test {
namespace {

TEST(StageTimes, Percentiles) {
  StageTimes times;
  EXPECT_FALSE(times.percentile_ms(0.5));
  for (int i = 100; i >= 0; --i) times.add(int64_t{i} * 1000000);
  EXPECT_EQ(times.count(), 101u);
  EXPECT_DOUBLE_EQ(*times.percentile_ms(0), 0);
  EXPECT_DOUBLE_EQ(*times.percentile_ms(0.5), 50);
  EXPECT_DOUBLE_EQ(*times.percentile_ms(0.99), 99);
  EXPECT_DOUBLE_EQ(*times.percentile_ms(1), 100);
}

TEST(StageTimes, LongRunsAreSampledEvenly) {
  StageTimes times;
  constexpr int kFrames = 1000000;
  for (int i = 0; i < kFrames; ++i) times.add(int64_t{i} * 1000000);
  EXPECT_EQ(times.count(), static_cast<uint64_t>(kFrames));
  EXPECT_NEAR(*times.percentile_ms(0.5) / kFrames, 0.5, 0.02);
  EXPECT_NEAR(*times.percentile_ms(0.99) / kFrames, 0.99, 0.005);
}

struct Row {
  int frames = 0;
  std::string stay, stay_p99, behind, behind_p99;
};

class StageLatency : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << kPluginIsSanitized;
  }
};

// The table that a pipeline prints, per element.
std::map<std::string, Row> table_of(const std::string& pipeline) {
  const CommandResult result =
      succeeded(run_program("GST_TRACERS=stagelatency GST_PLUGIN_PATH=" + quoted(SIGHTGLASS_PLUGIN_FOLDER) +
                            " gst-launch-1.0 -q " + pipeline + " 2>&1"));
  EXPECT_EQ(result.output.find("CRITICAL"), std::string::npos);
  std::printf("%s", result.output.c_str());
  std::map<std::string, Row> rows;
  std::istringstream lines(result.output);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, bar;
    Row row;
    if (words >> name >> row.frames >> bar >> row.stay >> row.stay_p99 >> bar >> row.behind >> row.behind_p99) {
      rows[name] = row;
    }
  }
  return rows;
}

double ms(const std::string& cell) { return std::atof(cell.c_str()); }

TEST_F(StageLatency, FindsTheSlowElement) {
  auto rows = table_of(
      "videotestsrc is-live=true num-buffers=20 ! video/x-raw,width=16,height=16,framerate=20/1 ! identity name=quick "
      "! "
      "identity name=slow sleep-time=20000 ! fakesink name=sink sync=false");
  for (const char* name : {"videotestsrc0", "quick", "slow", "sink"}) EXPECT_EQ(rows[name].frames, 20) << name;
  EXPECT_EQ(rows["videotestsrc0"].stay, "-") << "a source receives no frames";
  EXPECT_LT(ms(rows["quick"].stay), 10);
  EXPECT_GE(ms(rows["slow"].stay), 20);
  EXPECT_GE(ms(rows["sink"].behind), ms(rows["quick"].behind) + 20);
}

TEST_F(StageLatency, WaitingInQueuesAndSinksIsMeasured) {
  auto rows = table_of(
      "videotestsrc is-live=true num-buffers=20 ! video/x-raw,width=16,height=16,framerate=20/1 ! queue name=queue ! "
      "tee name=tee ! queue ! fakesink name=late sync=true ts-offset=100000000 tee. ! queue ! \"bin.(\" identity "
      "name=inner \")\" ! "
      "fakesink name=early sync=false");
  EXPECT_EQ(rows["late"].frames, 20);
  EXPECT_EQ(rows["early"].frames, 20);
  EXPECT_EQ(rows["inner"].frames, 20) << "elements in bins";
  EXPECT_GE(ms(rows["late"].behind), 99);
  EXPECT_GE(ms(rows["late"].behind), ms(rows["early"].behind));
}

// The first frames of a live source pass elements before the sink has started, and have no base time yet.
TEST_F(StageLatency, FirstFramesOfALiveSourceAreNotYearsBehind) {
  auto rows = table_of(
      "videotestsrc is-live=true num-buffers=20 ! video/x-raw,width=16,height=16,framerate=20/1 ! "
      "\"bin.(\" identity name=inner ! fakesink name=sink sync=true \")\"");
  for (const char* name : {"videotestsrc0", "inner", "sink"}) {
    EXPECT_EQ(rows[name].frames, 20) << name;
    EXPECT_LT(ms(rows[name].behind_p99), 10000) << name;
  }
}

// The first frame of a file waits in the sink until the pipeline is PLAYING.
TEST_F(StageLatency, FramesBeforePlayingCount) {
  auto rows = table_of("videotestsrc num-buffers=5 ! video/x-raw,width=16,height=16 ! fakesink name=sink sync=true");
  for (const char* name : {"videotestsrc0", "sink"}) EXPECT_EQ(rows[name].frames, 5) << name;
}

TEST_F(StageLatency, ByteStreamsHaveNoLatency) {
  auto rows = table_of("fakesrc num-buffers=5 ! fakesink name=sink");
  EXPECT_EQ(rows["sink"].behind, "-");
}

}  // namespace
}  // namespace sightglass::test
