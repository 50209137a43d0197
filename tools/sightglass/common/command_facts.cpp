#include "common/command_facts.h"

namespace sightglass {

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

}  // namespace sightglass
