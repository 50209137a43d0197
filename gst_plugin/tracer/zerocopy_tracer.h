// The tracer zerocopy (GST_TRACERS=zerocopy): what any pipeline copies between CPU and GPU, by element.
// docs/zero-copy.md.
#pragma once

#include <gst/gst.h>

namespace sightglass {

bool register_zero_copy_tracer(GstPlugin* plugin);

}  // namespace sightglass
