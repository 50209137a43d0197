// Schedules and arenas without a GPU, also arenas that are larger than a storage block.
#include <gtest/gtest.h>

#include <algorithm>

#include "plan/planner.h"

namespace sightglass::test {
namespace {

// `sizes` of tensors, and steps that read and write them.
PlanData make_plan(const std::vector<int64_t>& sizes,
                   const std::vector<std::pair<std::vector<int>, std::vector<int>>>& steps) {
  PlanData plan;
  for (size_t i = 0; i < sizes.size(); ++i) {
    PlanTensor tensor;
    tensor.name = "t" + std::to_string(i);
    tensor.size = sizes[i];
    plan.tensors.push_back(tensor);
  }
  for (const auto& [reads, writes] : steps) {
    Step step;
    step.reads = reads;
    step.writes = writes;
    plan.steps.push_back(step);
  }
  return plan;
}

// Whether two tensors that are alive together share memory.
bool overlaps(const PlanData& plan) {
  for (size_t a = 0; a < plan.tensors.size(); ++a) {
    for (size_t b = a + 1; b < plan.tensors.size(); ++b) {
      const PlanTensor &x = plan.tensors[a], &y = plan.tensors[b];
      const bool in_time = x.first_level <= y.last_level && y.first_level <= x.last_level;
      const bool in_space = x.offset < y.offset + y.size && y.offset < x.offset + x.size;
      if (in_time && in_space) return true;
    }
  }
  return false;
}

TEST(Schedule, AChainHasOneLevelPerStep) {
  PlanData plan = make_plan({1, 1, 1}, {{{0}, {1}}, {{1}, {2}}});
  schedule(plan);
  EXPECT_EQ(plan.levels, 2);
  EXPECT_EQ(plan.steps[0].level, 0);
  EXPECT_EQ(plan.steps[1].level, 1);
}

TEST(Schedule, BranchesShareALevel) {
  PlanData plan = make_plan({1, 1, 1, 1, 1}, {{{0}, {1}}, {{1}, {2}}, {{0}, {3}}, {{2, 3}, {4}}});
  schedule(plan);
  EXPECT_EQ(plan.levels, 3);
  EXPECT_EQ(plan.steps[0].level, 0);
  EXPECT_EQ(plan.steps[1].level, 0);  // the other branch, moved before the longer one continues
  EXPECT_EQ(plan.steps[1].writes, std::vector<int>{3});
}

TEST(Schedule, SeveralWritersOfOneTensor) {
  // Two parts of a concatenation are independent. A third one that keeps some existing data must wait.
  PlanData plan = make_plan({1, 1, 2, 1}, {{{0}, {2}}, {{1}, {2}}, {{0, 2}, {2}}, {{2}, {3}}});
  schedule(plan);
  EXPECT_EQ(plan.steps[0].level, 0);
  EXPECT_EQ(plan.steps[1].level, 0);
  EXPECT_EQ(plan.steps[2].level, 1);
  EXPECT_EQ(plan.steps[3].level, 2);
}

TEST(Schedule, PartsDoNotWaitForEachOther) {
  // 1 and 2 are parts of 3; 2 is computed from 1.
  PlanData plan = make_plan({1, 1, 1, 2, 1}, {{{0}, {1}}, {{1}, {2}}, {{3}, {4}}});
  plan.tensors[1].whole = plan.tensors[2].whole = 3;
  plan.tensors[2].place_in_whole = 1;
  schedule(plan);
  EXPECT_EQ(plan.steps[1].level, 1);
  EXPECT_EQ(plan.steps[2].level, 2) << "the whole is complete when both parts are";
  EXPECT_EQ(plan.tensors[3].first_level, 0);
  EXPECT_EQ(plan.tensors[3].last_level, 2);
}

TEST(MemoryPlan, PartsAreInsideTheWhole) {
  // 1 is a part of 2, which is a part of 3.
  PlanData plan = make_plan({10, 5, 8, 20, 10}, {{{0}, {1}}, {{0}, {2}}, {{0}, {3}}, {{3}, {4}}});
  plan.tensors[1].whole = 2;
  plan.tensors[1].place_in_whole = 3;
  plan.tensors[2].whole = 3;
  plan.tensors[2].place_in_whole = 12;
  for (const int64_t band : {0, 32}) {
    plan.options.sentinel_bytes = band;
    plan.memory = {};
    schedule(plan);
    ASSERT_TRUE(plan_memory(plan).ok());
    EXPECT_EQ(plan.tensors[2].offset, plan.tensors[3].offset + 12);
    EXPECT_EQ(plan.tensors[1].offset, plan.tensors[3].offset + 15);
    EXPECT_EQ(plan.memory.lower_bound_bytes, 30 * 16);
    EXPECT_EQ(plan.memory.tensor_bytes, 40 * 16) << "no part is counted twice";
  }
}

TEST(MemoryPlan, ReusesMemoryAlongAChain) {
  PlanData plan = make_plan({10, 20, 10, 20}, {{{0}, {1}}, {{1}, {2}}, {{2}, {3}}});
  schedule(plan);
  ASSERT_TRUE(plan_memory(plan).ok());
  EXPECT_FALSE(overlaps(plan));
  EXPECT_EQ(plan.memory.arena_bytes, 30 * 16);
  EXPECT_EQ(plan.memory.lower_bound_bytes, 30 * 16);
  EXPECT_EQ(plan.memory.tensor_bytes, 60 * 16);
}

TEST(MemoryPlan, ResidualsStayAlive) {
  PlanData plan = make_plan({10, 10, 10, 10, 10}, {{{0}, {1}}, {{1}, {2}}, {{2}, {3}}, {{3, 1}, {4}}});
  schedule(plan);
  ASSERT_TRUE(plan_memory(plan).ok());
  EXPECT_FALSE(overlaps(plan));
  EXPECT_EQ(plan.memory.lower_bound_bytes, 30 * 16);
}

TEST(MemoryPlan, ManyRandomGraphs) {
  uint64_t state = 1;
  const auto pick = [&state](int n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int>((state >> 33) % static_cast<uint64_t>(n));
  };
  for (int round = 0; round < 200; ++round) {
    const int count = 3 + pick(40);
    std::vector<int64_t> sizes;
    for (int i = 0; i < count; ++i) sizes.push_back(1 + pick(1000));
    std::vector<std::pair<std::vector<int>, std::vector<int>>> steps;
    for (int i = 1; i < count; ++i) steps.push_back({{pick(i), std::max(0, i - 1 - pick(4))}, {i}});
    PlanData plan = make_plan(sizes, steps);
    schedule(plan);
    ASSERT_TRUE(plan_memory(plan).ok());
    ASSERT_FALSE(overlaps(plan)) << "round " << round;
    ASSERT_GE(plan.memory.arena_bytes, plan.memory.lower_bound_bytes);
    ASSERT_LE(plan.memory.arena_bytes, plan.memory.tensor_bytes);
  }
}

TEST(MemoryPlan, ArenaBeyondAStorageBlockHasWindows) {
  constexpr int64_t kBlocks = (int64_t{1} << 27) / kBlockBytes;
  for (const bool larger : {false, true}) {
    PlanData plan = make_plan({kBlocks - 1, larger ? 2 : 1}, {{{}, {0}}, {{0}, {1}}});
    schedule(plan);
    ASSERT_TRUE(plan_memory(plan).ok());
    EXPECT_EQ(plan.has_windows, larger);
  }
}

TEST(MemoryPlan, WeightsBeyondAStorageBlockAreRejected) {
  PlanData plan = make_plan({1}, {{{}, {0}}});
  plan.limits.max_storage_block_bytes = 64;
  plan.weights.resize(65);
  schedule(plan);
  EXPECT_EQ(plan_memory(plan).message(),
            "the weights take 65 bytes, but a storage block of this device has at most 64");
}

TEST(MemoryPlan, GuardBandsSurroundEveryTensor) {
  PlanData plan = make_plan({10, 20, 10}, {{{0}, {1}}, {{1}, {2}}});
  plan.options.sentinel_bytes = 32;
  schedule(plan);
  ASSERT_TRUE(plan_memory(plan).ok());
  EXPECT_EQ(plan.tensors[0].offset, 2);
  EXPECT_EQ(plan.tensors[1].offset, 14);
  EXPECT_EQ(plan.tensors[2].offset, 36);
  EXPECT_EQ(plan.arena_size, 48);
}

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
