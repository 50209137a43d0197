#include "ops/op_test.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "gpu_engine/plan.h"
#include "gpu_engine/session.h"
#include "harness/compare.h"
#include "plan/plan_data.h"
#include "ref/ref_ops.h"

namespace sightglass::test {

bool bench_requested = false;

namespace {

constexpr int32_t kGuardBytes = 64;
// GPUs may flush numbers this small to zero, so they count as equal.
constexpr double kFlushed = 1e-37;
constexpr int kBenchRuns = 20;

std::string kernels_of(const Plan& plan) {
  std::string names;
  for (const Step& step : plan.data().steps) names += (names.empty() ? "" : " | ") + step.kernel;
  return names.empty() ? "no step" : names;
}

void wait_for_gpu(const GlApi& gl) {
  GLsync fence = gl.FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  gl.ClientWaitSync(fence, GL_SYNC_FLUSH_COMMANDS_BIT, 60'000'000'000);
  gl.DeleteSync(fence);
}

double median_ms(const GlApi& gl, Session& session) {
  std::vector<double> times;
  for (int i = 0; i < kBenchRuns; ++i) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_TRUE(session.run().ok());
    wait_for_gpu(gl);
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  std::ranges::nth_element(times, times.begin() + kBenchRuns / 2);
  return times[kBenchRuns / 2];
}

}  // namespace

void OpTest::check(const OpCase& op, bool rewrites, double tolerance) {
  const Result<std::vector<HostTensor>> expected = ref::run(op.graph, op.inputs);
  ASSERT_TRUE(expected.ok()) << op.name << ": " << expected.status().message();
  const auto model = Model::from_graph(op.graph);
  ASSERT_TRUE(model.ok()) << op.name << ": " << model.status().message();

  for (const bool minimum : {false, true}) {
    const DeviceLimits limits = minimum ? device().limits.clamped_to_minimum() : device().limits;
    PlanOptions options;
    options.rewrites = rewrites;
    options.sentinel_bytes = kGuardBytes;
    const auto plan = Plan::build(*model, limits, options);
    ASSERT_TRUE(plan.ok()) << op.name << ": " << plan.status().message();
    const auto session = Session::create(gl(), *plan);
    ASSERT_TRUE(session.ok()) << op.name << ": " << session.status().message();
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      const Status status = (*session)->write_input(i, op.inputs[i].data);
      ASSERT_TRUE(status.ok()) << op.name << ": " << status.message();
    }
    const Status status = (*session)->run();
    ASSERT_TRUE(status.ok()) << op.name << ": " << status.message();

    for (size_t i = 0; i < expected->size(); ++i) {
      HostTensor got((*expected)[i].type, (*expected)[i].shape);
      const Status read = (*session)->read_output(i, got.data);
      ASSERT_TRUE(read.ok()) << op.name << ": " << read.message();
      const Comparison figures = compare((*expected)[i], got);
      if (figures.range < kFlushed && figures.max_abs < kFlushed) continue;
      EXPECT_LE(figures.nmse, tolerance) << op.name << (minimum ? " (minimum limits)" : "") << " with "
                                         << kernels_of(**plan) << ": " << to_string(figures);
      if (!minimum) std::printf("%-60s NMSE %.2e  %s\n", op.name.c_str(), figures.nmse, kernels_of(**plan).c_str());
    }
    const Status intact = (*session)->check_sentinels();
    EXPECT_TRUE(intact.ok()) << op.name << ": " << intact.message();
    if (bench_requested && !minimum) std::printf("%-60s %.3f ms\n", op.name.c_str(), median_ms(gl(), **session));
  }
}

}  // namespace sightglass::test

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--bench") sightglass::test::bench_requested = true;
  }
  return RUN_ALL_TESTS();
}
