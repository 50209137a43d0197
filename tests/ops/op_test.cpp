#include "ops/op_test.h"

#include <algorithm>
#include <chrono>
#include <cmath>
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

// 16-bit floats end at 65504, and their smallest normal number is 6.1e-5.
constexpr double kHalfTolerance = 1e-5;
constexpr double kHalfLargest = 65504, kHalfSmallest = 6.1e-5;

struct Setting {
  const char* name;
  bool minimum_limits;
  Precision precision;
};
constexpr Setting kSettings[] = {{"fp32", false, Precision::kFp32},
                                 {"fp32, minimum limits", true, Precision::kFp32},
                                 {"fp16", false, Precision::kFp16}};

// Whether every number of a tensor can be held by a 16-bit float to its full precision.
bool fits_half(const HostTensor& tensor) {
  if (tensor.type != DataType::kFloat32) return true;
  double energy = 0;
  for (const float v : tensor.as<float>()) {
    if (!(std::abs(v) <= kHalfLargest)) return false;
    energy += double{v} * v;
  }
  const double rms = std::sqrt(energy / std::max<double>(1, static_cast<double>(tensor.shape.elements())));
  return rms == 0 || rms > kHalfSmallest;
}
constexpr int kBenchRuns = 20;

std::string kernels_of(const Plan& plan) {
  std::string names;
  for (const Step& step : plan.data().steps) names += (names.empty() ? "" : " | ") + step.kernel;
  return names.empty() ? "no step" : names;
}

void round_to_half(HostTensor& tensor) {
  if (tensor.type != DataType::kFloat32) return;
  for (float& v : tensor.as<float>()) v = half_to_float(float_to_half(v));
}

// The case with inputs, weights and operands as 16-bit storage holds them; biases and slopes stay 32-bit floats.
OpCase rounded_to_half(OpCase op) {
  for (HostTensor& input : op.inputs) round_to_half(input);
  for (const NodeId id : op.graph.order()) {
    const Node& node = op.graph.node(id);
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const bool bias_or_slope = has_weights(node.op) && i >= 2;
      if (bias_or_slope || !op.graph.is_constant(node.inputs[i])) continue;
      if (op.graph.value(node.inputs[i]).type != DataType::kFloat32) continue;
      const Shape shape = op.graph.value(node.inputs[i]).shape;
      HostTensor constant = HostTensor::from_floats(shape, op.graph.floats(node.inputs[i]));
      round_to_half(constant);
      op.graph.set_input(id, i, op.graph.add_constant("rounded", shape, constant.as<float>()));
    }
  }
  return op;
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
  const Result<std::vector<HostTensor>> exact = ref::run(op.graph, op.inputs);
  ASSERT_TRUE(exact.ok()) << op.name << ": " << exact.status().message();
  const OpCase half_case = rounded_to_half(op);
  const Result<std::vector<HostTensor>> from_halves = ref::run(half_case.graph, half_case.inputs);
  ASSERT_TRUE(from_halves.ok()) << op.name << ": " << from_halves.status().message();
  const auto model = Model::from_graph(op.graph);
  ASSERT_TRUE(model.ok()) << op.name << ": " << model.status().message();

  for (const Setting& setting : kSettings) {
    const bool half = setting.precision == Precision::kFp16;
    const auto& expected = half ? *from_halves : *exact;
    if (half && !(std::ranges::all_of(op.inputs, fits_half) && std::ranges::all_of(expected, fits_half))) continue;
    const DeviceLimits limits = setting.minimum_limits ? device().limits.clamped_to_minimum() : device().limits;
    PlanOptions options;
    options.precision = setting.precision;
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

    for (size_t i = 0; i < expected.size(); ++i) {
      HostTensor got(expected[i].type, expected[i].shape);
      const Status read = (*session)->read_output(i, got.data);
      ASSERT_TRUE(read.ok()) << op.name << ": " << read.message();
      const Comparison figures = compare(expected[i], got);
      if (figures.range < kFlushed && figures.max_abs < kFlushed) continue;
      EXPECT_LE(figures.nmse, half ? std::max(tolerance, kHalfTolerance) : tolerance)
          << op.name << " (" << setting.name << ") with " << kernels_of(**plan) << ": " << to_string(figures);
      std::printf("%-60s %-20s NMSE %.2e  %s\n", op.name.c_str(), setting.name, figures.nmse,
                  kernels_of(**plan).c_str());
    }
    const Status intact = (*session)->check_sentinels();
    EXPECT_TRUE(intact.ok()) << op.name << ": " << intact.message();
    if (bench_requested && !setting.minimum_limits)
      std::printf("%-60s %.3f ms\n", op.name.c_str(), median_ms(gl(), **session));
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
