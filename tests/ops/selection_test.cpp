// Operators that select: TFLite_Detection_PostProcess, PosenetDecoderOp on maps of every size and with values that
// models never produce, and the largest elements of every row.
#include "gpu_engine/internals.h"
#include "graph/posenet.h"
#include "harness/value_of.h"
#include "ops/op_test.h"
#include "sightglass/model.h"
#include "sightglass/plan.h"

namespace sightglass::test {
namespace {

using DetectionTest = OpTest;

struct Detector {
  int32_t boxes = 10, classes = 3, numbers = 4;
  bool background = true;
  DetectionAttr attr;
  Fill scores = Fill::kPositive;
};

OpCase detector_case(Detector d, uint64_t seed) {
  CaseBuilder builder(seed);
  d.attr.classes = d.classes;
  d.attr.iou_threshold = d.attr.iou_threshold > 0 ? d.attr.iou_threshold : 0.3f;
  const ValueId boxes = builder.input({1, d.boxes, d.numbers});
  const ValueId scores = builder.input({1, d.boxes, d.classes + (d.background ? 1 : 0)}, d.scores);
  const ValueId anchors = builder.constant({d.boxes, 4}, Fill::kPositive);
  builder.node_with(OpType::kDetectionPostprocess, d.attr, {boxes, scores, anchors}, detection::kOutputs);
  return builder.build(std::string(d.attr.regular ? "regular" : "fast") + " detection of " + std::to_string(d.boxes) +
                       " boxes, " + std::to_string(d.classes) + " classes, " + std::to_string(d.attr.max_detections) +
                       " detections");
}

DetectionAttr attributes(int32_t detections, bool regular = false, int32_t max_classes = 1) {
  DetectionAttr attr;
  attr.max_detections = detections;
  attr.max_classes = max_classes;
  attr.regular = regular;
  attr.per_class = 7;
  attr.score_threshold = 0.25f;
  attr.y_scale = attr.x_scale = 10;
  attr.h_scale = attr.w_scale = 5;
  return attr;
}

TEST_F(DetectionTest, Fast) {
  uint64_t seed = 1;
  for (const int32_t boxes : {1, 5, 32, 33, 300, 4100}) {
    for (const int32_t classes : {1, 3, 4, 13}) {
      check(detector_case({.boxes = boxes, .classes = classes, .attr = attributes(10)}, seed++));
    }
  }
  check(detector_case({.boxes = 50, .background = false, .attr = attributes(3)}, seed++));
  check(detector_case({.boxes = 50, .numbers = 7, .attr = attributes(100)}, seed++));
}

TEST_F(DetectionTest, SeveralClassesPerBox) {
  uint64_t seed = 100;
  for (const int32_t listed : {2, 3, 5}) {
    check(detector_case({.boxes = 60, .classes = 4, .attr = attributes(9, false, listed)}, seed++));
  }
}

TEST_F(DetectionTest, Regular) {
  uint64_t seed = 200;
  for (const int32_t boxes : {1, 5, 33, 300}) {
    for (const int32_t classes : {1, 4, 13}) {
      check(detector_case({.boxes = boxes, .classes = classes, .attr = attributes(20, true)}, seed++));
    }
  }
  check(detector_case({.boxes = 40, .attr = attributes(50, true, 2)}, seed++));
}

// With equal scores, the order of the boxes decides. With no score above the threshold, the list is empty.
TEST_F(DetectionTest, TiesAndEmptyResults) {
  for (const bool regular : {false, true}) {
    Detector ties{.boxes = 300, .attr = attributes(10, regular), .scores = Fill::kZero};
    ties.attr.score_threshold = 0;
    check(detector_case(ties, 300));
    check(detector_case({.boxes = 300, .attr = attributes(10, regular), .scores = Fill::kZero}, 301));
  }
}

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
    const auto model = value_of(model_from_graph(op.graph));
    expect_failure(Plan::build(model, device().limits, {}), {"PosenetDecoderOp", "are supported"});
  }
}

using TopKTest = OpTest;

TEST_F(TopKTest, ShapesAndEqualValues) {
  uint64_t seed = 1;
  for (const Shape& shape : {Shape{1}, {7}, {3, 5}, {2, 3, 13}, {2, 9, 8, 4}, {2, 3, 4, 3, 6}, {1, 1001}, {70, 65}}) {
    const int32_t count = shape.dim(shape.rank() - 1);
    for (const int32_t k : {1, (count + 1) / 2, count}) {
      for (const DataType type : {DataType::kFloat32, DataType::kInt32, DataType::kInt64}) {
        for (const Fill data :
             {Fill::kWide, Fill::kZero, Fill::kRamp}) {  // the first one, as integers, has many equal values
          CaseBuilder builder(seed++);
          builder.node_with(OpType::kTopK, TopKAttr{k}, {builder.input(shape, data, type)}, 2);
          check(builder.build(std::string(to_string(type)) + " TOPK_V2 " + std::to_string(k) + " of " +
                              shape.to_string()),
                false, kExact);
        }
      }
    }
  }
}

TEST_F(TopKTest, QuantizedElementsAreUnchanged) {
  for (const DataType type : {DataType::kInt8, DataType::kUInt8, DataType::kInt16}) {
    CaseBuilder builder(400);
    const Quantized quantized{type, {0.05f}, type == DataType::kInt16 ? 0 : 9};
    const ValueId in = builder.input({2, 3, 13}, quantized);
    const ValueId values = builder.node_with(OpType::kTopK, TopKAttr{6}, {in}, 2)[0];
    OpCase op = builder.build(std::string(to_string(type)) + " TOPK_V2");
    op.graph.value(values).quantization = op.graph.value(in).quantization;
    check(op, false, kExact);
  }
}

TEST_F(TopKTest, NegativeValuesPrecedeUnusedLanes) {
  CaseBuilder builder(500);
  const ValueId negative = builder.node(OpType::kNeg, {}, {builder.input({2, 5}, Fill::kPositive)});
  builder.node_with(OpType::kTopK, TopKAttr{5}, {negative}, 2);
  check(builder.build("TOPK_V2 below zero"), false, kExact);
}

}  // namespace
}  // namespace sightglass::test
