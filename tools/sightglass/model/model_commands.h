// The subcommands for single models: options and dispatch.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "common/command_line.h"

namespace sightglass {

// Adds `run`, `bench`, `check`, `dump`, `models`, and `operators`.
void add_model_commands(CLI::App& app, std::vector<Subcommand>& subcommands);

// `sightglass models`: known models by name, and their download.
struct ModelsArguments {
  enum class Action { kList, kFetch, kInfo } action = Action::kList;
  std::vector<std::string> names;  // for kFetch
  bool all = false;                // for kFetch: all models that have a source, instead of names
  bool all_default = false;        // for kFetch: the default models of the video subcommands, instead of names
  std::string name;                // for kInfo
  int stall_seconds = 30, total_seconds = 3600;
  bool json = false;
};

CLI::App* add_models(CLI::App& app, ModelsArguments& arguments);
// Returns the exit status: 0, or 1 if a name is unknown or a download failed. The other downloads continue.
int models(const ModelsArguments& arguments);

}  // namespace sightglass
