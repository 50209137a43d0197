#include "part_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "gpu_engine/output_file.h"

namespace sightglass {

namespace {

int lock(int file, int how) {
  int result = 0;
  do {
    result = ::flock(file, how);
  } while (result != 0 && errno == EINTR);
  return result;
}

// Whether the path still names the file: another process may have renamed or deleted it before the lock was acquired.
bool is_at(int file, const std::string& path) {
  struct stat open {
  }, named{};
  return ::fstat(file, &open) == 0 && ::stat(path.c_str(), &named) == 0 && open.st_dev == named.st_dev &&
         open.st_ino == named.st_ino;
}

}  // namespace

Result<PartFile> PartFile::open(const std::string& path, const std::function<void()>& waiting) {
  constexpr mode_t kMode = 0644;
  bool told = false;
  while (true) {
    PartFile part(path, ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, kMode));
    if (part.file_ < 0) return part.failure("write");
    struct stat status {};
    if (::fstat(part.file_, &status) != 0) return part.failure("write");
    if (!S_ISREG(status.st_mode)) return invalid_argument("cannot write " + path + ": it is not a regular file");
    if (lock(part.file_, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) return part.failure("lock");
      if (!told && waiting) waiting();
      told = true;
      if (lock(part.file_, LOCK_EX) != 0) return part.failure("lock");
    }
    if (is_at(part.file_, path)) return part;
  }
}

PartFile::~PartFile() {
  if (file_ >= 0) ::close(file_);
}

Status PartFile::failure(const std::string& what) const {
  return invalid_argument("cannot " + what + " " + path_ + ": " + std::strerror(errno));
}

int64_t PartFile::size() const {
  struct stat status {};
  return ::fstat(file_, &status) == 0 ? status.st_size : 0;
}

Status PartFile::append(std::span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failure("write");
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return {};
}

Status PartFile::clear() { return ::ftruncate(file_, 0) == 0 ? Status() : failure("write"); }

Status PartFile::rename_to(const std::string& path) {
  if (::fsync(file_) != 0) return failure("write");
  if (std::rename(path_.c_str(), path.c_str()) == 0) return sync_name(path);
  return invalid_argument("cannot rename " + path_ + " to " + path + ": " + std::strerror(errno));
}

void PartFile::remove() { ::unlink(path_.c_str()); }

}  // namespace sightglass
