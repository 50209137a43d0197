#include "standard_output.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

namespace sightglass::test {
namespace {

// The exit status of a process that prints to `path`.
int status_of_printing_to(const char* path) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    if (std::freopen(path, "w", stdout) == nullptr) _exit(100);
    std::printf("line\n");
    std::cout << "another\n";
    _exit(finish_output("test", 3, 7));
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(StandardOutput, UnwrittenOutputIsAFailure) {
  EXPECT_EQ(status_of_printing_to("/dev/null"), 3);
  EXPECT_EQ(status_of_printing_to("/dev/full"), 7);
}

}  // namespace
}  // namespace sightglass::test
