#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <regex>
#include <system_error>
#include <utility>

#include "base/secrets.h"
#include "doctor/judge.h"

namespace sightglass::doctor {

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

enum class Words { kEverywhere, kInPaths };

void replace_words(std::string& text, const std::string& word, const std::string& replacement,
                   Words words = Words::kEverywhere) {
  if (word.empty()) return;
  for (size_t at = 0; (at = text.find(word, at)) != std::string::npos;) {
    const size_t end = at + word.size();
    const bool whole = (at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]));
    const bool replaced = whole && (words == Words::kEverywhere || (at > 0 && text[at - 1] == '/'));
    if (replaced) text.replace(at, word.size(), replacement);
    at += replaced ? replacement.size() : 1;
  }
}

// Adds a home directory in its forms in paths. Directories that every system has are homes of services, not of people.
void add_home(std::vector<std::string>& homes, std::string home) {
  while (home.ends_with('/')) home.pop_back();
  static const std::regex of_services("(/(bin|dev|etc|lib|nonexistent|opt|proc|run|sbin|srv|sys|tmp|usr|var)(/.*)?)?");
  if (std::regex_match(home, of_services)) return;
  homes.push_back(home);
  std::error_code error;
  if (const auto resolved = std::filesystem::canonical(home, error); !error) homes.push_back(resolved);
}

std::vector<std::string> homes_of_others(uid_t self) {
  std::vector<std::string> homes;
  ::setpwent();
  // NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread asks for users
  while (const passwd* user = ::getpwent()) {
    const bool person = user->pw_uid == 0 || user->pw_uid >= 1000;
    if (person && user->pw_uid != self) add_home(homes, user->pw_dir);
  }
  ::endpwent();
  return homes;
}

// Longer ones first: one can contain another.
void replace_all(std::string& text, std::vector<std::string> words, const std::string& replacement) {
  std::ranges::sort(words, std::ranges::greater(), &std::string::size);
  for (const std::string& word : words) replace_words(text, word, replacement);
}

}  // namespace

PrivateWords private_words() {
  PrivateWords words;
  // Not add_home(): whatever the user has chosen is private.
  if (const char* home = std::getenv("HOME"); home != nullptr) {
    std::string chosen = home;
    while (chosen.ends_with('/')) chosen.pop_back();
    if (!chosen.empty()) words.homes.push_back(chosen);
    add_home(words.homes, chosen);
  }
  // NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread asks for users
  if (const passwd* user = ::getpwuid(::getuid()); user != nullptr) {
    words.user = user->pw_name;
    add_home(words.homes, user->pw_dir);
  }
  words.other_homes = homes_of_others(::getuid());
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) == 0) words.host = host.data();
  return words;
}

std::string without_private_words(std::string text, const PrivateWords& words) {
  text = without_secrets(std::move(text));
  replace_all(text, words.homes, "~");
  replace_all(text, words.other_homes, "/home/USER");
  static const std::regex below_home("/home/[^/ :;,'\"]+"), run_folders("/run/user/[0-9]+");
  text = std::regex_replace(text, below_home, "/home/USER");
  text = std::regex_replace(text, run_folders, "/run/user/UID");
  replace_words(text, words.user, "USER", words.user == "root" ? Words::kInPaths : Words::kEverywhere);
  if (words.host != "localhost") replace_words(text, words.host, "HOST");
  return text;
}

std::string without_serials(const std::string& name) {
  std::string text;
  for (size_t at = 0; at < name.size();) {
    size_t end = at;
    while (end < name.size() && is_word(name[end])) ++end;
    const std::string word = name.substr(at, std::max<size_t>(end - at, 1));
    const auto digits = std::ranges::count_if(word, [](unsigned char c) { return std::isdigit(c) != 0; });
    text += word.size() >= 8 && digits >= 4 ? "…" : word;
    at += word.size();
  }
  return text;
}

}  // namespace sightglass::doctor
