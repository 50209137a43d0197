// Writes a PNG that shows the input, mask, and result of a few frames side by side.
#pragma once

#include <string>
#include <vector>

#include "options.h"
#include "playback.h"
#include "sightglass/status.h"

namespace sightglass::demo {

// One column per sample; rows: input, mask, result. Columns are `column_width` pixels wide.
Status write_contact_sheet(const Options& options, const std::vector<Sample>& samples, int column_width,
                           const std::string& path);

}  // namespace sightglass::demo
