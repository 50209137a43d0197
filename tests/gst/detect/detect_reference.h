// A plain CPU decoder of single-shot detectors, for tests to compare with.
#pragma once

#include <vector>

#include "detect/ssd_decoder.h"
#include "detect/yolo_decoder.h"

namespace sightglass::test {

// The expected result of SsdDecoder::decode(), in its order.
std::vector<Detection> reference_ssd(const SsdLayout& layout, const std::vector<float>& boxes,
                                     const std::vector<float>& scores, const InputTransform& to_upright,
                                     const SsdChoice& choice);

// The expected result of YoloDecoder::decode(), in its order.
std::vector<Detection> reference_yolo(const YoloLayout& layout, const std::vector<float>& output,
                                      const InputTransform& to_upright, const SsdChoice& choice);

// The short-range BlazeFace detector: 896 anchors.
AnchorGrid short_range_face();

// Reads back the valid entries of a buffer of Detections (detect/detections.h).
std::vector<Detection> read_detections(const GlApi& gl, GLuint buffer);

}  // namespace sightglass::test
