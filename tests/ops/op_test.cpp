#include "ops/op_test.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "graph/analyses.h"
#include "graph/quantized.h"
#include "harness/compare.h"
#include "ops/op_run.h"
#include "ref/ref_ops.h"

namespace sightglass::test {
namespace {

// Of the elements as real numbers, without NaN.
ValueRange range_of(const HostTensor& tensor, const Value& value) {
  ValueRange range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const float number : real_numbers(value, tensor.type, tensor.data)) {
    if (std::isnan(number)) continue;
    range = {std::min<double>(range.low, number), std::max<double>(range.high, number)};
  }
  return range;
}

// The ranges that the graph proves from those of the inputs contain the results.
void expect_in_proved_ranges(const OpCase& op, const std::vector<HostTensor>& results) {
  std::vector<ValueRange> inputs;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    inputs.push_back(range_of(op.inputs[i], op.graph.value(op.graph.inputs[i])));
  }
  const std::vector<ValueRange> proved = value_ranges(op.graph, inputs);
  for (size_t i = 0; i < results.size(); ++i) {
    const ValueId id = op.graph.outputs[i];
    const ValueRange found = range_of(results[i], op.graph.value(id)), &range = proved[static_cast<size_t>(id)];
    if (found.low > found.high) continue;  // only NaN
    // Roundings of sums grow with the operands.
    double largest = std::max(std::abs(found.low), std::abs(found.high));
    for (const ValueRange& input : inputs) {
      largest = std::max({largest, std::abs(input.low), std::abs(input.high)});
    }
    const double rounding = 1e-5 * largest;
    EXPECT_TRUE(found.low >= range.low - rounding && found.high <= range.high + rounding)
        << op.name << ": output " << i << " is in [" << found.low << ", " << found.high << "], but [" << range.low
        << ", " << range.high << "] is proved";
  }
}

}  // namespace

void OpTest::check(const OpCase& op, bool rewrites, double tolerance) {
  ForcedPlanOptions options;
  options.rewrites = rewrites;
  check_with(op, options, tolerance);
}

void OpTest::check_with(const OpCase& op, const ForcedPlanOptions& options, double tolerance) {
  const Result<std::vector<HostTensor>> exact = ref::run(op.graph, op.inputs);
  ASSERT_TRUE(exact.ok()) << op.name << ": " << exact.status().message();
  expect_in_proved_ranges(op, *exact);
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
