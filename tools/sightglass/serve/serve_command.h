// The subcommand `serve`.
#pragma once

#include <CLI/CLI.hpp>
#include <vector>

#include "common/command_line.h"

namespace sightglass::serve {

void add_serve_command(CLI::App& app, std::vector<Subcommand>& subcommands);

}  // namespace sightglass::serve
