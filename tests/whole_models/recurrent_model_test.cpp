// A model of 8-bit LSTMs, whose states persist between runs: three runs must match those of the TensorFlow Lite kernels
// to the last bit.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

#include "gpu_engine/internals.h"
#include "graph/graph.h"
#include "harness/gl_test.h"
#include "harness/golden.h"
#include "harness/value_of.h"
#include "model/picture_input.h"
#include "ref/ref_ops.h"
#include "sightglass/model.h"
#include "sightglass/plan.h"
#include "sightglass/session.h"

namespace sightglass::test {
namespace {

constexpr int kRuns = 3;

class RecurrentModelTest : public GlTest {
 protected:
  void SetUp() override {
    GlTest::SetUp();
    const auto shared = shared_dir();
    if (shared) folder_ = *shared / "second";
    if (!shared || !std::filesystem::exists(file())) GTEST_SKIP() << "no " << file() << ": no model to run";
    model_ = value_of(Model::load(file().string(), {QuantizedModels::kAllowed}));
    input_ = HostTensor(model_->inputs()[0].type, model_->inputs()[0].shape);
    ASSERT_TRUE(RandomStream(1).fill(input_.type, input_.data));
  }

  std::filesystem::path file() const { return folder_ / "models" / "dtln_noise_suppression.tflite"; }

  void expect_reference(int run, const char* setting, const HostTensor& got) const {
    std::ifstream stream(folder_ / "golden" / ("dtln_noise_suppression.call" + std::to_string(run) + ".out0.raw"),
                         std::ios::binary);
    const std::vector<char> reference{std::istreambuf_iterator<char>(stream), {}};
    ASSERT_EQ(reference.size(), got.data.size());
    const auto numbers = got.as<int8_t>();
    size_t equal = 0;
    int worst = 0;
    for (size_t i = 0; i < numbers.size(); ++i) {
      const int distance = std::abs(static_cast<int8_t>(reference[i]) - numbers[i]);
      equal += distance == 0 ? 1 : 0;
      worst = std::max(worst, distance);
    }
    std::printf("MODEL dtln_noise_suppression run %d %-9s %zu of %zu equal, worst %d\n", run, setting, equal,
                numbers.size(), worst);
    EXPECT_EQ(equal, numbers.size()) << setting << ", run " << run;
  }

  void check(const char* setting, const DeviceLimits& limits, Precision precision) {
    PlanOptions options;
    options.precision = precision;
    const auto plan = value_of(Plan::build(model_, limits, options));
    const auto session = value_of(Session::create(gl(), plan));
    for (const char* turn : {"", "again"}) {
      SCOPED_TRACE(turn);
      ASSERT_TRUE(session->reset_state().ok());
      ASSERT_TRUE(session->write_input(0, input_.data).ok());
      for (int run = 1; run <= kRuns; ++run) {
        ASSERT_TRUE(session->run().ok());
        HostTensor output(model_->outputs()[0].type, model_->outputs()[0].shape);
        ASSERT_TRUE(session->read_output(0, output.data).ok());
        expect_reference(run, setting, output);
      }
    }
  }

  std::filesystem::path folder_;
  std::shared_ptr<const Model> model_;
  HostTensor input_;
};

TEST_F(RecurrentModelTest, StatesPersistBetweenRuns) { check("device", device().limits, Precision::kFp32); }

TEST_F(RecurrentModelTest, WithinTheMinimumLimits) {
  check("min", device().limits.clamped_to_minimum(), Precision::kFp32);
}

TEST_F(RecurrentModelTest, StoredInSixteenBits) { check("fp16", limits_for_half(), Precision::kFp16); }

TEST_F(RecurrentModelTest, OnTheReferenceKernels) {
  std::vector<HostTensor> states;
  for (int run = 1; run <= kRuns; ++run) {
    const auto outputs = value_of(ref::run(graph_of(*model_), {input_}, &states));
    expect_reference(run, "reference", outputs[0]);
  }
}

}  // namespace
}  // namespace sightglass::test
