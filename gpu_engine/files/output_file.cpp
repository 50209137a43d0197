#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "gpu_engine/files.h"

namespace sightglass {

namespace {

namespace fs = std::filesystem;

constexpr unsigned kPermissions = 0777;
constexpr const char* kPart = ".part";

Status cannot_write(const std::string& path, int reason = errno) {
  return invalid_argument("cannot write " + path + ": " + std::strerror(reason));
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

Status sync(int descriptor, const std::string& path) {
  while (fsync(descriptor) != 0) {
    if (errno == EINTR) continue;
    // Some file systems cannot.
    return errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP || errno == EROFS ? Status() : cannot_write(path);
  }
  return {};
}

fs::path folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

// What a temporary name ends with, so that users recognize the file that a crashed process left. Short enough for any
// directory.
std::string end_of_temporary_name(const std::string& path) {
  constexpr size_t kMostOfName = 200;
  const std::string name = fs::path(path).filename();
  return "-" + name.substr(name.size() - std::min(name.size(), kMostOfName));
}

constexpr size_t kDigits = 16;

std::string temporary_path(const std::string& path) {
  uint64_t number = 0;
  while (getrandom(&number, sizeof number, 0) != sizeof number) {
  }
  std::array<char, kDigits + 2> digits{};
  std::snprintf(digits.data(), digits.size(), ".%016llx", static_cast<unsigned long long>(number));
  return fs::path(path).parent_path() / (digits.data() + end_of_temporary_name(path));
}

bool is_temporary_name(const std::string& name, const std::string& end) {
  return name.size() == 1 + kDigits + end.size() && name.front() == '.' && name.ends_with(end) &&
         name.find_first_not_of("0123456789abcdef", 1) == 1 + kDigits;
}

// Holds back other processes that create a locked file in the directory. If the file system cannot lock directories,
// does nothing.
class FolderLock {
 public:
  explicit FolderLock(const std::string& path)
      : descriptor_(::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    // It is held for milliseconds, except by programs that lock directories for other reasons.
    constexpr int kTries = 100;
    constexpr useconds_t kPause = 10'000;
    for (int i = 0; i < kTries && descriptor_ >= 0 && flock(descriptor_, LOCK_EX | LOCK_NB) != 0; ++i) {
      if (errno != EWOULDBLOCK && errno != EINTR) return;
      usleep(kPause);
    }
  }
  ~FolderLock() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  const int descriptor_;
};

// Whether another process writes to the path. Removes temporary files whose process has ended.
bool is_written_by_another(const std::string& path) {
  const std::string end = end_of_temporary_name(path) + kPart;
  bool written = false;
  std::error_code error;
  for (fs::directory_iterator entry(folder_of(path), error), last; !error && entry != last; entry.increment(error)) {
    if (!is_temporary_name(entry->path().filename(), end)) continue;
    const int descriptor = ::open(entry->path().c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0) continue;
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
      unlink(entry->path().c_str());
    } else {
      written = written || errno == EWOULDBLOCK;
    }
    close(descriptor);
  }
  return written;
}

// The kernel decides whether the user may follow a link: those of other users in /tmp are forbidden.
Result<OutputPlace> followed(const std::string& path, const OutputPlace& place) {
  if (place.path == path) return place;
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0 && errno != ENOENT) return cannot_write(path);
  if (descriptor >= 0) close(descriptor);
  return place;
}

// The descriptor of this process that the path names.
std::optional<int> own_descriptor(const std::string& path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    int number = 0;
    const char* const end = path.data() + path.size();
    const auto [rest, error] = std::from_chars(path.data() + folder.size(), end, number);
    if (error == std::errc() && rest == end && number >= 0) return number;
  }
  return {};
}

}  // namespace

Result<AtomicFile> AtomicFile::create_at(std::string path, std::string temporary, FileAccess access) {
  AtomicFile file(std::move(path), std::move(temporary));
  file.descriptor_ =
      ::open(file.temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, static_cast<mode_t>(access));
  if (file.descriptor_ >= 0) return file;
  Status failure = cannot_write(file.path_);
  file.temporary_.clear();  // it belongs to another process, or does not exist
  return failure;
}

