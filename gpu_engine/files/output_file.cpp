#include "gpu_engine/output_file.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

namespace sightglass {

namespace {

Status cannot_write(const std::string& path) {
  return invalid_argument("cannot write " + path + ": " + std::strerror(errno));
}

Status write_all(int descriptor, std::span<const std::byte> bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return cannot_write(path);
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  return {};
}

Status close_file(int descriptor, const std::string& path) {
  return close(descriptor) == 0 || errno == EINTR ? Status() : cannot_write(path);
}

// Ends like the path, so that users recognize the file that a crashed process left. Short enough for any directory.
std::string temporary_name(const std::string& path) {
  constexpr size_t kMostOfName = 200;
  uint64_t number = 0;
  while (getrandom(&number, sizeof number, 0) != sizeof number) {
  }
  std::array<char, 24> digits{};
  std::snprintf(digits.data(), digits.size(), ".%016llx-", static_cast<unsigned long long>(number));
  const std::filesystem::path whole(path);
  const std::string name = whole.filename();
  return whole.parent_path() / (digits.data() + name.substr(name.size() - std::min(name.size(), kMostOfName)));
}

}  // namespace

Result<AtomicFile> AtomicFile::create(std::string path, FileAccess access) {
  AtomicFile file(path, temporary_name(path));
  file.descriptor_ = ::open(file.temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                            static_cast<mode_t>(access));
  if (file.descriptor_ < 0) return cannot_write(path);
  return file;
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

Status AtomicFile::append(std::span<const std::byte> bytes) { return write_all(descriptor_, bytes, path_); }

Status AtomicFile::set_permissions(unsigned mode) {
  constexpr unsigned kPermissions = 0777;
  return fchmod(descriptor_, mode & kPermissions) == 0 ? Status() : cannot_write(path_);
}

Status AtomicFile::commit() {
  SIGHTGLASS_RETURN_IF_ERROR(close_file(std::exchange(descriptor_, -1), path_));
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) return cannot_write(path_);
  temporary_.clear();
  return {};
}

Status write_output_file(const std::string& path, std::span<const std::byte> bytes) {
  struct stat info {};
  const bool exists = lstat(path.c_str(), &info) == 0;
  if (exists && !S_ISREG(info.st_mode)) {
    const int descriptor =
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, static_cast<mode_t>(FileAccess::kEveryone));
    if (descriptor < 0) return cannot_write(path);
    const Status written = write_all(descriptor, bytes, path);
    const Status closed = close_file(descriptor, path);
    return written.ok() ? closed : written;
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::create(path, FileAccess::kEveryone));
  if (exists) SIGHTGLASS_RETURN_IF_ERROR(file.set_permissions(info.st_mode));
  SIGHTGLASS_RETURN_IF_ERROR(file.append(bytes));
  return file.commit();
}

}  // namespace sightglass
