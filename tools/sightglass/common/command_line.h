// What all subcommands of the `sightglass` command share: exit statuses, error messages, and options.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/secrets.h"
#include "sightglass/status.h"

namespace sightglass {

constexpr int kSucceeded = 0, kFailed = 1, kUsage = 2;

struct Subcommand {
  CLI::App* app = nullptr;               // of the parser, which owns it
  std::function<int()> run;              // returns the exit status
  int unwritten = kFailed;               // exit status if standard output could not be written
  std::function<Status()> prepare = {};  // adds options that need GStreamer; called before parsing; may be empty
};

// Reports an error on one line and returns its exit status.
inline int fail(const Status& status) {
  std::fprintf(stderr, "sightglass: %s\n", without_secrets(status.message()).c_str());
  return kFailed;
}

// An option that takes one of a few words and maps it to a value.
template <typename T>
void add_choice(CLI::App& app, const std::string& name, T& target, const std::map<std::string, T>& choices,
                const std::string& help) {
  std::vector<std::string> words;
  words.reserve(choices.size());
  for (const auto& [word, value] : choices) words.push_back(word);
  app.add_option_function<std::string>(
         name, [&target, choices](const std::string& word) { target = choices.at(word); }, help)
      ->check(CLI::IsMember(words));
}

}  // namespace sightglass
