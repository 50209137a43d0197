#include "fake_settings.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>

#include "fake_faults.h"

namespace sightglass::fake_driver {
namespace {

Settings current;

bool read_number(std::string_view word, std::string_view name, int& number) {
  if (!word.starts_with(name)) return false;
  word.remove_prefix(name.size());
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size();
}

}  // namespace

Settings parse_settings(std::string_view text) {
  Settings parsed;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (word == "nvidia") {
      parsed.nvidia = true;
    } else if (word == "reorder") {
      parsed.reorder = true;
    } else if (word == "late-fences") {
      parsed.late_fences = true;
    } else if (word == "messages") {
      parsed.messages = true;
    } else if (!read_number(word, "lost-at=", parsed.lost_at) &&
               !read_number(word, "no-memory-at=", parsed.no_memory_at)) {
      std::fprintf(stderr, "SIGHTGLASS_FAKE_DRIVER: unknown word '%.*s'\n", static_cast<int>(word.size()), word.data());
      std::abort();
    }
  }
  return parsed;
}

const Settings& settings() { return current; }

void read_settings() {
  const char* text = std::getenv("SIGHTGLASS_FAKE_DRIVER");
  current = parse_settings(text != nullptr ? text : "");
  begin_faults();
}

}  // namespace sightglass::fake_driver
