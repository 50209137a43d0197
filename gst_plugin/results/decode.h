// Converts the GPU buffers of decoders, after readback, to results.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "meta/inference_results.h"

namespace sightglass {

// Returns "person" objects from the bytes of Persons (meta/persons.h); skips those without points. Clamps counts to the
// capacity; missing bytes at the end count as zero. `skeleton` must live as long as the process.
std::vector<ResultObject> persons_of(std::span<const std::byte> bytes, const Skeleton& skeleton);

// The same from the bytes of Detections (detect/detections.h). Classes beyond `labels` have no label. The score of the
// object is the visibility and presence of its points.
std::vector<ResultObject> detections_of(std::span<const std::byte> bytes, std::span<const std::string> labels);

}  // namespace sightglass
