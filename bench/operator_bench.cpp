// Times single operators at sizes of real models and writes JSON: for each case the time of its step, by the GPU clock
// or by fences, in both precisions. Or times whole models of one shape that grow.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/headless_gl.h"
#include "gpu_engine/internals.h"
#include "ops/op_case.h"
#include "sightglass/gl_objects.h"
#include "sightglass/plan.h"
#include "sightglass/session.h"
#include "sightglass/step_timer.h"
#include "standard_output.h"

namespace sightglass::test {
namespace {

using Build = std::function<void(CaseBuilder&)>;

struct NamedCase {
  std::string name;
  Build build;
};

NamedCase conv(int32_t size, int32_t in, int32_t out, int32_t kernel, int32_t stride = 1) {
  const std::string k = std::to_string(kernel);
  return {"conv " + k + "x" + k + (stride > 1 ? " stride " + std::to_string(stride) : "") + ", " +
              std::to_string(size) + "x" + std::to_string(size) + ", " + std::to_string(in) + " to " +
              std::to_string(out),
          [=](CaseBuilder& b) {
            b.node(OpType::kConv2d, Conv2dAttr{{PaddingMode::kSame}, stride, stride, 1, 1},
                   {b.input({1, size, size, in}), b.constant({out, kernel, kernel, in}), b.constant({out})},
                   Activation::kRelu6);
          }};
}

NamedCase depthwise(int32_t size, int32_t channels, int32_t kernel, int32_t stride = 1) {
  const std::string k = std::to_string(kernel);
  return {"depthwise " + k + "x" + k + (stride > 1 ? " stride " + std::to_string(stride) : "") + ", " +
              std::to_string(size) + "x" + std::to_string(size) + ", " + std::to_string(channels),
          [=](CaseBuilder& b) {
            b.node(
                OpType::kDepthwiseConv2d, DepthwiseConv2dAttr{{PaddingMode::kSame}, stride, stride, 1, 1, 1},
                {b.input({1, size, size, channels}), b.constant({1, kernel, kernel, channels}), b.constant({channels})},
                Activation::kRelu6);
          }};
}

std::vector<NamedCase> cases() {
  return {
      conv(256, 3, 16, 3, 2),
      conv(128, 64, 64, 1),
      conv(64, 64, 128, 1),
      conv(33, 160, 960, 1),
      conv(33, 960, 160, 1),
      conv(64, 32, 32, 3),
      conv(32, 64, 64, 3),
      conv(7, 256, 256, 3),
      depthwise(128, 32, 3),
      depthwise(112, 64, 3, 2),
      depthwise(33, 576, 3),
      depthwise(32, 96, 5),
      {"transpose conv 2x2 stride 2, 64x64, 32 to 16",
       [](CaseBuilder& b) {
         b.node(OpType::kTransposeConv, TransposeConvAttr{{PaddingMode::kSame}, 2, 2, 128, 128},
                {b.input({1, 64, 64, 32}), b.constant({16, 2, 2, 32}), b.constant({16})});
       }},
      {"fully connected, 1024 to 1001",
       [](CaseBuilder& b) {
         b.node(OpType::kFullyConnected, FullyConnectedAttr{},
                {b.input({1, 1024}), b.constant({1001, 1024}), b.constant({1001})});
       }},
      {"average pool over all, 33x33, 320",
       [](CaseBuilder& b) {
         b.node(OpType::kAveragePool2d, Pool2dAttr{{PaddingMode::kValid}, 33, 33, 33, 33}, {b.input({1, 33, 33, 320})});
       }},
      {"max pool 2x2 stride 2, 128x128, 32",
       [](CaseBuilder& b) {
         b.node(OpType::kMaxPool2d, Pool2dAttr{{PaddingMode::kValid}, 2, 2, 2, 2}, {b.input({1, 128, 128, 32})});
       }},
      {"resize bilinear, 33x33 to 257x257, 21",
       [](CaseBuilder& b) {
         b.node(OpType::kResizeBilinear, ResizeAttr{257, 257, true, false}, {b.input({1, 33, 33, 21})});
       }},
      {"add, 128x128, 32",
       [](CaseBuilder& b) {
         b.node(OpType::kAdd, {}, {b.input({1, 128, 128, 32}), b.input({1, 128, 128, 32})});
       }},
      {"multiply by a channel's number, 64x64, 96",
       [](CaseBuilder& b) {
         b.node(OpType::kMul, {}, {b.input({1, 64, 64, 96}), b.input({1, 1, 1, 96})});
       }},
      {"concat, 64x64, 32 and 32",
       [](CaseBuilder& b) {
         b.node(OpType::kConcat, ConcatAttr{3}, {b.input({1, 64, 64, 32}), b.input({1, 64, 64, 32})});
       }},
      {"softmax, 128x128, 21",
       [](CaseBuilder& b) {
         b.node(OpType::kSoftmax, SoftmaxAttr{}, {b.input({1, 128, 128, 21})});
       }},
  };
}

// A model of eight 3x3 convolutions: 72 multiply-adds for each pixel and pair of channels.
NamedCase chain(int32_t size, int32_t channels) {
  constexpr int kLayers = 8;
  return {std::to_string(size) + "x" + std::to_string(size) + "x" + std::to_string(channels), [=](CaseBuilder& b) {
            ValueId last = b.input({1, size, size, channels});
            for (int layer = 0; layer < kLayers; ++layer) {
              last = b.node(OpType::kConv2d, Conv2dAttr{{PaddingMode::kSame}, 1, 1, 1, 1},
                            {last, b.constant({channels, 3, 3, channels}), b.constant({channels})}, Activation::kRelu6);
            }
          }};
}

// From 1 to 10,000 million multiply-adds.
std::vector<NamedCase> growing_models() {
  return {chain(8, 16),  chain(16, 16), chain(16, 32), chain(32, 32),  chain(32, 48),
          chain(32, 64), chain(64, 64), chain(64, 96), chain(64, 128), chain(96, 128)};
}

Result<std::shared_ptr<Session>> make_session(const NamedCase& named, const HeadlessGl& headless,
                                              const std::shared_ptr<ShareGroup>& group, Precision precision) {
  CaseBuilder builder(1);
  named.build(builder);
  const OpCase op = builder.build(named.name);
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto model, model_from_graph(op.graph));
  PlanOptions options;
  options.precision = precision;
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto plan, Plan::build(model, headless.device().limits, options));
  SIGHTGLASS_ASSIGN_OR_RETURN(std::shared_ptr<Session> session, Session::create(group, plan));
  for (size_t i = 0; i < op.inputs.size(); ++i) SIGHTGLASS_RETURN_IF_ERROR(session->write_input(i, op.inputs[i].data));
  return session;
}

