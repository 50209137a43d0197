// Runs programs and returns their output.
#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

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

}  // namespace sightglass::test
