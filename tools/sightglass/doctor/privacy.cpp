#include "doctor/privacy.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <regex>
#include <utility>

#include "base/secrets.h"

namespace sightglass::doctor {

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

void replace_words(std::string& text, const std::string& word, const std::string& replacement) {
  if (word.empty()) return;
  for (size_t at = 0; (at = text.find(word, at)) != std::string::npos;) {
    const size_t end = at + word.size();
    const bool whole = (at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]));
    if (whole) text.replace(at, word.size(), replacement);
    at += whole ? replacement.size() : 1;
  }
}

}  // namespace

PrivateWords private_words() {
  PrivateWords words;
  if (const char* home = std::getenv("HOME"); home != nullptr && std::string(home) != "/") words.home = home;
  while (words.home.ends_with('/')) words.home.pop_back();
  // NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread asks for users
  if (const passwd* user = ::getpwuid(::getuid()); user != nullptr) {
    words.user = user->pw_name;
    if (words.home.empty() && std::string(user->pw_dir) != "/") words.home = user->pw_dir;
  }
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) == 0) words.host = host.data();
  return words;
}

std::string without_private_words(std::string text, const PrivateWords& words) {
  text = without_secrets(std::move(text));
  replace_words(text, words.home, "~");
  static const std::regex other_homes("/home/[^/ :;,'\"]+"), run_folders("/run/user/[0-9]+");
  text = std::regex_replace(text, other_homes, "/home/USER");
  text = std::regex_replace(text, run_folders, "/run/user/UID");
  if (words.user != "root") replace_words(text, words.user, "USER");
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
