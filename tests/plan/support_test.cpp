// Whether a model runs, checked without a GPU: all unsupported operators are found at once. The kernel registry is
// complete.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "gpu_engine/internals.h"
#include "harness/scratch_folder.h"
#include "harness/value_of.h"
#include "kernel/emitter.h"
#include "model_builder.h"
#include "ops/ops.h"

namespace sightglass::test {
namespace {

using Op = schema::BuiltinOperator;

class SupportTest : public ::testing::Test {
 protected:
  Result<SupportReport> check(const ModelBuilder& model, const ModelOptions& options = {},
                              const DeviceLimits& limits = {}) {
    write_file(path_.string(), model.build());
    return check_support(path_.string(), options, limits);
  }
  SupportReport checked(const ModelBuilder& model, const ModelOptions& options = {}, const DeviceLimits& limits = {}) {
    return value_of(check(model, options, limits));
  }

  const std::filesystem::path path_ = scratch_folder() / "model";
};

bool names(const SupportReport& report, const std::string& where, const std::string& reason) {
  return std::ranges::any_of(report.obstacles, [&](const Obstacle& obstacle) {
    return obstacle.where.find(where) != std::string::npos &&
           (obstacle.reason + "; " + obstacle.nearest).find(reason) != std::string::npos;
  });
}

std::string all_of(const SupportReport& report) {
  std::string text;
  for (const Obstacle& obstacle : report.obstacles) text += to_string(obstacle) + "\n";
  return text;
}

TEST_F(SupportTest, SupportedModelsHaveAPlan) {
  ModelBuilder m;
  m.add_output(m.add_op(Op::RELU, {add_pointwise_head(m, 8, {1, 2, 3, 4, 5, 6}, {0, 0})}, {1, 8, 8, 2}));
  const SupportReport report = checked(m);
  EXPECT_TRUE(report.obstacles.empty()) << all_of(report);
  ASSERT_TRUE(report.plan);
  EXPECT_GT(report.plan->dispatches(), 0);
  ASSERT_EQ(report.inputs.size(), 1u);
  EXPECT_EQ(report.inputs[0].shape, (Shape{1, 8, 8, 3}));
  ASSERT_EQ(report.outputs.size(), 1u);
  EXPECT_EQ(report.outputs[0].shape, (Shape{1, 8, 8, 2}));
  EXPECT_EQ(report.multiply_adds, 8 * 8 * 2 * 3);
  EXPECT_EQ(report.constant_bytes, (6 + 2) * 4);
  ASSERT_EQ(report.operators.size(), 2u);
  EXPECT_EQ(report.operators[0].name, "CONV_2D");
  EXPECT_EQ(report.operators[0].count, 1);
  EXPECT_EQ(report.operators[0].obstructed, 0);
}

// Operators may take them, but the memory of a plan holds at most five.
TEST_F(SupportTest, InputsOfSixDimensionsAreNamed) {
  ModelBuilder m;
  const int in = m.add_input({1, 2, 1, 2, 2, 3}, schema::TensorType::FLOAT32, "six");
  m.add_output(m.add_op(Op::RESHAPE, {in, m.add_ints({4}, {1, 2, 4, 3})}, {1, 2, 4, 3}));
  const SupportReport report = checked(m);
  EXPECT_TRUE(names(report, "", "tensor 'six' is float32")) << all_of(report);
  EXPECT_TRUE(names(report, "", "at most five dimensions")) << all_of(report);
  EXPECT_FALSE(report.plan);
}

TEST_F(SupportTest, NamesEveryUnknownOperator) {
  ModelBuilder m;
  const int in = m.add_input({1, 4, 4, 2});
  const int a = m.add_custom_op("Strange", {in}, {1, 4, 4, 2}, {}, "a");
  const int b = m.add_op(Op::RELU, {a}, {1, 4, 4, 2}, "b");
  const int c = m.add_op(Op::UNIQUE, {b}, {1, 4, 4, 1}, "c");
  m.add_output(c);
  const SupportReport report = checked(m);
  EXPECT_EQ(report.obstacles.size(), 2u) << all_of(report);
  EXPECT_TRUE(names(report, "CUSTOM 'Strange' #0 (output 'a')", "built-in operators")) << all_of(report);
  EXPECT_TRUE(names(report, "UNIQUE #2", "end the model before it")) << all_of(report);
  EXPECT_FALSE(report.plan);
  ASSERT_EQ(report.operators.size(), 3u);
  EXPECT_EQ(report.operators[0].obstructed, 1);
  EXPECT_EQ(report.operators[1].obstructed, 0);
  ASSERT_EQ(report.outputs.size(), 1u) << "the declarations in the file are shown nevertheless";
}

TEST_F(SupportTest, ThePlannerChecksTheImportedPart) {
  // The kernels, not the importer, reject six dimensions. The importer rejects the custom operator.
  ModelBuilder m;
  const int in = m.add_input({1, 2, 3, 4, 5, 6}, schema::TensorType::FLOAT32, "six");
  const int a = m.add_op(Op::RELU, {in}, {1, 2, 3, 4, 5, 6}, "a");
  const int b = m.add_op(Op::TANH, {a}, {1, 2, 3, 4, 5, 6}, "b");
  m.add_output(m.add_custom_op("Strange", {b}, {1}, {}));
  const SupportReport report = checked(m);
  EXPECT_TRUE(names(report, "CUSTOM 'Strange' #2", "unknown")) << all_of(report);
  EXPECT_TRUE(names(report, "RELU #0", "at most 5")) << all_of(report);
  EXPECT_TRUE(names(report, "TANH #1", "at most 5")) << all_of(report);
  EXPECT_TRUE(names(report, "", "tensor 'six'")) << all_of(report);
}

TEST_F(SupportTest, NamesEveryNodeThatIsTooLargeForTheDevice) {
  ModelBuilder m;
  const int in = m.add_input({1, 64, 64, 4});
  const int a = m.add_op(Op::RELU, {in}, {1, 64, 64, 4}, "a");
  const int b = m.add_op(Op::TANH, {in}, {1, 64, 64, 4}, "b");
  m.add_output(a);
  m.add_output(b);
  DeviceLimits tiny;
  tiny.workgroup_count[0] = tiny.workgroup_count[1] = 1;
  const SupportReport report = checked(m, {}, tiny);
  EXPECT_TRUE(names(report, "RELU #0", "work groups")) << all_of(report);
  EXPECT_TRUE(names(report, "TANH #1", "work groups")) << all_of(report);
}

TEST_F(SupportTest, LongRowsOfWorkGroupsAreFolded) {
  ModelBuilder m;
  const int in = m.add_input({1, 64, 64, 4});
  m.add_output(m.add_op(Op::RELU, {in}, {1, 64, 64, 4}));
  DeviceLimits narrow;
  narrow.workgroup_count[0] = 10;  // 64 are needed
  const SupportReport report = checked(m, {}, narrow);
  ASSERT_TRUE(report.plan) << all_of(report);
  EXPECT_NE(report.plan->dump().find("groups 10x7x1"), std::string::npos) << report.plan->dump();
}

// As those of a flat mask of a million pixels.
TEST_F(SupportTest, LongColumnsOfWorkGroupsAreFolded) {
  ModelBuilder m;
  const int in = m.add_input({1, 128});
  m.add_output(m.add_op(Op::RELU, {in}, {1, 128}));
  DeviceLimits narrow;
  narrow.workgroup_count[2] = 5;  // 32 are needed
  const SupportReport report = checked(m, {}, narrow);
  ASSERT_TRUE(report.plan) << all_of(report);
  EXPECT_NE(report.plan->dump().find("groups 1x7x5"), std::string::npos) << report.plan->dump();
}

// Problems that a kernel detects only while it emits its steps are found in time for the CPU fallback.
TEST_F(SupportTest, NodesThatAreTooLargeForTheDeviceFallBack) {
  ModelBuilder m;
  const int in = m.add_input({1, 64, 64, 4});
  const int large = m.add_op(Op::RELU, {in}, {1, 64, 64, 4}, "large");
  const schema::Pool2DOptionsT pool = pool_options(schema::Padding::VALID, 16, 16);
  const int small = m.add_op(Op::MAX_POOL_2D, {large}, {1, 4, 4, 4}, pool, "small");
  m.add_output(m.add_op(Op::TANH, {small}, {1, 4, 4, 4}));
  write_file(path_.string(), m.build());
  const auto model = value_of(Model::load(path_.string()));
  DeviceLimits tiny;
  tiny.workgroup_count[0] = tiny.workgroup_count[1] = 1;
  PlanOptions options;
  EXPECT_FALSE(Plan::build(model, tiny, options).ok());
  options.fallback = Fallback::kCpu;
  const auto plan = value_of(Plan::build(model, tiny, options));
  const FallbackReport& report = plan->fallback();
  ASSERT_EQ(report.operators.size(), 1u) << report.warning();
  EXPECT_NE(report.operators[0].find("RELU #0"), std::string::npos) << report.warning();
  EXPECT_NE(report.operators[0].find("work groups"), std::string::npos) << report.warning();
  EXPECT_EQ(report.bytes_read, 64 * 64 * 16);
  EXPECT_EQ(report.bytes_written, 64 * 64 * 16);
}

TEST_F(SupportTest, InputsOfOtherTypesAreNamed) {
  ModelBuilder m;
  const int in = m.add_input({1}, schema::TensorType::STRING, "words");
  const int other = m.add_input({1}, schema::TensorType::FLOAT32, "number");
  m.add_output(m.add_op(Op::RELU, {in}, {1}));
  m.add_output(m.add_custom_op("Strange", {other}, {1}, {}));
  const SupportReport report = checked(m);
  EXPECT_TRUE(names(report, "", "'words'")) << all_of(report);
  EXPECT_TRUE(names(report, "CUSTOM 'Strange' #1", "unknown")) << all_of(report);
}

TEST_F(SupportTest, DamagedAndMissingFilesAreErrors) {
  write_file(path_.string(), std::vector<std::byte>(100));
  expect_failure(check_support(path_.string(), {}, {}), {}, ErrorCode::kInvalidModel);
  expect_failure(check_support(path_.string() + ".none", {}, {}), {}, ErrorCode::kNotFound);
}

TEST(Kernels, EveryOperatorHasOne) {
  for (const OpType op : all_ops()) {
    EXPECT_NE(std::ranges::count(all_kernels(), op, &Kernel::op), 0) << to_string(op);
  }
}

TEST(Kernels, NoneIsIncomplete) {
  for (const Kernel& kernel : all_kernels()) {
    EXPECT_NE(kernel.supports, nullptr) << kernel.name;
    EXPECT_NE(kernel.emit, nullptr) << kernel.name;
    EXPECT_NE(kernel.variants, nullptr) << kernel.name;
  }
}

}  // namespace
}  // namespace sightglass::test
