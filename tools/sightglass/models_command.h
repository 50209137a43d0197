// `sightglass models`: published models by name, and their download.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace sightglass {

struct ModelsArguments {
  enum class Action { kList, kFetch, kInfo } action = Action::kList;
  std::vector<std::string> names;  // of kFetch
  bool all = false;                // of kFetch: all that have an address, instead of names
  std::string name;                // of kInfo
  int stall_seconds = 30, total_seconds = 3600;
  bool json = false;
};

CLI::App* add_models(CLI::App& app, ModelsArguments& arguments);
// Gives the exit status: 0, or 1 where a name is unknown or a download failed, which does not keep the others from it.
int models(const ModelsArguments& arguments);

}  // namespace sightglass
