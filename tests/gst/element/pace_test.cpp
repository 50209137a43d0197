// Which frames the model runs on, and how much of a run fits into a frame.
#include <gtest/gtest.h>

#include <string>

#include "element/model_pace.h"

namespace sightglass::test {
namespace {

// Which of some frames the model runs on.
std::string runs(Cadence& cadence, uint32_t interval, int frames) {
  std::string text;
  for (int i = 0; i < frames; ++i) {
    const bool due = cadence.is_due(interval);
    cadence.count(due);
    text += due ? 'x' : '.';
  }
  return text;
}

TEST(Cadence, CountsFromTheLastRun) {
  Cadence cadence;
  EXPECT_EQ(runs(cadence, 3, 7), "x..x..x");
  EXPECT_EQ(runs(cadence, 1, 3), "xxx");
  EXPECT_EQ(runs(cadence, 4, 2), "..");
  EXPECT_EQ(runs(cadence, 2, 3), "x.x") << "a shorter interval is overdue";
  cadence.restart();
  EXPECT_EQ(runs(cadence, 100, 2), "x.");
}

TEST(Cadence, WaitsForARunThatIsLate) {
  Cadence cadence;
  cadence.count(true);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(cadence.is_due(2), i > 0);
    cadence.count(false);
  }
  EXPECT_TRUE(cadence.is_due(2));
}

TEST(ModelPace, FollowsTheTimeOfRuns) {
  ModelPace pace;
  EXPECT_EQ(pace.run_ns(), 0);
  EXPECT_EQ(pace.share_of(1000), 1) << "not measured yet";
  pace.add(4000, 1);
  EXPECT_DOUBLE_EQ(pace.run_ns(), 4000);
  EXPECT_DOUBLE_EQ(pace.share_of(1000), 0.25);
  EXPECT_EQ(pace.share_of(0), 1) << "no limit";
  EXPECT_EQ(pace.share_of(1'000'000), 1);
  EXPECT_GT(pace.share_of(1), 0);
  for (int part = 0; part < 100; ++part) pace.add(200, 0.1);  // the model has become faster
  EXPECT_NEAR(pace.run_ns(), 2000, 100);
}

TEST(ModelPaces, KeepModelsApart) {
  ModelPaces paces;
  paces.add(0, 1000);
  paces.add(1, 3000);
  paces.add(uint64_t{1500}, {0, 0.5}, 2, false);
  EXPECT_NEAR(paces.of(0).run_ns(), 1000, 1);
  EXPECT_NEAR(paces.of(1).run_ns(), 3000, 1);
  EXPECT_NEAR(paces.run_ns(), 6000, 1) << "half of one of two";
}

// Runs that the GPU skips do not affect the measured time.
TEST(ModelPaces, DoNotCountSkippedRuns) {
  ModelPaces paces;
  paces.add(0, 1000);
  paces.add(1, 3000);
  for (int i = 0; i < 20; ++i) {
    paces.add(uint64_t{10}, {1, 0}, 2, true);
    paces.add(uint64_t{3000}, {1, 1}, 2, true);  // it is unknown which of them was skipped
  }
  EXPECT_NEAR(paces.of(0).run_ns(), 1000, 1);
  EXPECT_NEAR(paces.of(1).run_ns(), 3000, 1);
  for (int i = 0; i < 20; ++i) paces.add(uint64_t{8000}, {1, 1}, 2, true);
  EXPECT_NEAR(paces.of(0).run_ns() + paces.of(1).run_ns(), 8000, 200) << "a slower GPU is noticed";
}

}  // namespace
}  // namespace sightglass::test
