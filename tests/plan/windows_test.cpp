// Arenas that are larger than a storage block, without a GPU.
#include <gtest/gtest.h>

#include "plan/planner.h"

namespace sightglass::test {
namespace {

constexpr int64_t kAlignment = 64;  // bytes: four blocks

PlanData plan_of(const std::vector<std::pair<int64_t, int64_t>>& places, Step step) {
  PlanData plan;
  plan.limits.storage_offset_alignment = kAlignment;
  for (const auto& [offset, size] : places) {
    PlanTensor tensor;
    tensor.offset = offset;
    tensor.size = size;
    plan.tensors.push_back(tensor);
  }
  plan.steps.push_back(std::move(step));
  return plan;
}

Step step_of(std::vector<int> reads, std::vector<int> writes, int inputs) {
  Step step;
  step.node = "ADD #3";
  step.reads = std::move(reads);
  step.writes = std::move(writes);
  step.input_tensors = inputs;
  return step;
}

void expect_window(const ArenaWindow& window, int64_t offset, int64_t size) {
  EXPECT_EQ(window.offset, offset);
  EXPECT_EQ(window.size, size);
}

TEST(Windows, EachBlockCoversItsTensorFromAnAlignedOffset) {
  PlanData plan = plan_of({{6, 10}, {1000, 5}, {501, 7}}, step_of({0, 1}, {2}, 2));
  ASSERT_TRUE(plan_windows(plan).ok());
  const Step& step = plan.steps[0];
  expect_window(step.windows[kInputABlock], 4, 12);
  expect_window(step.windows[kInputBBlock], 1000, 5);
  expect_window(step.windows[kOutputBlock], 500, 8);
  EXPECT_EQ(window_base(step, 0), 4);
  EXPECT_EQ(window_base(step, 1), 1000);
  EXPECT_EQ(window_base(step, 2), 500);
}

TEST(Windows, OneInputIsInBothInputBlocks) {
  PlanData plan = plan_of({{8, 4}, {40, 4}}, step_of({0}, {1}, 1));
  ASSERT_TRUE(plan_windows(plan).ok());
  expect_window(plan.steps[0].windows[kInputABlock], 8, 4);
  expect_window(plan.steps[0].windows[kInputBBlock], 8, 4);
}

TEST(Windows, ThreeInputsShareOneWindow) {
  PlanData plan = plan_of({{8, 4}, {100, 4}, {20, 4}, {400, 4}}, step_of({0, 1, 2}, {3}, 3));
  ASSERT_TRUE(plan_windows(plan).ok());
  for (const uint32_t block : {kInputABlock, kInputBBlock}) expect_window(plan.steps[0].windows[block], 8, 96);
  for (const int input : {0, 1, 2}) EXPECT_EQ(window_base(plan.steps[0], input), 8);
}

TEST(Windows, AnOutputThatIsReadKeepsItsBlock) {
  PlanData plan = plan_of({{8, 4}, {400, 4}}, step_of({0, 1}, {1}, 1));
  ASSERT_TRUE(plan_windows(plan).ok());
  expect_window(plan.steps[0].windows[kInputABlock], 8, 4);
  expect_window(plan.steps[0].windows[kOutputBlock], 400, 4);
}

TEST(Windows, AnInputThatIsAnOutputNeedsOneWindowForAll) {
  PlanData plan = plan_of({{8, 4}, {400, 4}}, step_of({0, 1}, {0}, 2));
  ASSERT_TRUE(plan_windows(plan).ok());
  for (const ArenaWindow& window : plan.steps[0].windows) expect_window(window, 8, 396);
}

TEST(Windows, TooLargeOnesAreRejectedByName) {
  PlanData plan = plan_of({{0, 4}, {400, 4}}, step_of({0}, {1}, 1));
  plan.limits.max_storage_block_bytes = 4 * kBlockBytes;
  EXPECT_TRUE(plan_windows(plan).ok());
  plan.limits.max_storage_block_bytes -= 1;
  EXPECT_EQ(plan_windows(plan).message(),
            "ADD #3: its tensors span 64 bytes, but a storage block of this device has at most 63");
}

}  // namespace
}  // namespace sightglass::test
