// From the buffers that decoders leave on the GPU, as read back, to results for applications.
#pragma once

#include <cstddef>
#include <span>

#include "infer/infer_model.h"
#include "meta/inference_results.h"

namespace sightglass {

// From the bytes of Detections or LandmarkObjects, by the model's task: objects or classifications. Landmarks with less
// than `threshold` are none. The frame is left as it is.
InferenceResults infer_results(const InferModel& model, std::span<const std::byte> bytes, float threshold);

}  // namespace sightglass
