// Measures glsegment without its model.
#pragma once

#include "sightglass/status.h"

namespace sightglass::doctor {

// Milliseconds of GPU time that glsegment with its default settings takes for a 1280x720 frame on which the model does
// not run. Runs a pipeline with the bundled model. Requires that GStreamer is initialized. Fails if the pipeline does.
Result<double> measure_composite();

}  // namespace sightglass::doctor
