#include "common/standard_descriptors.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace sightglass {

namespace {

// Whether the access mode of the descriptor includes `wanted`, which is O_RDONLY or O_WRONLY.
bool allows(int descriptor, int wanted) {
  const int flags = ::fcntl(descriptor, F_GETFL);
  if (flags < 0) return false;
  const int mode = flags & O_ACCMODE;
  return mode == O_RDWR || mode == wanted;
}

}  // namespace

void open_standard_descriptors() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    // open() returns the lowest free number, which is this one. The mode makes each use of it an error, as before.
    const int opened = ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (opened >= 0 && opened != descriptor) ::close(opened);
  }
}

Status check_standard_input() {
  if (allows(STDIN_FILENO, O_RDONLY)) return {};
  return invalid_argument("-: standard input is closed; redirect it from a file or a pipe");
}

Status check_standard_output() {
  if (allows(STDOUT_FILENO, O_WRONLY)) return {};
  return invalid_argument("-: standard output is closed; redirect it to a file or a pipe");
}

}  // namespace sightglass
