// Running programs, and what they say.
#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

namespace sightglass::test {

struct CommandResult {
  int status = -1;
  std::string output;  // stdout and, unless it was sent elsewhere, stderr
};

// `line` is for the shell; status is -1 where it cannot be run.
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
