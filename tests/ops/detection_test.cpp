// TFLite_Detection_PostProcess.
#include "graph/detection.h"

#include "ops/op_test.h"

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

}  // namespace
}  // namespace sightglass::test
