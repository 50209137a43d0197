#include "ops/op_test.h"

#include <algorithm>
#include <cstdio>

#include "harness/compare.h"
#include "ops/op_run.h"
#include "ref/ref_ops.h"

namespace sightglass::test {

void OpTest::check(const OpCase& op, bool rewrites, double tolerance) {
  ForcedPlanOptions options;
  options.rewrites = rewrites;
  check_with(op, options, tolerance);
}

void OpTest::check_with(const OpCase& op, const ForcedPlanOptions& options, double tolerance) {
  const Result<std::vector<HostTensor>> exact = ref::run(op.graph, op.inputs);
  ASSERT_TRUE(exact.ok()) << op.name << ": " << exact.status().message();
  const OpCase half_case = rounded_to_half(op);
  const Result<std::vector<HostTensor>> from_halves = ref::run(half_case.graph, half_case.inputs);
  ASSERT_TRUE(from_halves.ok()) << op.name << ": " << from_halves.status().message();

  for (const Setting& setting : kSettings) {
    const bool half = setting.precision == Precision::kFp16;
    const auto& expected = half ? *from_halves : *exact;
    if (half && !(std::ranges::all_of(op.inputs, fits_half) && std::ranges::all_of(expected, fits_half))) continue;
    const Result<OpRun> run = run_on_gpu(gl(), device().limits, op, setting, options);
    ASSERT_TRUE(run.ok()) << op.name << " (" << setting.name << "): " << run.status().message();
    if (setting.half_products && run->kernels.find("HALF_PRODUCTS") == std::string::npos) continue;
    for (size_t i = 0; i < expected.size(); ++i) {
      const Comparison figures = compare(expected[i], run->outputs[i]);
      if (figures.range < kFlushed && figures.max_abs < kFlushed) continue;
      EXPECT_LE(figures.nmse, half ? std::max(tolerance, kHalfTolerance) : tolerance)
          << op.name << " (" << setting.name << ") with " << run->kernels << ": " << to_string(figures);
      std::printf("%-60s %-20s NMSE %.2e  %s\n", op.name.c_str(), setting.name, figures.nmse, run->kernels.c_str());
    }
  }
}

}  // namespace sightglass::test
