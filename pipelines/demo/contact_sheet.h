// Writes a PNG that shows the input, mask, and result of a few frames side by side.
#pragma once

#include <string>
#include <vector>

#include "gpu_engine/status.h"
#include "options.h"
#include "playback.h"

namespace sightglass::demo {

// One column per sample; rows: input, mask, result. Columns are `column_width` pixels wide.
Status write_contact_sheet(const Options& options, const std::vector<Sample>& samples, int column_width,
                           const std::string& path);

}  // namespace sightglass::demo
