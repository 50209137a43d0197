// The filter "Sightglass background".
#pragma once

#include <obs.h>

namespace sightglass::obs {

inline constexpr const char* kSegmentFilterId = "sightglass_segment_filter";

// Call it once, when the module is loaded.
void register_segment_filter();

}  // namespace sightglass::obs
