// Compares PosenetDecoderOp with the reference, on maps of every size and with values that models never produce.
#include "graph/posenet.h"

#include "gpu_engine/internals.h"
#include "ops/op_test.h"
#include "sightglass/model.h"
#include "sightglass/plan.h"

namespace sightglass::test {
namespace {

using PosenetTest = OpTest;

struct Maps {
  int32_t rows = 5, columns = 7;
  PosenetDecoderAttr attr{20, 0.2f, 16, 20};
  bool masks = false;
  Fill scores = Fill::kUniform, offsets = Fill::kUniform;
};

OpCase posenet_case(const Maps& m, uint64_t seed) {
  CaseBuilder builder(seed);
  std::vector<ValueId> inputs;
  for (size_t i = 0; i < (m.masks ? 4u : 3u); ++i) {
    inputs.push_back(builder.input({1, m.rows, m.columns, posenet::kChannels[i]}, i == 0 ? m.scores : m.offsets));
  }
  builder.node_with(OpType::kPosenetDecoder, m.attr, inputs, m.masks ? 5 : 4);
  return builder.build("PosenetDecoderOp " + std::to_string(m.rows) + "x" + std::to_string(m.columns) + ", " +
                       std::to_string(m.attr.max_detections) + " poses" + (m.masks ? ", masks" : ""));
}

TEST_F(PosenetTest, Sizes) {
  uint64_t seed = 1;
  for (const auto& [rows, columns] : {std::pair{1, 1}, {1, 9}, {6, 1}, {3, 4}, {13, 16}, {23, 31}}) {
    for (const bool masks : {false, true})
      check(posenet_case({.rows = rows, .columns = columns, .masks = masks}, seed++));
  }
}

TEST_F(PosenetTest, NumbersOfPoses) {
  uint64_t seed = 100;
  for (const int32_t poses : {1, 3, 4, 5, 13, 64, 65, 128}) {
    check(posenet_case({.rows = 9, .columns = 8, .attr = {poses, 0.2f, 16, 3}, .masks = poses < 65}, seed++));
  }
}

TEST_F(PosenetTest, ThresholdsAndRadii) {
  uint64_t seed = 200;
  for (const float threshold : {-1.0f, 0.0f, 0.45f, 0.55f, 0.999f, 1.0f, 2.0f}) {
    for (const float radius : {0.0f, 30.0f, 1e6f}) {
      check(posenet_case({.attr = {10, threshold, 8, radius}, .masks = true}, seed++));
    }
  }
}

// Offsets that lead out of the map, scores whose exp() has no reciprocal, plateaus where every cell is a root.
TEST_F(PosenetTest, ExtremeNumbers) {
  uint64_t seed = 300;
  for (const Fill scores : {Fill::kZero, Fill::kLarge, Fill::kOneHot, Fill::kRamp}) {
    for (const Fill offsets : {Fill::kZero, Fill::kLarge, Fill::kTiny}) {
      check(posenet_case({.rows = 6, .columns = 5, .scores = scores, .offsets = offsets}, seed++));
    }
  }
}

TEST_F(PosenetTest, Bytes) {
  uint64_t seed = 400;
  for (const DataType type : {DataType::kUInt8, DataType::kInt8}) {
    for (const bool masks : {false, true}) {
      CaseBuilder builder(seed++);
      std::vector<ValueId> inputs;
      for (size_t i = 0; i < (masks ? 4u : 3u); ++i) {
        const float scale = i == 0 ? 0.02f : 0.015f;
        inputs.push_back(builder.input({1, 7, 9, posenet::kChannels[i]},
                                       Quantized{type, {scale}, type == DataType::kUInt8 ? 133 : 5}));
      }
      builder.node_with(OpType::kPosenetDecoder, PosenetDecoderAttr{20, 0.2f, 16, 20}, inputs, masks ? 5 : 4);
      check(builder.build(std::string("PosenetDecoderOp of ") + to_string(type)));
    }
  }
}

// As many cells as fit: each lane processes many words of roots.
TEST_F(PosenetTest, LargeMaps) { check(posenet_case({.rows = 61, .columns = 61, .attr = {12, 0.2f, 16, 40}}, 500)); }

TEST_F(PosenetTest, OversizedInputsAreRejectedByName) {
  for (const Maps& m : {Maps{.rows = 80, .columns = 80}, Maps{.attr = {257, 0.2f, 16, 20}}}) {
    const OpCase op = posenet_case(m, 600);
    const auto model = model_from_graph(op.graph);
    ASSERT_TRUE(model.ok()) << model.status().message();
    const auto plan = Plan::build(*model, device().limits, {});
    ASSERT_FALSE(plan.ok());
    EXPECT_NE(plan.status().message().find("PosenetDecoderOp"), std::string::npos) << plan.status().message();
    EXPECT_NE(plan.status().message().find("are supported"), std::string::npos) << plan.status().message();
  }
}

}  // namespace
}  // namespace sightglass::test
