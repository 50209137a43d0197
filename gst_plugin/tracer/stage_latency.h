// Tracer `stagelatency`: for every element of a pipeline, measures how long frames stay in it, and how late they are
// relative to their timestamps when they leave it (for sinks, when shown). Prints a table of medians and 99th
// percentiles to stderr when the tracer ends (gst_deinit()). docs/latency.md explains it.
#pragma once

#include <gst/gst.h>

namespace sightglass {

bool register_stage_latency_tracer(GstPlugin* plugin);

}  // namespace sightglass
