// Runs that depend on a flag on the GPU or take too long, and preparation that another thread ends.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "gl/counting_gl.h"
#include "gl/gpu_driven.h"
#include "gl/real_gl.h"
#include "gl/running_sum.h"
#include "gpu_engine/build_programs.h"
#include "gpu_engine/internals.h"
#include "harness/gl_state.h"
#include "harness/gl_test.h"
#include "harness/value_of.h"
#include "ops/op_case.h"
#include "runtime/arena.h"
#include "runtime/run_watch.h"
#include "sightglass/session.h"

namespace sightglass::test {
namespace {

using GatedRunTest = GpuDrivenTest;

OpCase sum_of_ones() {
  OpCase op;
  op.graph = running_sum(false);
  op.inputs = {HostTensor::from_floats({1, 2, 3, 5}, std::vector<float>(30, 1.0f))};
  return op;
}

TEST_F(GatedRunTest, TheFlagGatesARunAndItsState) {
  const OpCase op = sum_of_ones();
  for (const DeviceLimits& limits : every_limits()) {
    const auto run = session(plan(op, limits));
    ASSERT_TRUE(run->write_input(0, op.inputs[0].data).ok());
    // Counts, and enables every third run. The CPU only issues commands.
    const GLuint zeros[65] = {};
    const GlBuffer flags = make_buffer(gl(), GL_SHADER_STORAGE_BUFFER, sizeof(zeros), zeros, GL_DYNAMIC_COPY);
    const GlProgram step = small_program("data[0] += 1u; data[64] = data[0] % 3u == 0u ? 5u : 0u;");
    float sum = 0;
    for (int frame = 1; frame <= 10; ++frame) {
      dispatch(step, flags.id());
      const GlState before = snapshot_gl_state(gl());
      ASSERT_TRUE(run->run_if(flags.id(), kAlignment).ok());
      EXPECT_EQ(difference(before, snapshot_gl_state(gl())), "");
      if (frame % 3 == 0) sum += 1;
      if (frame >= 3) {
        EXPECT_EQ(output(*run), std::vector<float>(30, sum)) << "frame " << frame;
      }
    }
    // Runs without a flag continue from there.
    ASSERT_TRUE(run->run().ok());
    EXPECT_EQ(output(*run), std::vector<float>(30, sum + 1));
  }
}

TEST_F(GatedRunTest, AGatedRunIsIdenticalAndOnlyDispatches) {
  CaseBuilder builder(12);
  const ValueId in = builder.input({1, 33, 31, 3});
  const ValueId a = builder.node(OpType::kConv2d, Conv2dAttr{{PaddingMode::kSame}, 2, 2, 1, 1},
                                 {in, builder.constant({13, 3, 3, 3}), builder.constant({13})}, Activation::kRelu);
  builder.node(OpType::kSoftmax, SoftmaxAttr{}, {a});
  const OpCase op = builder.build("gated");
  const GLuint numbers[2] = {0, 1};
  for (const DeviceLimits& limits : every_limits()) {
    const auto planned = plan(op, limits);
    auto made = value_of(Session::create(counting_gl(gl()), planned, {.gated = true}));
    Session& run = *made;
    ASSERT_TRUE(run.write_input(0, op.inputs[0].data).ok());
    ASSERT_TRUE(run.run().ok());
    const std::vector<float> plain = output(run);
    ASSERT_TRUE(run.write_input(0, std::vector<std::byte>(op.inputs[0].data.size())).ok());
    const GlBuffer off = make_buffer(gl(), GL_SHADER_STORAGE_BUFFER, 4, numbers, GL_STATIC_DRAW);
    const GlBuffer on = make_buffer(gl(), GL_SHADER_STORAGE_BUFFER, 4, numbers + 1, GL_STATIC_DRAW);
    ASSERT_TRUE(run.run_if(off.id()).ok());
    EXPECT_EQ(output(run), plain) << "the output of the previous run";
    ASSERT_TRUE(run.run_if(on.id()).ok());
    EXPECT_NE(output(run), plain) << "the output for zeros";
    ASSERT_TRUE(run.write_input(0, op.inputs[0].data).ok());
    ASSERT_LT(*run.run_part(1e-9), 1);
    gl_calls().clear();
    ASSERT_TRUE(run.run_if(on.id()).ok());
    EXPECT_EQ(gl_calls()["DispatchComputeIndirect"], planned->dispatches());
    EXPECT_EQ(gl_calls()["DispatchCompute"], 1);
    for (const char* name :
         {"BufferSubData", "BufferData", "MapBufferRange", "Finish", "ClientWaitSync", "GenBuffers"}) {
      EXPECT_EQ(gl_calls()[name], 0) << name;
    }
    EXPECT_EQ(output(run), plain);
    ASSERT_LT(*run.run_part(1e-9), 1) << "the run in parts was aborted";
  }
}

// The first part reads the flag. Later changes affect only the next run.
TEST_F(GatedRunTest, TheFlagGatesARunInParts) {
  CaseBuilder builder(13);
  ValueId last = builder.input({1, 9, 7, 5});
  for (int i = 0; i < 4; ++i) {
    last = builder.node(OpType::kConv2d, Conv2dAttr{{PaddingMode::kSame}, 1, 1, 1, 1},
                        {last, builder.constant({5, 3, 3, 5}), builder.constant({5})}, Activation::kRelu);
  }
  const OpCase op = builder.build("parts");
  for (const DeviceLimits& limits : every_limits()) {
    const auto run = session(plan(op, limits));
    ASSERT_TRUE(run->write_input(0, op.inputs[0].data).ok());
    ASSERT_TRUE(run->run().ok());
    const std::vector<float> plain = output(*run);
    ASSERT_TRUE(run->write_input(0, std::vector<std::byte>(op.inputs[0].data.size())).ok());
    for (const GLuint wanted : {0U, 1U}) {
      const GLuint numbers[2] = {wanted, 1 - wanted};
      const GlBuffer flag = make_buffer(gl(), GL_SHADER_STORAGE_BUFFER, 4, numbers, GL_STATIC_DRAW);
      const GlBuffer other = make_buffer(gl(), GL_SHADER_STORAGE_BUFFER, 4, numbers + 1, GL_STATIC_DRAW);
      int parts = 1;
      double progress = *run->run_part_if(1e-9, flag.id());
      EXPECT_LT(progress, 1);
      for (; progress < 1; ++parts) {
        const GlState before = snapshot_gl_state(gl());
        progress = parts % 2 == 0 ? *run->run_part(1e-9) : *run->run_part_if(1e-9, other.id());
        EXPECT_EQ(difference(before, snapshot_gl_state(gl())), "");
      }
      EXPECT_GE(parts, 3);
      EXPECT_EQ(output(*run) == plain, wanted == 0) << "the output of the previous run, or for zeros";
    }
    // The next run in parts has no flag.
    ASSERT_TRUE(run->write_input(0, op.inputs[0].data).ok());
    while (*run->run_part(1e-9) < 1) {
    }
    EXPECT_EQ(output(*run), plain);
  }
}

TEST_F(GatedRunTest, FlagsAreRejectedIfUnsupported) {
  const OpCase op = sum_of_ones();
  const GLuint one = 1;
  const GlBuffer flag = make_buffer(gl(), GL_SHADER_STORAGE_BUFFER, 4, &one, GL_STATIC_DRAW);
  auto plain = value_of(Session::create(gl(), plan(op, device().limits)));
  EXPECT_NE(plain->run_if(flag.id()).message().find("gated"), std::string::npos);
  const auto gated = session(plan(op, device().limits));
  EXPECT_FALSE(gated->run_if(0).ok());
  EXPECT_FALSE(gated->run_if(flag.id(), 2).ok());
  EXPECT_FALSE(gated->run_part_if(1, 0).ok());
  EXPECT_FALSE(gated->run_part_if(0, flag.id()).ok());

  ForcedPlanOptions options;
  options.fallback = Fallback::kCpu;
  options.hidden_operators = {"ADD"};
  const auto on_cpu = session(plan(two_outputs(), device().limits, options));
  const Status refused = on_cpu->run_if(flag.id());
  EXPECT_EQ(refused.code(), ErrorCode::kUnsupported);
  EXPECT_NE(refused.message().find("ADD"), std::string::npos) << refused.message();
}

TEST_F(GatedRunTest, AbandonDeletesNothing) {
  auto made = value_of(Session::create(counting_gl(gl()), plan(sum_of_ones(), device().limits), {.gated = true}));
  gl_calls().clear();
  made->abandon();
  made.reset();
  for (const auto& [name, calls] : gl_calls()) ADD_FAILURE() << name << " × " << calls;
}

// Functions that count their calls, and request the end at one of them.
std::atomic<bool> requested;
int links = 0, dispatches = 0, ends_at_link = 0, ends_at_dispatch = 0;
void link_and_count(GLuint program) {
  real_gl->LinkProgram(program);
  if (++links == ends_at_link) requested = true;
}
void dispatch_and_count(GLuint x, GLuint y, GLuint z) {
  real_gl->DispatchCompute(x, y, z);
  if (++dispatches == ends_at_dispatch) requested = true;
}

// Convolutions that need three programs.
std::shared_ptr<const Model> three_programs() {
  CaseBuilder builder(81);
  const Padding2d same{PaddingMode::kSame, 0, 0, 0, 0};
  ValueId x = builder.input({1, 17, 13, 5});
  x = builder.node(OpType::kConv2d, Conv2dAttr{same}, {x, builder.constant({8, 3, 3, 5})});
  x = builder.node(OpType::kDepthwiseConv2d, DepthwiseConv2dAttr{same}, {x, builder.constant({1, 7, 7, 8})});
  builder.node(OpType::kConv2d, Conv2dAttr{}, {x, builder.constant({12, 1, 1, 8})}, Activation::kHardSwish);
  return model_from_graph(builder.build("three programs").graph).value();
}

class CancellationTest : public GlTest {
 protected:
  void SetUp() override {
    GlTest::SetUp();
    real_gl = &gl();
    requested = false;
    links = dispatches = ends_at_link = ends_at_dispatch = 0;
    table_ = gl();
    table_.LinkProgram = link_and_count;
    table_.DispatchCompute = dispatch_and_count;
    group_ = ShareGroup::create(table_);
  }

