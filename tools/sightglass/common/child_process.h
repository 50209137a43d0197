// Runs programs and reads their output.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sightglass/status.h"

namespace sightglass {

// The exit status with which env, timeout, and shells report that they cannot find the program to run. Their messages
// depend on the language of the user.
inline constexpr int kProgramMissing = 127;

// Runs `arguments[0]` with the remaining arguments, in the environment of this process except for `changes` (name,
// value). Returns its standard output. If its exit status is not 0, fails with its standard error; with kNotFound if it
// is kProgramMissing. Blocks.
Result<std::string> run_process(const std::vector<std::string>& arguments,
                                const std::vector<std::pair<std::string, std::string>>& changes);

}  // namespace sightglass
