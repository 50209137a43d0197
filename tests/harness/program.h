// Runs programs and returns their output.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <source_location>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/words.h"

namespace sightglass::test {

struct CommandResult {
  int status = -1;
  std::string output;  // stdout and, unless it is redirected, stderr
};

// `text` as one word of a shell, whatever characters it has. Paths in lines need it: trees can be below `my code`.
inline std::string quoted(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

// Runs `line` in a shell. The status is -1 if it cannot run.
inline CommandResult run_program(const std::string& line) {
  CommandResult result;
  FILE* pipe = ::popen(line.c_str(), "r");
  if (pipe == nullptr) return result;
  std::array<char, 4096> buffer;
  while (const size_t read = std::fread(buffer.data(), 1, buffer.size(), pipe))
    result.output.append(buffer.data(), read);
  const int status = ::pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

// Returns the result of a program that exits with 0. Otherwise the test ends, and its failure has the output.
inline CommandResult succeeded(CommandResult result, std::source_location at = std::source_location::current()) {
  if (result.status == 0) return result;
  throw std::runtime_error(std::string(at.file_name()) + ":" + std::to_string(at.line()) + ": status " +
                           std::to_string(result.status) + ": " + result.output);
}

// Expects this exit status, and all words in the output. Returns the result.
inline CommandResult expect_output(CommandResult result, int status, const std::vector<std::string>& words,
                                   std::source_location at = std::source_location::current()) {
  const testing::ScopedTrace trace(at.file_name(), static_cast<int>(at.line()), "expect_output()");
  EXPECT_EQ(result.status, status) << result.output;
  expect_words(result.output, words, at);
  return result;
}

}  // namespace sightglass::test
