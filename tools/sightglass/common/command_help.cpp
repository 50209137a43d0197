#include "common/command_help.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "gpu_engine/files.h"
#include "known_models.h"

namespace sightglass {

// The options of the command, as the option parser knows them.
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

namespace {

// The words of a type such as "WORD:{blur,color}", which are removed from it.
std::vector<std::string> take_words(std::string& type) {
  std::vector<std::string> words;
  const size_t begin = type.find(":{"), end = type.rfind('}');
  if (begin == std::string::npos || end == std::string::npos) return words;
  std::string word;
  for (const char c : type.substr(begin + 2, end - begin - 2) + ",") {
    if (c != ',') {
      word += c;
    } else {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  type = "WORD";
  return words;
}

OptionFacts facts_of(const CLI::Option& option) {
  OptionFacts facts;
  facts.positional = option.get_lnames().empty();
  facts.name = facts.positional ? option.get_name(true) : "--" + option.get_lnames().front();
  facts.takes_value = option.get_items_expected_max() > 0;
  facts.value_optional = facts.takes_value && option.get_items_expected_min() == 0;
  facts.type = option.get_type_name();
  facts.words = take_words(facts.type);
  facts.type = facts.type.substr(0, facts.type.find(':'));  // without conditions, as in "INT:POSITIVE"
  facts.help = option.get_description();
  facts.group = option.get_group();
  return facts;
}

}  // namespace

CommandFacts facts_of(const CLI::App& app) {
  CommandFacts facts{app.get_name(), app.get_description(), {}, {}};
  for (const CLI::Option* option : app.get_options()) facts.options.push_back(facts_of(*option));
  for (const CLI::App* subcommand : app.get_subcommands([](const CLI::App*) { return true; })) {
    // An option group is a subcommand without a name; its options belong to the subcommand.
    if (!subcommand->get_name().empty()) {
      facts.subcommands.push_back(facts_of(*subcommand));
      continue;
    }
    for (const CLI::Option* option : subcommand->get_options()) facts.options.push_back(facts_of(*option));
  }
  return facts;
}

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

namespace {

// Escapes characters that the formatter would interpret. It reads ASCII only.
std::string troff(std::string text) {
  constexpr std::string_view kEllipsis = "…";
  for (size_t at = text.find(kEllipsis); at != std::string::npos; at = text.find(kEllipsis)) {
    text.replace(at, kEllipsis.size(), "...");
  }
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      if ((c == '.' || c == '\'') && out.empty()) out += "\\&";
      out += c;
    }
  }
  return out;
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

void write_option(std::ostringstream& out, const OptionFacts& option) {
  out << ".TP\n\\fB" << troff(option.name) << "\\fR";
  if (option.takes_value && !option.positional) {
    out << (option.value_optional ? "[=" : " ") << "\\fI" << troff(option.type) << "\\fR"
        << (option.value_optional ? "]" : "");
  }
  out << "\n" << troff(option.help);
  for (size_t i = 0; i < option.words.size(); ++i)
    out << (i == 0 ? ": \\fB" : ", \\fB") << troff(option.words[i]) << "\\fR";
  out << "\n";
}

void write_options(std::ostringstream& out, const CommandFacts& command) {
  std::string group;
  for (const OptionFacts& option : command.options) {
    if (option.group != group) out << ".SH " << upper(troff(option.group)) << "\n";
    group = option.group;
    write_option(out, option);
  }
}

}  // namespace

std::string manual_page(const CLI::App& app, const CLI::App* subcommand, const std::string& version) {
  const CommandFacts command = facts_of(subcommand != nullptr ? *subcommand : app);
  const std::string name = subcommand != nullptr ? "sightglass-" + command.name : command.name;
  std::ostringstream out;
  out << ".TH " << upper(troff(name)) << " 1 \"\" \"sightglass " << version << "\" \"Sightglass\"\n"
      << ".SH NAME\n"
      << troff(name) << " \\- " << troff(command.help) << "\n"
      << ".SH SYNOPSIS\n\\fBsightglass";
  if (subcommand != nullptr) out << " " << troff(command.name);
  out << "\\fR " << (command.subcommands.empty() ? "[OPTION]..." : "COMMAND [OPTION]...");
  for (const OptionFacts& option : command.options) {
    if (option.positional) out << " " << troff(option.name);
  }
  out << "\n";
  if (!command.subcommands.empty()) out << ".SH COMMANDS\n";
  for (const CommandFacts& part : command.subcommands) {
    out << ".TP\n\\fB" << troff(part.name) << "\\fR\n" << troff(part.help) << "\n";
    if (subcommand == nullptr) continue;
    for (const OptionFacts& option : part.options) {
      if (option.name != "--help") write_option(out, option);
    }
  }
  write_options(out, command);
  out << ".SH EXIT STATUS\n0: success. 1: failure; standard error names the cause. 2: wrong usage.\n";
  if (subcommand == nullptr) {
    out << ".SH SEE ALSO\n";
    for (const CommandFacts& part : command.subcommands) out << "\\fBsightglass\\-" << troff(part.name) << "\\fR(1), ";
    out << "\\fBgst\\-launch\\-1.0\\fR(1)\n";
  } else {
    out << ".SH SEE ALSO\n\\fBsightglass\\fR(1)\n";
  }
  return out.str();
}

namespace {

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const KnownModel& model : known_models()) {
    if (model.published.name != nullptr) names.emplace_back(model.published.name);
  }
  return names;
}

Status prepare(const std::vector<Subcommand>& subcommands) {
  for (const Subcommand& subcommand : subcommands) {
    if (subcommand.prepare) SIGHTGLASS_RETURN_IF_ERROR(subcommand.prepare());
  }
  return {};
}

struct ManualArguments {
  std::string name, folder;
};

Status write_pages(const CLI::App& app, const std::vector<Subcommand>& subcommands, const std::string& version,
                   const std::string& folder) {
  SIGHTGLASS_RETURN_IF_ERROR(write_output_file(folder + "/sightglass.1", manual_page(app, nullptr, version)));
  for (const Subcommand& subcommand : subcommands) {
    SIGHTGLASS_RETURN_IF_ERROR(write_output_file(folder + "/sightglass-" + subcommand.app->get_name() + ".1",
                                                 manual_page(app, subcommand.app, version)));
  }
  return {};
}

}  // namespace

