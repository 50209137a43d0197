// Parses "NAME=1x256x256x3" from the command line.
#pragma once

#include <string_view>

#include "sightglass/model.h"
#include "sightglass/status.h"

namespace sightglass {

Result<InputShape> parse_input_shape(std::string_view text);

}  // namespace sightglass
