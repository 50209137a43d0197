// Models that run partly on the CPU, because the plan excludes some operators from the GPU: the results must equal
// those of the GPU.
#include <cstdio>
#include <set>

#include "gpu_engine/internals.h"
#include "graph/graph.h"
#include "harness/compare.h"
#include "harness/gl_test.h"
#include "harness/golden.h"
#include "harness/value_of.h"
#include "sightglass/plan.h"
#include "sightglass/session.h"

namespace sightglass::test {
namespace {

constexpr double kTolerance = 1e-8;         // NMSE of real values
constexpr double kQuantumTolerance = 1e-4;  // and of integers, which may differ by one quantization step

class FallbackTest : public GlTest {
 protected:
  Result<std::shared_ptr<const Plan>> plan(const std::shared_ptr<const Model>& model,
                                           const std::vector<std::string>& hidden) {
    ForcedPlanOptions options;
    options.fallback = Fallback::kCpu;
    options.hidden_operators = hidden;
    return build_plan(model, device().limits, options);
  }

  // Two runs, for models with a state.
  Result<std::vector<HostTensor>> infer(const std::shared_ptr<const Plan>& plan,
                                        const std::vector<HostTensor>& inputs) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const auto session, Session::create(gl(), plan));
    for (size_t i = 0; i < inputs.size(); ++i) SIGHTGLASS_RETURN_IF_ERROR(session->write_input(i, inputs[i].data));
    if (!graph_of(plan->model()).states.empty()) SIGHTGLASS_RETURN_IF_ERROR(session->run());
    SIGHTGLASS_RETURN_IF_ERROR(session->run());
    std::vector<HostTensor> outputs;
    for (const TensorInfo& info : plan->model().outputs()) {
      outputs.emplace_back(info.type, info.shape);
      SIGHTGLASS_RETURN_IF_ERROR(session->read_output(outputs.size() - 1, outputs.back().data));
    }
    return outputs;
  }

  // Excludes each operator of the model in turn, then the given ones together.
  void check(const std::string& name, const std::set<std::string>& skipped, const std::vector<std::string>& together) {
    const std::vector<GoldenCase> cases = golden_cases_of(name);
    if (cases.empty()) GTEST_SKIP() << no_case(name);
    const auto inputs = value_of(load_inputs(cases.front()));
    const auto model = value_of(Model::load(cases.front().model_file.string(), {QuantizedModels::kAllowed}));
    const auto whole = value_of(plan(model, {}));
    EXPECT_TRUE(whole->fallback().operators.empty());
    const auto expected = value_of(infer(whole, inputs));

    std::vector<std::vector<std::string>> hidden;
    std::set<std::string> seen = skipped;
    const Graph& graph = graph_of(*model);
    for (const NodeId id : graph.order()) {
      const std::string op = to_string(graph.node(id).op);
      if (seen.insert(op).second) hidden.push_back({op});
    }
    if (!together.empty()) hidden.push_back(together);
    for (const std::vector<std::string>& ops : hidden) {
      const std::string what = name + " without " + ops[0];
      const auto divided = plan(model, ops);
      ASSERT_TRUE(divided.ok()) << what << ": " << divided.status().message();
      const FallbackReport& report = (*divided)->fallback();
      if (report.operators.empty()) continue;  // rewritten to other operators
      EXPECT_GT(report.bytes_read + report.bytes_written, 0);
      const auto got = infer(*divided, inputs);
      ASSERT_TRUE(got.ok()) << what << ": " << got.status().message();
      for (size_t i = 0; i < expected.size(); ++i) {
        const Comparison figures = compare(expected[i], (*got)[i]);
        const bool real = expected[i].type == DataType::kFloat32;
        EXPECT_LE(figures.nmse, real ? kTolerance : kQuantumTolerance) << what << ": " << to_string(figures);
        std::printf("%-60s %zu on the CPU, %lld bytes cross: NMSE %.2e\n", what.c_str(), report.operators.size(),
                    static_cast<long long>(report.bytes_read + report.bytes_written), figures.nmse);
      }
    }
  }
};

TEST_F(FallbackTest, Figure) { check("figure", {}, {"DEPTHWISE_CONV_2D", "ADD", "RESIZE_BILINEAR"}); }
TEST_F(FallbackTest, SelfieSegmenter) {
  check("segmentation/mediapipe_selfie_segmenter_256", {}, {"DEPTHWISE_CONV_2D", "ADD", "RESIZE_BILINEAR"});
}
TEST_F(FallbackTest, QuantizedMobilenet) {
  check("classify_detect/mobilenet_v1_0.25_224_quant", {}, {"DEPTHWISE_CONV_2D", "SOFTMAX"});
}
TEST_F(FallbackTest, DynamicRange) {
  check("segmentation/unet_person_08_dynrange", {}, {"CONCATENATION", "MAX_POOL_2D"});
}
TEST_F(FallbackTest, Recurrent) { check("other/mnist_lstm_float", {}, {}); }

}  // namespace
}  // namespace sightglass::test
