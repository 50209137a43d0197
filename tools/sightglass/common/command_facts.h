// The options of the command, as the option parser knows them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace sightglass {

struct OptionFacts {
  std::string name;  // "--blur-radius"; the name of an argument: "MODEL"
  bool positional = false;
  bool takes_value = false;
  bool value_optional = false;
  std::string type;                // "NUMBER"
  std::vector<std::string> words;  // the only values; empty: any
  std::string help, group;
};

struct CommandFacts {
  std::string name, help;
  std::vector<OptionFacts> options;
  std::vector<CommandFacts> subcommands;
};

CommandFacts facts_of(const CLI::App& app);

}  // namespace sightglass