  Status create() {
    const auto plan = value_of(Plan::build(model_, device().limits, {}));
    const CancellationScope scope(requested);
    return Session::create(group_, plan).status();
  }

  const std::shared_ptr<const Model> model_ = three_programs();
  GlApi table_;
  std::shared_ptr<ShareGroup> group_;
};

TEST_F(CancellationTest, EndsBetweenPrograms) {
  ASSERT_TRUE(create().ok());
  const int all = links;
  ASSERT_GE(all, 3);
  links = 0;
  ends_at_link = 2;
  expect_failure(create(), {"canceled"});
  EXPECT_EQ(links, 2);
  EXPECT_EQ(group_->contents().programs, 0);
  EXPECT_EQ(gl().GetError(), static_cast<GLenum>(GL_NO_ERROR));
}

TEST_F(CancellationTest, EndsBetweenFirstDispatches) {
  ends_at_dispatch = 1;
  EXPECT_FALSE(create().ok());
  EXPECT_EQ(dispatches, 1);
  EXPECT_EQ(gl().GetError(), static_cast<GLenum>(GL_NO_ERROR));
  requested = false;
  EXPECT_TRUE(create().ok()) << "the next one starts anew";
}

TEST_F(CancellationTest, ConcernsOnlyItsScope) {
  requested = true;
  EXPECT_TRUE(check_cancellation().ok());
  {
    const CancellationScope scope(requested);
    EXPECT_FALSE(check_cancellation().ok());
    const std::atomic<bool> never = false;
    {
      const CancellationScope inner(never);
      EXPECT_TRUE(check_cancellation().ok());
    }
    EXPECT_FALSE(check_cancellation().ok());
  }
  EXPECT_TRUE(check_cancellation().ok());
}

using RunWatchTest = GlTest;

TEST_F(RunWatchTest, ARunWithinItsLimitContinues) {
  RunWatch watch(gl(), std::chrono::hours(1));
  for (int part = 0; part < 4; ++part) {
    const Status status = watch.end_part();
    EXPECT_TRUE(status.ok()) << status.message();
  }
  EXPECT_EQ(gl().GetError(), static_cast<GLenum>(GL_NO_ERROR));
}

TEST_F(RunWatchTest, ARunBeyondItsLimitEnds) {
  RunWatch watch(gl(), std::chrono::nanoseconds(1));
  expect_failure(watch.end_part(), {"longer than run-limit"}, ErrorCode::kTimedOut);
  EXPECT_EQ(gl().GetError(), static_cast<GLenum>(GL_NO_ERROR));
}

}  // namespace
}  // namespace sightglass::test
