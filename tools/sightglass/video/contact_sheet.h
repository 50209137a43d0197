// Writes a PNG that shows a few frames, and what elements make of them, side by side.
#pragma once

#include <string>
#include <vector>

#include "sightglass/status.h"
#include "video/frame_samples.h"

namespace sightglass::video {

// One column per sample, and one row per element: in gst-launch syntax, with system memory as input and output.
Status write_contact_sheet(const std::vector<SamplePtr>& samples, const std::vector<std::string>& elements,
                           const std::string& path);

}  // namespace sightglass::video
