// `sightglass doctor`: examines this machine, lists problems, and chooses settings that hold 30 frames per second.
#pragma once

#include <CLI/CLI.hpp>
#include <vector>

#include "common/command_line.h"

namespace sightglass::doctor {

void add_doctor_command(CLI::App& app, std::vector<Subcommand>& subcommands);

}  // namespace sightglass::doctor
