// Decoding of single-shot detectors on the CPU, written down plainly, for tests to compare with.
#pragma once

#include <vector>

#include "detect/ssd_decoder.h"

namespace sightglass::test {

// What SsdDecoder::decode() leaves, in its order.
std::vector<Detection> reference_ssd(const SsdLayout& layout, const std::vector<float>& boxes,
                                     const std::vector<float>& scores, const InputTransform& to_upright,
                                     const SsdChoice& choice);

// BlazeFace's short range detector: 896 anchors.
AnchorGrid short_range_face();

// Reads a buffer of Detections (detect/detections.h) back: those that there are.
std::vector<Detection> read_detections(const GlApi& gl, GLuint buffer);

}  // namespace sightglass::test
