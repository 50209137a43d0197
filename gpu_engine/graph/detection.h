// Operands of TFLite_Detection_PostProcess.
#pragma once

#include <cstddef>

namespace sightglass::detection {

// Inputs: box offsets from anchors [1, boxes, 4 or more]: y, x, height, width; scores [1, boxes, classes, optionally
// preceded by a background score]; anchors [boxes, 4]: center y and x, height, width.
inline constexpr size_t kBoxes = 0, kScores = 1, kAnchors = 2;
// Outputs: corners [1, detections, 4]: ymin, xmin, ymax, xmax; classes and scores [1, detections]; their number [1].
inline constexpr size_t kOutBoxes = 0, kOutClasses = 1, kOutScores = 2, kOutNumber = 3, kOutputs = 4;

}  // namespace sightglass::detection
