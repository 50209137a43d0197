// The plugin side of results_meta.h.
#pragma once

#include "meta/inference_results.h"
#include "sightglass/gst/results_meta.h"

namespace sightglass {

// Registers the type on the first call.
const GstMetaInfo* results_meta_info();
// Adds a meta that shares `results`; null on failure. The buffer must be writable.
SightglassResultsMeta* add_results_meta(GstBuffer* buffer, const SharedResults& results);

}  // namespace sightglass
