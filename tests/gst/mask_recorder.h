// Records which frames of an element have a mask attached.
#pragma once

#include <gst/gst.h>

#include <string>

#include "sightglass/gst/mask_meta.h"
#include "test_pipeline.h"

namespace sightglass::test {

// Appends 'm' to `seen` for each frame with a mask, and '-' for each other one. `seen` must outlive the data flow.
inline void record_masks(GstElement* element, std::string& seen) {
  on_buffers(element, "src",
             [&seen](GstBuffer* buffer) { seen += sightglass_buffer_get_mask_meta(buffer) != nullptr ? 'm' : '-'; });
}

}  // namespace sightglass::test
