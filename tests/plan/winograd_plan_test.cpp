// When a plan uses Winograd's algorithm for a convolution.
#include <gtest/gtest.h>

#include "gpu_engine/device_family.h"
#include "gpu_engine/internals.h"
#include "harness/value_of.h"
#include "ops/op_case.h"
#include "plan/plan_data.h"

namespace sightglass::test {
namespace {

struct Convolution {
  int side = 64, in = 32, out = 32, kernel = 3, groups = 1;
  Conv2dAttr attr{{PaddingMode::kSame}};
  bool gate = false, computed = false;
};

OpCase case_of(const Convolution& c) {
  CaseBuilder builder(3);
  const Shape weights{c.out, c.kernel, c.kernel, c.in / c.groups};
  std::vector<ValueId> inputs{builder.input({1, c.side, c.side, c.in}),
                              c.computed ? builder.input(weights) : builder.constant(weights)};
  if (c.gate) {
    inputs.resize(kGateInput, kNone);
    inputs.push_back(builder.input({1, 1, 1, c.in}));
  }
  builder.node(OpType::kConv2d, c.attr, inputs);
  return builder.build("convolution");
}

struct Planned {
  bool winograd = false;
  std::string log;  // of the choice of kernels
};

Planned plan(const OpCase& op, const DeviceLimits& limits, bool exact, Precision precision = Precision::kFp32) {
  Planned result;
  ForcedPlanOptions options;
  options.exact = exact;
  options.precision = precision;
  options.log = Log([&result](LogLevel, const std::string& line) {
    if (line.find(": kernel ") != line.npos) result.log += line + "\n";
  });
  const auto plan = value_of(build_plan(model_from_graph(op.graph).value(), limits, options));
  for (const Step& step : data_of(*plan).steps) {
    result.winograd = result.winograd || step.kernel.starts_with("winograd.comp");
  }
  return result;
}

DeviceLimits gaining_device() {
  DeviceLimits limits = DeviceLimits::typical();
  limits.kernels.fp32.window = limits.kernels.fp16.window = ConvTile{4, 4};
  limits.kernels.winograd = ConvTile{4, 1};
  return limits;
}

TEST(WinogradPlan, UsesItOnlyIfAllowed) {
  for (const Precision precision : {Precision::kFp32, Precision::kFp16}) {
    const Planned exact = plan(case_of({}), gaining_device(), true, precision);
    EXPECT_FALSE(exact.winograd);
    EXPECT_NE(exact.log.find("conv2d-winograd: results must be exact"), std::string::npos) << exact.log;
    const Planned fast = plan(case_of({}), gaining_device(), false, precision);
    EXPECT_TRUE(fast.winograd) << fast.log;
  }
  EXPECT_TRUE(PlanOptions().exact);
}

// Where speed was measured. Elsewhere, programs set DeviceLimits::kernels.
TEST(WinogradPlan, UsesItOnlyOnDevicesThatGain) {
  for (const auto& [renderer, gains] : {std::pair{"llvmpipe", false},
                                        {"softpipe", false},
                                        {"Mali-G52", false},
                                        {"V3D 7.1", false},
                                        {"FD630", false},
                                        {"Intel", false},
                                        {"AMD", false},
                                        {"NVIDIA", false},
                                        {"", false}}) {
    DeviceLimits limits = DeviceLimits::typical();
    limits.kernels = device_family("", renderer).kernels;
    const Planned planned = plan(case_of({}), limits, false);
    EXPECT_EQ(planned.winograd, gains) << renderer << ": " << planned.log;
  }
}

TEST(WinogradPlan, DeclinesOtherConvolutions) {
  struct Declined {
    Convolution convolution;
    const char* reason;
  };
  const Padding2d same{PaddingMode::kSame};
  const Declined table[] = {
      {{.kernel = 5}, "a kernel that is not 3x3"},
      {{.kernel = 1}, "a kernel that is not 3x3"},
      {{.attr = {same, 2, 2}}, "a stride"},
      {{.attr = {same, 1, 2}}, "a stride"},
      {{.attr = {same, 1, 1, 2, 2}}, "a dilation"},
      {{.in = 64, .groups = 2}, "groups"},
      {{.in = 15}, "fewer than 16 channels"},
      {{.out = 15}, "fewer than 16 channels"},
      {{.gate = true}, "it has a gate"},
      {{.computed = true}, "weights that are computed at run time"},
      {{.side = 1}, "no gain for an output of 1x1 with 32 channels"},
  };
  for (const auto& [convolution, reason] : table) {
    const Planned planned = plan(case_of(convolution), gaining_device(), false);
    EXPECT_FALSE(planned.winograd) << reason;
    EXPECT_NE(planned.log.find(std::string("conv2d-winograd: ") + reason), std::string::npos) << reason << "\n"
                                                                                              << planned.log;
  }
}

// The direct convolution that it is compared with has the tile of large ones.
TEST(WinogradPlan, DeclinesLargeConvolutionsIfTheirTileIsFaster) {
  DeviceLimits limits = gaining_device();
  const Convolution large{.out = 32}, small{.in = 16, .out = 24};
  EXPECT_TRUE(plan(case_of(large), limits, false).winograd);
  limits.kernels.large = ConvTile{16, 4};
  const Planned planned = plan(case_of(large), limits, false);
  EXPECT_FALSE(planned.winograd);
  EXPECT_NE(planned.log.find("no gain for an output of 64x64"), std::string::npos) << planned.log;
  EXPECT_TRUE(plan(case_of(small), limits, false).winograd);
}

TEST(WinogradPlan, DeclinesQuantizedData) {
  CaseBuilder builder(4);
  const Quantized data{DataType::kInt8, {0.0391f}, -7}, weights{DataType::kInt8, {0.006f}, 0};
  builder.node(OpType::kConv2d, Conv2dAttr{},
               {builder.input({1, 64, 64, 32}, data), builder.constant({32, 3, 3, 32}, weights), builder.bias(32)},
               Quantized{DataType::kInt8, {0.47f}, 11});
  const Planned planned = plan(builder.build("integers"), gaining_device(), false);
  EXPECT_FALSE(planned.winograd);
  EXPECT_NE(planned.log.find("conv2d-winograd: quantized data"), std::string::npos) << planned.log;
}

// As on llvmpipe, with a bound that 9 taps of 8 slices keep and 16 products do not.
TEST(WinogradPlan, DeclinesLoopsThatTheDeviceEnds) {
  DeviceLimits limits = gaining_device();
  limits.max_loop_iterations = 120;
  const Planned planned = plan(case_of({}), limits, false);
  EXPECT_FALSE(planned.winograd);
  EXPECT_NE(planned.log.find("conv2d-winograd: a reduction of 160 steps"), std::string::npos) << planned.log;
}

}  // namespace
}  // namespace sightglass::test
