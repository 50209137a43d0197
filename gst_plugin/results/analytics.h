// Results as GStreamer's own analytics metadata, where GStreamer has it.
#pragma once

#include <gst/gst.h>

#include <array>

#include "meta/inference_results.h"

namespace sightglass {

// In pixels of the picture, clipped to it.
struct PixelBox {
  int32_t x = 0, y = 0, width = 0, height = 0;
};
PixelBox pixel_box(const std::array<float, 4>& box, int32_t width, int32_t height);

// What attach_results() says (results/delivery.h); true where this build has no analytics metadata.
bool add_analytics(GstBuffer* buffer, const InferenceResults& results, int32_t width, int32_t height);

}  // namespace sightglass
