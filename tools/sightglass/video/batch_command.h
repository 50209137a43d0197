// `sightglass batch`: many files, one after the other.
#pragma once

#include <CLI/CLI.hpp>
#include <vector>

#include "common/command_line.h"

namespace sightglass::video {

void add_batch_command(CLI::App& app, std::vector<Subcommand>& subcommands);

}  // namespace sightglass::video
