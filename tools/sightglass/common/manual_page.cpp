#include <cctype>
#include <sstream>
#include <string_view>

#include "common/command_facts.h"
#include "common/command_help.h"

namespace sightglass {

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

}  // namespace sightglass
