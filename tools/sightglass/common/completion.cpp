#include <sstream>

#include "common/command_facts.h"
#include "common/command_help.h"

namespace sightglass {

namespace {

using Words = std::vector<std::string>;

std::string joined(const Words& words, const char* separator = " ") {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : separator) + word;
  return text;
}

// For text within single quotes in a shell, with `remove` left out.
std::string quoted(const std::string& text, const std::string& remove = {}) {
  std::string out;
  for (const char c : text) {
    if (remove.find(c) != std::string::npos) continue;
    out += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return out;
}

// The suggestions for a value; empty: files.
Words values_of(const OptionFacts& option, const Words& models) {
  return option.name == "--model" || option.name == "MODEL" ? models : option.words;
}

Words option_names(const CommandFacts& command) {
  Words names;
  for (const OptionFacts& option : command.options) {
    if (!option.positional) names.push_back(option.name);
  }
  return names;
}

Words names_of(const std::vector<CommandFacts>& commands) {
  Words names;
  for (const CommandFacts& command : commands) names.push_back(command.name);
  return names;
}

// Suggestions for arguments that are no options.
Words argument_values(const CommandFacts& command, const Words& models) {
  Words values = names_of(command.subcommands);
  for (const OptionFacts& option : command.options) {
    if (option.positional && values.empty()) values = values_of(option, models);
  }
  return values;
}

std::string bash_script(const CommandFacts& command, const Words& models) {
  std::ostringstream out;
  out << "# bash completion for sightglass\n"
         "_sightglass() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command= options= words= i\n"
         "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
         "    case ${COMP_WORDS[i]} in\n      "
      << joined(names_of(command.subcommands), "|")
      << ") command=${COMP_WORDS[i]}; break ;;\n"
         "    esac\n"
         "  done\n"
         "  compopt -o filenames 2>/dev/null\n"
         "  case $command in\n"
         "    '') COMPREPLY=($(compgen -W '"
      << joined(names_of(command.subcommands)) << " " << joined(option_names(command))
      << "' -- \"$current\")); return ;;\n";
  for (const CommandFacts& subcommand : command.subcommands) {
    out << "    " << subcommand.name << ")\n      options='" << joined(option_names(subcommand)) << "'\n"
        << "      words='" << joined(argument_values(subcommand, models)) << "'\n"
        << "      case $previous in\n";
    for (const OptionFacts& option : subcommand.options) {
      const Words values = values_of(option, models);
      if (option.positional || !option.takes_value || option.value_optional) continue;
      out << "        " << option.name << ") COMPREPLY=(";
      if (!values.empty()) out << "$(compgen -W '" << joined(values) << "' -- \"$current\")";
      if (values.empty() || option.words.empty()) out << (values.empty() ? "" : " ") << "$(compgen -f -- \"$current\")";
      out << "); return ;;\n";
    }
    out << "      esac ;;\n";
  }
  out << "  esac\n"
         "  if [[ $current == -* ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$options\" -- \"$current\"))\n"
         "  else\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\") $(compgen -f -- \"$current\"))\n"
         "  fi\n"
         "}\n"
         "complete -F _sightglass sightglass\n";
  return out.str();
}

std::string zsh_script(const CommandFacts& command, const Words& models) {
  std::ostringstream out;
  out << "#compdef sightglass\n"
         "_sightglass() {\n"
         "  local -a commands\n"
         "  commands=(\n";
  for (const CommandFacts& subcommand : command.subcommands) {
    out << "    '" << subcommand.name << ":" << quoted(subcommand.help, ":") << "'\n";
  }
  out << "  )\n"
         "  if ((CURRENT == 2)); then _describe command commands; return; fi\n"
         "  local name=$words[2]\n"
         "  shift words; ((CURRENT--))\n"
         "  case $name in\n";
  for (const CommandFacts& subcommand : command.subcommands) {
    out << "    " << subcommand.name << ")\n      _arguments";
    for (const OptionFacts& option : subcommand.options) {
      const Words values = values_of(option, models);
      const std::string action = values.empty() ? "_files" : "(" + joined(values) + ")";
      out << " \\\n        '";
      if (option.positional) {
        out << "*:" << option.name << ":" << action << "'";
        continue;
      }
      out << option.name << "[" << quoted(option.help, "[]:") << "]";
      if (option.takes_value) out << (option.value_optional ? "::" : ":") << option.type << ":" << action;
      out << "'";
    }
    const Words actions = names_of(subcommand.subcommands);
    if (!actions.empty()) out << " \\\n        '1:command:(" << joined(actions) << ")'";
    out << " ;;\n";
  }
  out << "  esac\n"
         "}\n"
         "# Called by the completion system, or read by `source`.\n"
         "if [[ $funcstack[1] == _sightglass ]]; then _sightglass \"$@\"; else compdef _sightglass sightglass; fi\n";
  return out.str();
}

std::string fish_script(const CommandFacts& command, const Words& models) {
  std::ostringstream out;
  out << "# fish completion for sightglass\n";
  for (const CommandFacts& subcommand : command.subcommands) {
    out << "complete -c sightglass -n __fish_use_subcommand -f -a " << subcommand.name << " -d '"
        << quoted(subcommand.help) << "'\n";
    const std::string condition = "complete -c sightglass -n '__fish_seen_subcommand_from " + subcommand.name + "'";
    const Words arguments = argument_values(subcommand, models);
    if (!arguments.empty()) out << condition << " -a '" << joined(arguments) << "'\n";
    for (const OptionFacts& option : subcommand.options) {
      if (option.positional) continue;
      out << condition << " -l " << option.name.substr(2);
      // -x suggests no files.
      if (option.takes_value && !option.value_optional) out << (option.words.empty() ? " -r" : " -x");
      const Words values = values_of(option, models);
      if (!values.empty()) out << " -a '" << joined(values) << "'";
      out << " -d '" << quoted(option.help) << "'\n";
    }
  }
  return out.str();
}

}  // namespace

std::string completion_script(const CLI::App& app, Shell shell, const std::vector<std::string>& models) {
  const CommandFacts command = facts_of(app);
  switch (shell) {
    case Shell::kBash:
      return bash_script(command, models);
    case Shell::kZsh:
      return zsh_script(command, models);
    case Shell::kFish:
      return fish_script(command, models);
  }
  return {};
}

}  // namespace sightglass