Result<AtomicFile> AtomicFile::create(std::string path, FileAccess access) {
  const std::string temporary = sightglass::temporary_path(path);
  return create_at(std::move(path), temporary, access);
}

Result<std::optional<AtomicFile>> AtomicFile::create_locked(const std::string& path, FileAccess access) {
  const FolderLock alone(path);
  if (is_written_by_another(path)) return std::optional<AtomicFile>();
  SIGHTGLASS_ASSIGN_OR_RETURN(AtomicFile file, create_at(path, sightglass::temporary_path(path) + kPart, access));
  // On file systems without locks, the name still keeps processes apart.
  flock(file.descriptor_, LOCK_EX | LOCK_NB);
  return std::optional<AtomicFile>(std::move(file));
}

AtomicFile::~AtomicFile() {
  if (!temporary_.empty()) unlink(temporary_.c_str());
  if (descriptor_ >= 0) close(descriptor_);
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

Status AtomicFile::append(std::span<const std::byte> bytes) { return write_all(descriptor_, bytes, path_); }

Status AtomicFile::set_permissions(unsigned mode) {
  return fchmod(descriptor_, mode & kPermissions) == 0 ? Status() : cannot_write(path_);
}

Status AtomicFile::commit(Durability durability) {
  if (durability == Durability::kSynced) SIGHTGLASS_RETURN_IF_ERROR(sync(descriptor_, path_));
  // The descriptor stays open, and with it the lock, until the file has its name.
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) return cannot_write(path_);
  temporary_.clear();
  SIGHTGLASS_RETURN_IF_ERROR(close_file(std::exchange(descriptor_, -1), path_));
  return durability == Durability::kSynced ? sync_name(path_) : Status();
}

Status sync_name(const std::string& path) {
  const int descriptor = ::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return {};  // without permission to read the directory, there is no way
  const Status synced = sync(descriptor, path);
  close(descriptor);
  return synced;
}

Result<OutputPlace> find_output_place(const std::string& path) {
  // By name: a plain change of the root directory leaves a system without these links.
  OutputPlace place{path, own_descriptor(path).has_value(), {}};
  if (place.in_place) return place;
  struct stat info {};
  constexpr int kMostLinks = 40;  // as in the kernel
  for (int links = 0; links <= kMostLinks; ++links) {
    if (lstat(place.path.c_str(), &info) != 0) return errno == ENOENT ? followed(path, place) : cannot_write(path);
    if (S_ISDIR(info.st_mode)) return cannot_write(path, EISDIR);
    if (S_ISREG(info.st_mode)) {
      place.mode = info.st_mode & kPermissions;
      return followed(path, place);
    }
    // Such links lead to descriptors of processes, whatever their text is.
    const bool descriptor = place.path.starts_with("/dev/") || place.path.starts_with("/proc/");
    place.in_place = !S_ISLNK(info.st_mode) || descriptor;
    if (place.in_place) return place;
    std::error_code error;
    const fs::path target = fs::read_symlink(place.path, error);
    if (error) return cannot_write(path, error.value());
    place.path = fs::path(place.path).parent_path() / target;
  }
  return cannot_write(path, ELOOP);
}

Result<int> open_in_place(const std::string& path) {
  const std::optional<int> own = own_descriptor(path);
  int descriptor = -1;
  do {
    // A second description of standard output would overwrite what the first one wrote.
    descriptor = own ? fcntl(*own, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
                     : ::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY);
  } while (descriptor < 0 && errno == EINTR);
  if (descriptor < 0) return cannot_write(path);
  return descriptor;
}

Status write_output_file(const std::string& path, std::span<const std::byte> bytes) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const OutputPlace place, find_output_place(path));
  if (place.in_place) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const int descriptor, open_in_place(place.path));
    const Status written = write_all(descriptor, bytes, path);
    const Status closed = close_file(descriptor, path);
    return written.ok() ? closed : written;
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::create(place.path, FileAccess::kEveryone));
  if (place.mode) SIGHTGLASS_RETURN_IF_ERROR(file.set_permissions(*place.mode));
  SIGHTGLASS_RETURN_IF_ERROR(file.append(bytes));
  return file.commit();
}

}  // namespace sightglass
