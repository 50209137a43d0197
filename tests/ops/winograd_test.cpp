// CONV_2D by Winograd's algorithm: results, bits of its variants, and when a plan uses it.
#include <optional>
#include <set>

#include "gpu_engine/internals.h"
#include "harness/compare.h"
#include "harness/value_of.h"
#include "ops/op_run.h"
#include "ops/op_test.h"
#include "plan/plan_data.h"

namespace sightglass::test {
namespace {

struct Window {
  int batch = 1, height = 9, width = 7, in = 16, out = 16;
  Padding2d padding{PaddingMode::kSame, 0, 0, 0, 0};
  Activation activation = Activation::kNone;
  bool bias = true, residual = false, pixel_residual = false, narrow_residual = false, residual_last = false;
  Fill data = Fill::kUniform, weights = Fill::kUniform;
};

OpCase window_case(const Window& w, uint64_t seed) {
  CaseBuilder builder(seed);
  const ValueId data = builder.input({w.batch, w.height, w.width, w.in}, w.data);
  std::vector<ValueId> inputs{data, builder.constant({w.out, 3, 3, w.in}, w.weights)};
  inputs.push_back(w.bias ? builder.constant({w.out}) : kNone);
  if (w.activation == Activation::kPrelu) inputs.push_back(builder.constant({w.out}));
  const Conv2dAttr attr{w.padding};
  if (w.residual) {
    const ValueId first = builder.node(OpType::kConv2d, attr, inputs, w.activation);
    inputs.resize(kResidualInput, kNone);
    inputs.push_back(first);
  } else if (w.narrow_residual) {
    inputs.resize(kResidualInput, kNone);
    inputs.push_back(builder.input({w.batch, w.height, w.width, 6}));
  } else if (w.pixel_residual) {
    inputs.resize(kResidualInput, kNone);
    inputs.push_back(builder.input({w.batch, 1, 1, w.out}));
  }
  builder.node(OpType::kConv2d, attr, inputs, w.activation);
  OpCase made = builder.build("winograd " + std::to_string(w.batch) + "x" + std::to_string(w.height) + "x" +
                              std::to_string(w.width) + "x" + std::to_string(w.in) + "→" + std::to_string(w.out) +
                              " p" + std::to_string(static_cast<int>(w.padding.mode)) + " " + to_string(w.activation) +
                              (w.residual ? " residual" : "") + (w.pixel_residual ? " residual of one pixel" : ""));
  return w.residual_last ? with_residual_last(std::move(made)) : made;
}

constexpr ConvTile kTiles[] = {{1, 1}, {1, 2}, {2, 1}, {2, 2}, {4, 1}};

std::string kernels_of(const Plan& plan) {
  std::string names;
  for (const Step& step : data_of(plan).steps) names += step.kernel + "\n";
  return names;
}

class WinogradTest : public OpTest {
 protected:
  // Compares the case with the reference, with one tile of the kernel after the other.
  void check_window(const Window& window) {
    ForcedPlanOptions options;
    options.winograd = kTiles[seed_ % std::size(kTiles)];
    const OpCase op = window_case(window, ++seed_);
    const auto plan = value_of(build_plan(model_from_graph(op.graph).value(), device().limits, options));
    EXPECT_NE(kernels_of(*plan).find("winograd.comp"), std::string::npos) << kernels_of(*plan);
    EXPECT_EQ(kernels_of(*plan).find("conv2d.comp"), std::string::npos) << kernels_of(*plan);
    check_with(op, options);
  }

