// Tracer `stagelatency`: for every element of a pipeline, how long frames stay in it and how far they are behind their
// timestamps when they leave it; for sinks, when they have been shown. Medians and 99th percentiles, as a table on
// stderr when the tracer ends (gst_deinit()). docs/latency.md says how to read it.
#pragma once

#include <gst/gst.h>

namespace sightglass {

bool register_stage_latency_tracer(GstPlugin* plugin);

}  // namespace sightglass
