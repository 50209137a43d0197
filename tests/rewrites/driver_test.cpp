// The driver, constant folding, and averages over the whole frame; all rewrites on real models: the remaining
// operators, and equal results from the reference.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>

#include "gpu_engine/internals.h"
#include "harness/compare.h"
#include "harness/golden.h"
#include "harness/value_of.h"
#include "ref/ref_ops.h"
#include "rewrites/rewrite_case.h"
#include "rewrites/rewrites.h"
#include "sightglass/model.h"

namespace sightglass::test {
namespace {

TEST(FoldConstants, OfArithmetic) {
  CaseBuilder builder(41);
  const ValueId sum = builder.node(OpType::kAdd, {}, {builder.constant({4}), builder.constant({1, 4})});
  const ValueId shaped = builder.node(OpType::kReshape, ReshapeAttr{Shape{4}}, {sum});
  builder.node(OpType::kMul, {}, {builder.input({1, 3, 3, 4}), shaped});
  expect_applied("fold-constants", builder.build("arithmetic"), {OpType::kMul});
}

TEST(FoldConstants, DequantizeKeepsHalves) {
  CaseBuilder builder(42);
  const ValueId weights = builder.constant({4});
  const ValueId widened = builder.node(OpType::kDequantize, {}, {weights});
  builder.node(OpType::kMul, {}, {builder.input({1, 3, 3, 4}), widened});
  OpCase halves = builder.build("halves");
  store_as_half(halves.graph, weights);
  halves.graph.value(weights).type = DataType::kFloat16;
  const Graph after = expect_applied("fold-constants", halves, {OpType::kMul});
  EXPECT_EQ(after.value(widened).type, DataType::kFloat32);
  EXPECT_EQ(after.value(widened).constant->type, DataType::kFloat16);
  EXPECT_EQ(after.value(widened).constant->bytes.data(), halves.graph.value(weights).constant->bytes.data());
}

TEST(FoldConstants, LeavesOutputsAndData) {
  CaseBuilder builder(43);
  const ValueId sum = builder.node(OpType::kAdd, {}, {builder.constant({4}), builder.constant({4})});
  const ValueId product = builder.node(OpType::kMul, {}, {builder.input({1, 3, 3, 4}), sum});
  OpCase two = builder.build("constant output");
  two.graph.outputs = {product, sum};
  expect_not_matched("fold-constants", two);
}

TEST(GlobalPool, CoversTheWholeFrame) {
  CaseBuilder builder(45);
  builder.node(OpType::kAveragePool2d, Pool2dAttr{{}, 3, 3, 5, 6}, {builder.input({2, 5, 6, 7})}, Activation::kRelu);
  const Graph after = expect_applied("global-pool", builder.build("frame"), {OpType::kMean});
  EXPECT_EQ(after.node(after.order()[0]).activation, Activation::kRelu);
}

TEST(GlobalPool, LeavesSmallerWindowsAndMaximums) {
  CaseBuilder builder(46);
  const ValueId data = builder.input({1, 5, 6, 7});
  const ValueId average = builder.node(OpType::kAveragePool2d, Pool2dAttr{{}, 1, 1, 4, 5}, {data});
  builder.node(OpType::kMaxPool2d, Pool2dAttr{{}, 1, 1, 2, 2}, {average});
  expect_not_matched("global-pool", builder.build("smaller"));
}

TEST(GlobalPool, DeclinesPadding) {
  CaseBuilder builder(47);
  const Padding2d same{PaddingMode::kSame, 0, 0, 0, 0};
  builder.node(OpType::kAveragePool2d, Pool2dAttr{same, 1, 1, 5, 6}, {builder.input({1, 5, 6, 7})});
  expect_declined("global-pool", builder.build("padded"), "it is padded");
}

// A block of a real network: every rewrite applies, and some rewrites enable others.
TEST(RunRewrites, ReachesAFixedPoint) {
  CaseBuilder builder(48);
  const ValueId data = builder.input({1, 8, 8, 4}, Fill::kWide);
  const ValueId padded = builder.node(OpType::kPad, PadAttr{{0, 0, 0, 0}, {0, 1, 1, 0}, 0.0f}, {data});
  const ValueId convolved = conv(builder, padded, {.bias = false, .stride = 2});
  const ValueId normalized = builder.node(OpType::kAdd, {}, {convolved, builder.constant({8})});
  const ValueId activated = unary(builder, OpType::kRelu6, normalized);
  const ValueId pooled = builder.node(OpType::kAveragePool2d, Pool2dAttr{{}, 1, 1, 4, 4}, {activated});
  const ValueId flat = builder.node(OpType::kReshape, ReshapeAttr{Shape{1, 8}}, {pooled});
  const ValueId same = builder.node(OpType::kReshape, ReshapeAttr{Shape{1, 8}}, {flat});
  const ValueId dense = builder.node(OpType::kFullyConnected, FullyConnectedAttr{}, {same, builder.constant({6, 8})});
  builder.node(OpType::kMul, {}, {dense, unary(builder, OpType::kLogistic, dense)});
  const OpCase before = builder.build("block");
  Graph after = before.graph;
  const auto report = value_of(run_rewrites(after));
  EXPECT_EQ(after.order().size(), 4u) << dump_text(after);  // CONV_2D, MEAN, RESHAPE, FULLY_CONNECTED
  for (const RewriteReport::Entry& entry : report.declined) ADD_FAILURE() << entry.rewrite << ": " << entry.reason;
  const auto expected = ref::run(before.graph, before.inputs);
  const auto got = ref::run(after, before.inputs);
  ASSERT_TRUE(expected.ok() && got.ok());
  const Comparison comparison = compare(expected->at(0), got->at(0));
  std::printf("block: %s\n", to_string(comparison).c_str());
  EXPECT_LE(comparison.nmse, 1e-12);

  const std::string settled = dump_text(after);
  const auto again = value_of(run_rewrites(after));
  EXPECT_TRUE(again.applied.empty()) << "a second run applies nothing";
  EXPECT_EQ(dump_text(after), settled);
}

TEST(RunRewrites, RemovesUnusedNodes) {
  CaseBuilder builder(49);
  const ValueId data = builder.input({1, 4, 4, 4});
  unary(builder, OpType::kTanh, data);
  unary(builder, OpType::kExp, data);
  Graph graph = builder.build("dead").graph;
  ASSERT_TRUE(run_rewrites(graph).ok());
  ASSERT_EQ(graph.order().size(), 1u);
  EXPECT_EQ(graph.node(graph.order()[0]).op, OpType::kExp);
}

TEST(RunRewrites, NamesTheRewriteThatBreaksTheGraph) {
  const Rewrite broken{"break-shapes", [](Graph& graph, NodeId id) {
                         graph.value(graph.node(id).outputs[0]).shape = Shape{1, 2};
                         return RewriteOutcome::applied();
                       }};
  CaseBuilder builder(50);
  unary(builder, OpType::kTanh, builder.input({1, 4}));
  Graph graph = builder.build("broken").graph;
  expect_failure(run_rewrites(graph, {&broken, 1}), {"after break-shapes at TANH #0"});
}

TEST(RunRewrites, EndsWhenRewritesNeverSettle) {
  const Rewrite restless{"restless", [](Graph&, NodeId) { return RewriteOutcome::applied(); }};
  CaseBuilder builder(51);
  unary(builder, OpType::kTanh, builder.input({1, 4}));
  Graph graph = builder.build("restless").graph;
  const auto report = value_of(run_rewrites(graph, {&restless, 1}));
  EXPECT_EQ(report.applied.size(), 50u);
}

TEST(RunRewrites, RejectsABrokenGraph) {
  CaseBuilder builder(52);
  unary(builder, OpType::kTanh, builder.input({1, 4}));
  Graph graph = builder.build("broken").graph;
  graph.outputs = {99};
  expect_failure(run_rewrites(graph), {"before any rewrite"});
}

// Relative to the output range: folding rounds weights to float32 again, and sums are rounded at other points.
constexpr double kRelativeMax = 2e-5;

const char* const kModels[] = {
    "figure",
    "segmentation/mediapipe_selfie_segmenter_256",
    "segmentation/deeplabv3_257_mv_gpu",
    "segmentation/bodypix_float_050_8",
    "pose/blazepose_landmark_lite",
    "face/face_detection_short_range",
    "face/face_landmark_468_f16",
    "face/face_landmark_468_f32",
    "classify_detect/mobilenet_v1_0.25_224_float",
};

class RealModels : public ::testing::TestWithParam<const char*> {};

TEST_P(RealModels, AreUnchanged) {
  const std::vector<GoldenCase> cases = golden_cases_of(GetParam());
  if (cases.empty()) GTEST_SKIP() << no_case(GetParam());
  const auto model = value_of(Model::load(cases.front().model_file.string()));
  const auto inputs = value_of(load_inputs(cases.front()));
  const Graph& before = graph_of(*model);
  Graph after = before;
  const auto report = value_of(run_rewrites(after));

  std::map<std::string, int> applied;
  for (const RewriteReport::Entry& entry : report.applied) ++applied[entry.rewrite];
  std::printf("%s: %zu nodes, then %zu;", GetParam(), before.order().size(), after.order().size());
  for (const auto& [name, count] : applied) std::printf(" %s %d", name.c_str(), count);
  std::printf(" declined %zu\n", report.declined.size());
  EXPECT_LE(after.order().size(), before.order().size());

  const auto expected = value_of(ref::run(before, inputs));
  const auto got = value_of(ref::run(after, inputs));
  for (size_t i = 0; i < expected.size(); ++i) {
    const Comparison comparison = compare(expected[i], got[i]);
    std::printf("  output %zu: %s\n", i, to_string(comparison).c_str());
    EXPECT_LE(comparison.relative_max, kRelativeMax) << "output " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Float, RealModels, ::testing::ValuesIn(kModels), [](const auto& info) {
  std::string name = info.param;
  name = name.substr(name.find('/') + 1);
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
});

}  // namespace
}  // namespace sightglass::test
