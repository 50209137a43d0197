// Runs programs and reads what they print.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gpu_engine/status.h"

namespace sightglass {

// Runs `arguments[0]` with the rest, and with the environment of this process but for `changes` (name, value). Gives
// its standard output; fails with what it wrote to its standard error when its exit status is not 0. Blocks.
Result<std::string> run_process(const std::vector<std::string>& arguments,
                                const std::vector<std::pair<std::string, std::string>>& changes);

}  // namespace sightglass
