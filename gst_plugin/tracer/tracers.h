// The tracers, for the plugin that registers them: zerocopy (docs/zero-copy.md) and stagelatency (docs/latency.md).
#pragma once

#include <gst/gst.h>

namespace sightglass {

// The tracer zerocopy (GST_TRACERS=zerocopy): reports copies between CPU and GPU in any pipeline, by element. See
// docs/zero-copy.md.

bool register_zero_copy_tracer(GstPlugin* plugin);

// Tracer `stagelatency`: for every element of a pipeline, measures how long frames stay in it, and how late they are
// relative to their timestamps when they leave it (for sinks, when shown). Prints a table of medians and 99th
// percentiles to stderr when the tracer ends (gst_deinit()). docs/latency.md explains it.

bool register_stage_latency_tracer(GstPlugin* plugin);

}  // namespace sightglass
