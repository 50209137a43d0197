// Completion scripts and manual pages, from the options of the command: nothing is listed a second time.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "common/command_line.h"

namespace sightglass {

enum class Shell { kBash, kZsh, kFish };
// For the file that the shell loads. `models` are suggested for --model and for arguments named MODEL.
std::string completion_script(const CLI::App& app, Shell shell, const std::vector<std::string>& models);

// A page in the man macros: of the command, or of one subcommand.
std::string manual_page(const CLI::App& app, const CLI::App* subcommand, const std::string& version);

// Adds `completion` and `manual`. Both need the options of all subcommands, and call their `prepare` first.
void add_help_commands(CLI::App& app, std::vector<Subcommand>& subcommands, const std::string& version);

}  // namespace sightglass