Result<nlohmann::ordered_json> measure(const NamedCase& named, const HeadlessGl& headless, StepTimer& timer,
                                       Precision precision, int passes) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto session, make_session(named, headless, timer.group(), precision));
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<int64_t> times, median_step_times(*session, timer, passes));
  int64_t ns = 0, multiply_adds = 0;
  std::string kernels;
  const std::vector<StepInfo> steps = session->plan().steps();
  for (size_t i = 0; i < steps.size(); ++i) {
    ns += times[i];
    multiply_adds += steps[i].multiply_adds;
    kernels += (i > 0 ? "; " : "") + steps[i].kernel;
  }
  return nlohmann::ordered_json{
      {"name", named.name + (precision == Precision::kFp16 ? ", fp16" : "")},
      {"ms", static_cast<double>(ns) * 1e-6},
      {"multiply_adds", multiply_adds},
      {"gflops", ns > 0 ? 2 * static_cast<double>(multiply_adds) / static_cast<double>(ns) : 0.0},
      {"kernels", kernels}};
}

Status measure_all(int passes, nlohmann::ordered_json& results) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto headless, HeadlessGl::create());
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto timer, StepTimer::create(ShareGroup::create(headless->gl())));
  results["operators"] = nlohmann::ordered_json::array();
  for (const NamedCase& named : cases()) {
    for (const Precision precision : {Precision::kFp32, Precision::kFp16}) {
      auto entry = measure(named, *headless, *timer, precision, passes);
      if (!entry.ok()) return entry.status().with_context(named.name);
      results["operators"].push_back(std::move(entry).value());
    }
  }
  return {};
}

Result<nlohmann::ordered_json> measure_runs(const NamedCase& named, const HeadlessGl& headless,
                                            const std::shared_ptr<ShareGroup>& group, int passes) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto session, make_session(named, headless, group, Precision::kFp32));
  std::vector<double> times;
  // The first run includes work that drivers defer until then.
  for (int pass = 0; pass <= passes; ++pass) {
    SIGHTGLASS_RETURN_IF_ERROR(wait_for_gpu(headless.gl()));
    const auto begin = std::chrono::steady_clock::now();
    SIGHTGLASS_RETURN_IF_ERROR(session->run());
    SIGHTGLASS_RETURN_IF_ERROR(wait_for_gpu(headless.gl()));
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
    if (pass > 0) times.push_back(time.count());
  }
  int64_t multiply_adds = 0;
  for (const StepInfo& step : session->plan().steps()) multiply_adds += step.multiply_adds;
  return nlohmann::ordered_json{
      {"name", named.name}, {"multiply_adds", multiply_adds}, {"ms", *std::ranges::min_element(times)}};
}

Status measure_growth(int passes, nlohmann::ordered_json& results) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto headless, HeadlessGl::create());
  const auto group = ShareGroup::create(headless->gl());
  results["renderer"] = headless->device().renderer;
  results["models"] = nlohmann::ordered_json::array();
  for (const NamedCase& named : growing_models()) {
    auto entry = measure_runs(named, *headless, group, passes);
    if (!entry.ok()) return entry.status().with_context(named.name);
    results["models"].push_back(std::move(entry).value());
  }
  return {};
}

}  // namespace
}  // namespace sightglass::test

int main(int argc, char** argv) {
  CLI::App app("Times operators on the GPU and prints JSON.", "operator_bench");
  int passes = 9;
  app.add_option("--passes", passes, "Passes per case; the median counts, with --growth the least (9)")
      ->check(CLI::Range(1, 1000));
  bool growth = false;
  app.add_flag("--growth", growth, "Time whole models from 1 to 10,000 million multiply-adds instead");
  CLI11_PARSE(app, argc, argv);
  nlohmann::ordered_json results;
  const sightglass::Status status =
      growth ? sightglass::test::measure_growth(passes, results) : sightglass::test::measure_all(passes, results);
  if (!status.ok()) {
    std::fprintf(stderr, "operator_bench: %s\n", status.message().c_str());
    return 1;
  }
  std::printf("%s\n", results.dump(2).c_str());
  return sightglass::finish_output("operator_bench", 0);
}
