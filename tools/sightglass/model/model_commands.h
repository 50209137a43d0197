// The subcommands for single models: options and dispatch.
#pragma once

#include <CLI/CLI.hpp>
#include <vector>

#include "common/command_line.h"

namespace sightglass {

// Adds `run`, `bench`, `check`, `dump`, `models`, and `operators`.
void add_model_commands(CLI::App& app, std::vector<Subcommand>& subcommands);

}  // namespace sightglass
