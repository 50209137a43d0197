// Registration and creation of the meta in figure_meta.h, for the plugin.
#pragma once

#include "sightglass/gst/figure_meta.h"

namespace sightglass {

// Registration and creation of the meta in figure_meta.h, for the plugin.

// Registers the type on the first call.
const GstMetaInfo* figure_meta_info();
// Adds a meta with a reference to `mask`, which may be null, and without keypoints. The buffer must be writable.
SightglassFigureMeta* add_figure_meta(GstBuffer* buffer, GstBuffer* mask);

}  // namespace sightglass
