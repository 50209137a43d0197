// Results as GStreamer analytics metadata, if GStreamer has it.
#pragma once

#include <gst/gst.h>

#include <array>

#include "meta/inference_results.h"

namespace sightglass {

// In frame pixels, clipped to the frame.
struct PixelBox {
  int32_t x = 0, y = 0, width = 0, height = 0;
};
PixelBox pixel_box(const std::array<float, 4>& box, int32_t width, int32_t height);

// Adds the analytics metadata described at attach_results() (results/delivery.h). Returns true if this build has none.
bool add_analytics(GstBuffer* buffer, const InferenceResults& results, int32_t width, int32_t height);

}  // namespace sightglass
