// Compares whole models on the GPU with outputs of the TensorFlow Lite CPU kernels, with the limits of the device and
// with the minimums that OpenGL ES 3.1 guarantees. One line per model, case, and limits states how close they are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "gpu_engine/internals.h"
#include "graph/graph.h"
#include "harness/compare.h"
#include "harness/gl_test.h"
#include "harness/golden.h"
#include "harness/value_of.h"
#include "sightglass/model.h"
#include "sightglass/plan.h"
#include "sightglass/session.h"
#include "whole_models/model_cases.h"

namespace sightglass::test {
namespace {

constexpr double kArenaRatio = 1.05;  // arena size divided by its lower bound

// Small models that do not run: docs/models.md states why.
const std::set<std::string> kRefused{
    "ops/lite_2_subgraphs",
    "ops/lite_add_shared_tensors",
    "ops/lite_conv_huge_im2col",
    "ops/lite_custom_sinh",
    "ops/lite_dynamic_shapes",
    "ops/lite_sparse_tensor",
    "ops/lite_while_op_with_forwarding_input",
    "ops/lite_with_metadata",
    "ops/quant_lstm_quantized",
    "ops/quant_mixed",
    "ops/quant_transpose",
};

struct Run {
  std::shared_ptr<const Plan> plan;
  std::unique_ptr<Session> session;
};

Result<Run> prepare(const GlApi& gl, const GoldenCase& golden, const DeviceLimits& limits,
                    const ForcedPlanOptions& options = {}) {
  SIGHTGLASS_ASSIGN_OR_RETURN(auto model, Model::load(golden.model_file.string(), {QuantizedModels::kAllowed}));
  Run run;
  SIGHTGLASS_ASSIGN_OR_RETURN(run.plan, build_plan(std::move(model), limits, options));
  SIGHTGLASS_ASSIGN_OR_RETURN(run.session, Session::create(gl, run.plan));
  return run;
}

// The recorded outputs are from a second run, which matters for models with a state.
Result<std::vector<HostTensor>> infer(const Run& run, const std::vector<HostTensor>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) SIGHTGLASS_RETURN_IF_ERROR(run.session->write_input(i, inputs[i].data));
  SIGHTGLASS_RETURN_IF_ERROR(run.session->reset_state());
  if (!graph_of(run.plan->model()).states.empty()) SIGHTGLASS_RETURN_IF_ERROR(run.session->run());
  SIGHTGLASS_RETURN_IF_ERROR(run.session->run());
  std::vector<HostTensor> outputs;
  for (const TensorInfo& info : run.plan->model().outputs()) {
    outputs.emplace_back(info.type, info.shape);
    SIGHTGLASS_RETURN_IF_ERROR(run.session->read_output(outputs.size() - 1, outputs.back().data));
  }
  return outputs;
}

enum class Setting { kDevice, kMinimumLimits, kFp16 };

const char* to_string(Setting setting) {
  return setting == Setting::kDevice ? "device" : setting == Setting::kMinimumLimits ? "min" : "fp16";
}
void PrintTo(Setting setting, std::ostream* out) { *out << to_string(setting); }

class ModelsTest : public GlTest, public ::testing::WithParamInterface<std::tuple<size_t, Setting>> {
 protected:
  const ModelCase& model_case() const { return model_cases()[std::get<0>(GetParam())]; }
  Setting setting() const { return std::get<1>(GetParam()); }
  bool half() const { return setting() == Setting::kFp16; }
  DeviceLimits limits() const {
    DeviceLimits limits =
        setting() == Setting::kMinimumLimits ? device().limits.clamped_to_minimum() : limits_for_half();
    // Of the settings, only this one has the weights of this device; the others have those of GPUs.
    if (setting() != Setting::kDevice) limits.kernels.narrow_weights = true;
    return limits;
  }
  ForcedPlanOptions options() const {
    ForcedPlanOptions options;
    options.precision = half() ? Precision::kFp16 : Precision::kFp32;
    return options;
  }
};

std::string test_name(const ::testing::TestParamInfo<ModelsTest::ParamType>& info) {
  std::string name = model_cases()[std::get<0>(info.param)].model;
  name = name.substr(name.find('/') + 1);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name + "_" + to_string(std::get<1>(info.param));
}

// The quantum of an output of a DEQUANTIZE; 0 for others.
double quantum_of_output(const Graph& graph, size_t output) {
  const NodeId producer = graph.value(graph.outputs[output]).producer;
  if (producer == kNone || graph.node(producer).op != OpType::kDequantize) return 0;
  const Quantization& quantization = graph.value(graph.node(producer).inputs[0]).quantization;
  return quantization.scale.size() == 1 ? double{quantization.scale[0]} : 0;
}

// One line per model, case, setting, and output.
TEST_P(ModelsTest, MatchesTensorFlowLite) {
  const std::vector<GoldenCase> cases = golden_cases_of(model_case().model);
  if (cases.empty()) GTEST_SKIP() << no_case(model_case().model);
  const auto run = value_of(prepare(gl(), cases.front(), limits(), options()));
  const MemoryReport& memory = run.plan->memory();
  EXPECT_LE(static_cast<double>(memory.arena_bytes), kArenaRatio * static_cast<double>(memory.lower_bound_bytes));
  const auto file_bytes = static_cast<double>(std::filesystem::file_size(cases.front().model_file));
  if (limits().kernels.narrow_weights) {
    EXPECT_LE(static_cast<double>(memory.weight_bytes), model_case().weight_ratio * file_bytes);
  }

  for (const GoldenCase& golden : cases) {
    const auto inputs = value_of(load_inputs(golden));
    const auto references = value_of(load_references(golden));
    const auto description = value_of(describe_case(golden));
    const auto outputs = value_of(infer(run, inputs));
    ASSERT_EQ(outputs.size(), references.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      const double quantum = quantum_of_output(graph_of(run.plan->model()), i);
      const Reference& reference = references[i];
      const Verdict verdict = judge(model_case(), golden, description.outputs[i], i, reference.numbers,
                                    reference.part_of(outputs[i]), half(), quantum);
      std::printf("MODEL %-52s %-8s %-7s out%zu %-4s %s\n", golden.model.c_str(), golden.name.c_str(),
                  to_string(setting()), i, verdict.good ? "ok" : "BAD", verdict.figures.c_str());
      EXPECT_TRUE(verdict.good) << golden.name << ", output " << i << ": " << verdict.figures;
    }
  }
  std::printf("PLAN  %-52s %-7s %d dispatches, %d barriers, %d programs, arena %lld B of lower bound %lld B\n",
              model_case().model, to_string(setting()), run.plan->dispatches(), run.plan->barriers(),
              run.plan->programs(), static_cast<long long>(memory.arena_bytes),
              static_cast<long long>(memory.lower_bound_bytes));
}

TEST_P(ModelsTest, StaysInItsTensorsAndIsBitReproducible) {
  const std::vector<GoldenCase> cases = golden_cases_of(model_case().model);
  if (cases.empty()) GTEST_SKIP() << no_case(model_case().model);
  ForcedPlanOptions guarded = options();
  guarded.sentinel_bytes = 256;
  const auto run = value_of(prepare(gl(), cases.back(), limits(), guarded));
  const auto inputs = value_of(load_inputs(cases.back()));
  const auto first = value_of(infer(run, inputs));
  const auto second = value_of(infer(run, inputs));
  for (size_t i = 0; i < first.size(); ++i) {
    EXPECT_TRUE(compare(first[i], second[i]).identical) << "output " << i << " differs between runs";
  }
  const Status sentinels = check_sentinels(*run.session);
  EXPECT_TRUE(sentinels.ok()) << sentinels.message();
}

bool has_integers(const Graph& graph) {
  for (ValueId id = 0; id < static_cast<ValueId>(graph.value_count()); ++id) {
    const DataType type = graph.value(id).type;
    if (type == DataType::kInt8 || type == DataType::kUInt8 || type == DataType::kInt16) return true;
  }
  return false;
}

// Small models of single operators: either the result is correct, or there is a reason.
class SmallModelsTest : public GlTest {};

TEST_F(SmallModelsTest, MatchOrAreRejectedWithAReason) {
  if (!shared_dir()) GTEST_SKIP() << "no folder ../shared next to the source tree: no models of single operators";
  std::set<std::string> refused;
  for (const GoldenCase& golden : list_golden_cases()) {
    if (!golden.model.starts_with("ops/")) continue;
    ASSERT_FALSE(golden.model_file.empty()) << no_model(golden.model);
    SCOPED_TRACE(golden.model + " " + golden.name);
    const auto run = prepare(gl(), golden, device().limits);
    if (!run.ok()) {
      const Status& status = run.status();
      const bool reason = status.code() == ErrorCode::kUnsupported || status.code() == ErrorCode::kInvalidModel ||
                          status.code() == ErrorCode::kResourceExhausted;
      EXPECT_TRUE(reason) << status.message();
      EXPECT_NE(status.message().find(golden.model), std::string::npos) << status.message();
      std::printf("MODEL %-52s %-8s device  refused: %s\n", golden.model.c_str(), golden.name.c_str(),
                  status.message().c_str());
      refused.insert(golden.model);
      continue;
    }
    if (!golden.error.empty()) continue;  // runs here, but there is nothing to compare with
    const auto inputs = value_of(load_inputs(golden));
    const auto references = value_of(load_references(golden));
    const auto description = value_of(describe_case(golden));
    const auto outputs = value_of(infer(*run, inputs));
    ASSERT_EQ(outputs.size(), references.size());
    const Graph& graph = graph_of(run->plan->model());
    const ModelCase small{golden.model.c_str(), has_integers(graph) ? Numbers::kIntegers : Numbers::kReal, {}};
    for (size_t i = 0; i < outputs.size(); ++i) {
      const Reference& reference = references[i];
      const Verdict verdict = judge(small, golden, description.outputs[i], i, reference.numbers,
                                    reference.part_of(outputs[i]), false, quantum_of_output(graph, i));
      std::printf("MODEL %-52s %-8s device  out%zu %-4s %s\n", golden.model.c_str(), golden.name.c_str(), i,
                  verdict.good ? "ok" : "BAD", verdict.figures.c_str());
      EXPECT_TRUE(verdict.good) << "output " << i << ": " << verdict.figures;
    }
  }
  // Rejecting a model that used to run is an error. So is a listed model that runs now.
  EXPECT_EQ(refused, kRefused);
}

INSTANTIATE_TEST_SUITE_P(Real, ModelsTest,
                         ::testing::Combine(::testing::Range<size_t>(0, model_cases().size()),
                                            ::testing::Values(Setting::kDevice, Setting::kMinimumLimits,
                                                              Setting::kFp16)),
                         test_name);

}  // namespace
}  // namespace sightglass::test
