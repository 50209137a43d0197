// Texts that have all of some words.
#pragma once

#include <gtest/gtest.h>

#include <source_location>
#include <string>
#include <vector>

namespace sightglass::test {

// The failure has the place of the call, the text, and the words that it lacks.
inline void expect_words(const std::string& text, const std::vector<std::string>& words,
                         std::source_location at = std::source_location::current()) {
  for (const std::string& word : words) {
    if (text.find(word) != std::string::npos) continue;
    ADD_FAILURE_AT(at.file_name(), static_cast<int>(at.line())) << "no '" << word << "' in: " << text;
  }
}

}  // namespace sightglass::test