 private:
  uint64_t seed_ = 0;
};

TEST_F(WinogradTest, EveryChannelCount) {
  for (const int in : {16, 17, 31, 64}) {
    for (const int out : {16, 19, 32, 67}) {
      Window w;
      w.in = in;
      w.out = out;
      check_window(w);
    }
  }
}

TEST_F(WinogradTest, EverySizeAndPadding) {
  constexpr Padding2d kPaddings[] = {{PaddingMode::kSame},
                                     {PaddingMode::kValid},
                                     {PaddingMode::kExplicit, 1, 0, 0, 1},
                                     {PaddingMode::kExplicit, 3, 2, 2, 3}};
  for (const auto& [height, width] : {std::pair{1, 1}, {1, 6}, {5, 1}, {2, 2}, {3, 3}, {4, 5}, {33, 66}, {67, 71}}) {
    for (const Padding2d& padding : kPaddings) {
      Window w;
      w.batch = height % 2 == 0 ? 3 : 1;
      w.height = height;
      w.width = width;
      w.padding = padding;
      w.out = 20;
      if (height + padding.top + padding.bottom < 3 && padding.mode != PaddingMode::kSame) continue;  // no output
      if (width + padding.left + padding.right < 3 && padding.mode != PaddingMode::kSame) continue;
      check_window(w);
    }
  }
}

TEST_F(WinogradTest, ActivationsAndOperands) {
  // Activations follow the sums, as in direct convolutions, whose tests have all of them.
  for (const Activation activation :
       {Activation::kNone, Activation::kRelu6, Activation::kHardSwish, Activation::kPrelu}) {
    Window w;
    w.batch = 2;
    w.in = 18;
    w.out = 21;
    w.activation = activation;
    w.data = Fill::kWide;
    check_window(w);
    w.bias = activation == Activation::kPrelu;
    w.residual = true;
    check_window(w);
    w.residual = false;
    w.pixel_residual = true;
    check_window(w);
    w.narrow_residual = true;
    check_window(w);
    w.residual_last = true;
    check_window(w);
  }
}

TEST_F(WinogradTest, AdversarialValues) {
  for (const Fill data : {Fill::kZero, Fill::kLarge, Fill::kTiny, Fill::kOneHot, Fill::kRamp, Fill::kPositive}) {
    // Transformed weights are stored in 32 bits, in 16, in 32 and in 16.
    for (const Fill weights : {Fill::kUniform, Fill::kOneHot, Fill::kLarge, Fill::kRamp}) {
      Window w;
      w.data = data;
      w.weights = weights;
      check_window(w);
    }
  }
}

// The tuner may choose any of them.
TEST_F(WinogradTest, EveryVariantGivesTheSameBits) {
  Window w;
  w.batch = 2;
  w.height = 21;
  w.width = 35;
  w.in = 24;
  w.out = 37;
  const OpCase op = window_case(w, 7);
  std::optional<HostTensor> first;
  std::set<std::string> kernels;
  for (const ConvTile& tile : kTiles) {
    for (int variant = 0; variant < 8; ++variant) {
      ForcedPlanOptions options;
      options.winograd = tile;
      options.variant = variant;
      const auto run = value_of(run_on_gpu(gl(), device().limits, op, kSettings[0], options));
      if (!first) first = run.outputs[0];
      const Comparison figures = compare(*first, run.outputs[0]);
      EXPECT_TRUE(figures.identical) << run.kernels << ": " << to_string(figures);
      kernels.insert(run.kernels);
    }
  }
  std::printf("%zu variants\n", kernels.size());
  EXPECT_GT(kernels.size(), std::size(kTiles));
}

// And runs of two plans give the same bits.
TEST_F(WinogradTest, DiffersFromDirectSumsOnlyIfAllowed) {
  Window w;
  w.height = w.width = 64;
  w.in = w.out = 32;
  const OpCase op = window_case(w, 8);
  DeviceLimits limits = device().limits;
  limits.kernels.winograd = ConvTile{4, 1};
  limits.kernels.large.reset();
  const auto run = [&](bool exact) {
    ForcedPlanOptions options;
    options.exact = exact;
    return run_on_gpu(gl(), limits, op, kSettings[0], options);
  };
  const auto exact = run(true), fast = run(false), again = run(false);
  ASSERT_TRUE(exact.ok() && fast.ok() && again.ok());
  EXPECT_EQ(exact->kernels.find("winograd"), std::string::npos) << exact->kernels;
  EXPECT_NE(fast->kernels.find("winograd"), std::string::npos) << fast->kernels;
  EXPECT_TRUE(fast->outputs[0].data == again->outputs[0].data);
  EXPECT_FALSE(fast->outputs[0].data == exact->outputs[0].data);
}

}  // namespace
}  // namespace sightglass::test
