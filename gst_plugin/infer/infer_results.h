// Converts the GPU buffers of decoders, after readback, to results for applications.
#pragma once

#include <cstddef>
#include <span>

#include "infer/infer_model.h"
#include "meta/inference_results.h"

namespace sightglass {

// Returns objects or classifications from the bytes of Detections or LandmarkObjects, depending on the model task.
// Skips landmarks with a score below `threshold`. Does not set the frame.
InferenceResults infer_results(const InferModel& model, std::span<const std::byte> bytes, float threshold);

}  // namespace sightglass
