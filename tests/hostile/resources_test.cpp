// Small files that would take the memory or the GPU of the whole machine, and files that change.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "gpu_engine/files.h"
#include "gpu_engine/internals.h"
#include "harness/scratch_folder.h"
#include "model_builder.h"
#include "sightglass/model.h"
#include "sightglass/plan.h"

namespace sightglass::test {
namespace {

using Op = schema::BuiltinOperator;

constexpr int64_t kMiB = int64_t{1} << 20;

void expect_exhausted(const Status& status, const std::string& reason) {
  ASSERT_FALSE(status.ok()) << "expected: " << reason;
  EXPECT_EQ(status.code(), ErrorCode::kResourceExhausted) << status.message();
  EXPECT_NE(status.message().find(reason), std::string::npos) << status.message();
}

std::shared_ptr<const Model> load(const ModelBuilder& m, const ModelOptions& options = {}) {
  const auto model = Model::load(m.build(), "m.tflite", options);
  EXPECT_TRUE(model.ok()) << model.status().message();
  return model.ok() ? *model : nullptr;
}

// Pools over windows of `filter` by `filter` pixels of an image of `size` by `size`.
ModelBuilder pools(int count, int32_t size, int32_t filter) {
  ModelBuilder m;
  int tensor = m.add_input({1, size, size, 4});
  for (int i = 0; i < count; ++i) {
    tensor =
        m.add_op(Op::AVERAGE_POOL_2D, {tensor}, {1, size, size, 4}, pool_options(schema::Padding::SAME, filter, 1));
  }
  m.add_output(tensor);
  return m;
}

TEST(MemoryLimit, InputsAndOutputsAreBounded) {
  ModelBuilder m;
  for (int i = 0; i < 8; ++i) {
    m.add_output(m.add_op(Op::RELU, {m.add_input({1, 4096, 4096, 4})}, {1, 4096, 4096, 4}));
  }
  const auto model = Model::load(m.build(), "m.tflite");
  expect_exhausted(model.status(),
                   "m.tflite: its inputs and outputs need 4.0 GiB, more than the memory limit of 1.0 GiB; "
                   "raise memory-limit");
  ModelOptions more;
  more.memory_limit = 8192 * kMiB;
  EXPECT_TRUE(Model::load(m.build(), "m.tflite", more).ok());
}

TEST(MemoryLimit, ActivationsAreBounded) {
  ModelBuilder m;
  const int input = m.add_input({1, 1, 1, 4});
  const int wide = m.add_op(Op::RESIZE_NEAREST_NEIGHBOR, {input, m.add_ints({2}, {8192, 8192})}, {1, 8192, 8192, 4},
                            schema::ResizeNearestNeighborOptionsT());
  m.add_output(m.add_op(Op::MEAN, {wide, m.add_ints({2}, {1, 2})}, {1, 4}, schema::ReducerOptionsT()));
  const auto model = load(m);
  ASSERT_TRUE(model);
  PlanOptions options;
  options.rewrites = false;
  DeviceLimits large;
  large.max_storage_block_bytes = int64_t{1} << 31;
  expect_exhausted(Plan::build(model, large, options).status(), "it needs 1.0 GiB, more than the memory limit");
  options.resources.memory_bytes = 2048 * kMiB;
  const auto plan = Plan::build(model, large, options);
  EXPECT_TRUE(plan.ok()) << plan.status().message();
}

TEST(MemoryLimit, AFileBeyondTheLimitIsNotRead) {
  const std::string path = scratch_folder() / "sparse.tflite";
  std::ofstream(path) << "    TFL3";
  std::filesystem::resize_file(path, uintmax_t{1} << 40);
  expect_exhausted(Model::load(path).status(), "the file has 1.0 TiB, more than the memory limit of 1.0 GiB");
}

TEST(MemoryLimit, AllModelsOfTheProcessCount) {
  auto first = MemoryShare::take("the first needs", 3 * kMiB, 4 * kMiB);
  ASSERT_TRUE(first.ok()) << first.status().message();
  {
    const auto second = MemoryShare::take("the second needs", 2 * kMiB, 4 * kMiB);
    expect_exhausted(second.status(), "the second needs 2.0 MiB, and the other models of this process hold 3.0 MiB");
  }
  *first = MemoryShare();
  EXPECT_TRUE(MemoryShare::take("the second needs", 2 * kMiB, 4 * kMiB).ok());
}

TEST(TimeLimit, ALongDispatchIsRejected) {
  const auto model = load(pools(1, 2048, 2047));
  ASSERT_TRUE(model);
  expect_exhausted(Plan::build(model, DeviceLimits{}).status(), "one dispatch takes about");
  PlanOptions options;
  options.resources.dispatch_time = std::chrono::hours(1);
  options.resources.run_time = std::chrono::hours(1);
  EXPECT_TRUE(Plan::build(model, DeviceLimits{}, options).ok());
}

TEST(TimeLimit, ALongRunOfShortDispatchesIsRejected) {
  const auto model = load(pools(400, 512, 63));
  ASSERT_TRUE(model);
  expect_exhausted(Plan::build(model, DeviceLimits{}).status(), "m.tflite: one run takes about");
  const auto few = load(pools(4, 512, 63));
  ASSERT_TRUE(few);
  EXPECT_TRUE(Plan::build(few, DeviceLimits{}).ok());
}

TEST(TimeLimit, TheCheckReportsIt) {
  const std::string path = scratch_folder() / "pools.tflite";
  write_file(path, pools(400, 512, 63).build());
  const auto report = check_support(path, {}, DeviceLimits{});
  ASSERT_TRUE(report.ok()) << report.status().message();
  ASSERT_EQ(report->obstacles.size(), 1U);
  EXPECT_NE(report->obstacles[0].nearest.find("raise run-limit"), std::string::npos) << report->obstacles[0].nearest;
}

// A mapping would end this process with SIGBUS.
TEST(ChangedFile, AModelOutlivesItsFile) {
  const std::string path = scratch_folder() / "overwritten.tflite";
  ModelBuilder m;
  const std::vector<float> weights(12 * 1024, 0.5F), bias(4 * 1024, 0.25F);
  m.add_output(add_pointwise_head(m, 8, weights, bias));
  write_file(path, m.build());
  const auto model = Model::load(path);
  ASSERT_TRUE(model.ok()) << model.status().message();
  std::ofstream(path, std::ios::trunc).close();
  const auto plan = Plan::build(*model, DeviceLimits{});
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_GE((*plan)->memory().weight_bytes, static_cast<int64_t>(weights.size() * sizeof(float)));
}

}  // namespace
}  // namespace sightglass::test
