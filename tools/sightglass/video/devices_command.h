// `sightglass devices`: the cameras of this machine.
#pragma once

#include <CLI/CLI.hpp>
#include <vector>

#include "common/command_line.h"

namespace sightglass::video {

void add_devices_command(CLI::App& app, std::vector<Subcommand>& subcommands);

}  // namespace sightglass::video