void add_help_commands(CLI::App& app, std::vector<Subcommand>& subcommands, const std::string& version) {
  CLI::App* const completion =
      app.add_subcommand("completion", "Print a completion script: `source <(sightglass completion bash)`");
  const auto shell = std::make_shared<Shell>(Shell::kBash);
  add_choice<Shell>(*completion, "SHELL", *shell,
                    {{"bash", Shell::kBash}, {"zsh", Shell::kZsh}, {"fish", Shell::kFish}}, "The shell");
  subcommands.push_back({completion, [&app, &subcommands, shell] {
                           if (const Status status = prepare(subcommands); !status.ok()) return fail(status);
                           std::fputs(completion_script(app, *shell, model_names()).c_str(), stdout);
                           return kSucceeded;
                         }});
  CLI::App* const manual = app.add_subcommand("manual", "Print the manual page of the command, or of a subcommand");
  const auto arguments = std::make_shared<ManualArguments>();
  CLI::Option* const name = manual->add_option("COMMAND", arguments->name, "A subcommand");
  manual->add_option("--output", arguments->folder, "Write all pages to this directory: sightglass.1, sightglass-run.1")
      ->excludes(name);
  subcommands.push_back({manual, [&app, &subcommands, arguments, version] {
                           if (const Status status = prepare(subcommands); !status.ok()) return fail(status);
                           if (!arguments->folder.empty()) {
                             const Status written = write_pages(app, subcommands, version, arguments->folder);
                             return written.ok() ? kSucceeded : fail(written);
                           }
                           const CLI::App* chosen = nullptr;
                           for (const Subcommand& subcommand : subcommands) {
                             if (subcommand.app->get_name() == arguments->name) chosen = subcommand.app;
                           }
                           if (!arguments->name.empty() && chosen == nullptr) {
                             fail(invalid_argument(arguments->name + ": there is no such subcommand"));
                             return kUsage;
                           }
                           std::fputs(manual_page(app, chosen, version).c_str(), stdout);
                           return kSucceeded;
                         }});
}

}  // namespace sightglass
