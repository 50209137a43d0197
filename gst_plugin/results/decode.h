// From the buffers that decoders leave on the GPU, as read back, to results.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "meta/inference_results.h"

namespace sightglass {

// Objects "person", from the bytes of Persons (pose/persons.h); those without points are none. Counts beyond what the
// buffer holds are cut, and what is missing at its end is not there. `skeleton` must live as long as the program.
std::vector<ResultObject> persons_of(std::span<const std::byte> bytes, const Skeleton& skeleton);

// From the bytes of Detections (detect/detections.h), in the same way. Classes beyond `labels` have no name. Points are
// as visible and present as the object is certain.
std::vector<ResultObject> detections_of(std::span<const std::byte> bytes, std::span<const std::string> labels);

}  // namespace sightglass
