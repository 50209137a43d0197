// The tracer zerocopy (GST_TRACERS=zerocopy): reports copies between CPU and GPU in any pipeline, by element. See
// docs/zero-copy.md.
#pragma once

#include <gst/gst.h>

namespace sightglass {

bool register_zero_copy_tracer(GstPlugin* plugin);

}  // namespace sightglass
