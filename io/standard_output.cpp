#include "standard_output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

namespace sightglass {

int finish_output(const char* program, int status, int failed) {
  errno = 0;
  std::cout.flush();
  const bool flushed = std::fflush(stdout) == 0;
  if (flushed && std::ferror(stdout) == 0 && !std::cout.bad()) return status;
  std::fprintf(stderr, "%s: cannot write to standard output: %s\n", program,
               errno != 0 ? std::strerror(errno) : "an earlier write failed");
  return failed;
}

}  // namespace sightglass
