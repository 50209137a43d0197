#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "gpu_engine/files.h"

namespace sightglass {

namespace {

Status cannot_read(const std::string& reason) { return invalid_argument("cannot read the file: " + reason); }

Status system_failure() {
  const std::string reason = std::strerror(errno);
  return errno == ENOENT ? not_found("cannot read the file: " + reason) : cannot_read(reason);
}

Status check_is_regular(mode_t mode) {
  if (S_ISREG(mode)) return {};
  const char* kind = "something else";
  if (S_ISDIR(mode)) kind = "a directory";
  if (S_ISFIFO(mode)) kind = "a pipe";
  if (S_ISSOCK(mode)) kind = "a socket";
  if (S_ISCHR(mode) || S_ISBLK(mode)) kind = "a device";
  return cannot_read(std::string("it is ") + kind + ", not a regular file");
}

}  // namespace

Result<InputFile> InputFile::open(const std::string& path) {
  // Checked before opening, because opening has side effects on some devices. Checked again after, because the path may
  // name another file by then; O_NONBLOCK keeps that open from blocking.
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return system_failure();
  SIGHTGLASS_RETURN_IF_ERROR(check_is_regular(info.st_mode));
  InputFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), 0);
  if (file.descriptor_ < 0 || fstat(file.descriptor_, &info) != 0) return system_failure();
  SIGHTGLASS_RETURN_IF_ERROR(check_is_regular(info.st_mode));
  file.size_ = info.st_size;
  return file;
}

InputFile::~InputFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

InputFile::InputFile(InputFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_) {}

InputFile& InputFile::operator=(InputFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(size_, other.size_);
  return *this;
}

Result<size_t> InputFile::read(std::span<std::byte> into) {
  while (true) {
    const ssize_t count = ::read(descriptor_, into.data(), into.size());
    if (count >= 0) return static_cast<size_t>(count);
    if (errno != EINTR) return system_failure();
  }
}

Status InputFile::read_exactly(std::span<std::byte> into) {
  while (!into.empty()) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const size_t count, read(into));
    if (count == 0) return cannot_read("it ends early");
    into = into.subspan(count);
  }
  return {};
}

// A program that overwrites the file in place shortens it first: then it ends early, or has another time.
Status InputFile::read_all(std::span<std::byte> into) {
  struct stat before {
  }, after{};
  if (fstat(descriptor_, &before) != 0) return system_failure();
  SIGHTGLASS_RETURN_IF_ERROR(read_exactly(into));
  if (fstat(descriptor_, &after) != 0) return system_failure();
  const bool same = before.st_size == size_ && after.st_size == size_ &&
                    before.st_mtim.tv_sec == after.st_mtim.tv_sec && before.st_mtim.tv_nsec == after.st_mtim.tv_nsec;
  if (same) return {};
  return cannot_read("another program is writing to it; replace files with `mv`, not in place");
}

namespace {

Status check_size(const InputFile& file, int64_t most_bytes) {
  if (file.size() <= most_bytes) return {};
  return cannot_read("it has " + std::to_string(file.size()) + " bytes, more than " + std::to_string(most_bytes));
}

}  // namespace

Result<FileContents> read_file(const std::string& path, int64_t most_bytes) {
  SIGHTGLASS_ASSIGN_OR_RETURN(InputFile file, InputFile::open(path));
  SIGHTGLASS_RETURN_IF_ERROR(check_size(file, most_bytes));
  const auto size = static_cast<size_t>(file.size());
  const std::shared_ptr<std::byte[]> bytes(new std::byte[size]);  // without zeros
  SIGHTGLASS_RETURN_IF_ERROR(file.read_all({bytes.get(), size}));
  return FileContents{{bytes.get(), size}, bytes};
}

Result<std::string> read_text_file(const std::string& path, int64_t most_bytes) {
  SIGHTGLASS_ASSIGN_OR_RETURN(InputFile file, InputFile::open(path));
  SIGHTGLASS_RETURN_IF_ERROR(check_size(file, most_bytes));
  std::string text(static_cast<size_t>(file.size()), '\0');
  SIGHTGLASS_RETURN_IF_ERROR(file.read_all(std::as_writable_bytes(std::span(text))));
  return text;
}

namespace {

std::atomic<int64_t> held{0};  // by all models of the process, in bytes

}  // namespace

std::string bytes_text(int64_t bytes) {
  constexpr std::array kUnits{"KiB", "MiB", "GiB", "TiB"};
  constexpr double kStep = 1024;
  if (bytes < static_cast<int64_t>(kStep)) return std::to_string(bytes) + " bytes";
  double number = static_cast<double>(bytes) / kStep;
  size_t unit = 0;
  for (; number >= kStep && unit + 1 < kUnits.size(); ++unit) number /= kStep;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f %s", number, kUnits[unit]);
  return text.data();
}

Status beyond_memory_limit(const std::string& subject, int64_t bytes, int64_t limit) {
  return resource_exhausted(subject + " " + bytes_text(bytes) + ", more than the memory limit of " + bytes_text(limit) +
                            "; raise memory-limit if you trust the model");
}

Result<MemoryShare> MemoryShare::take(const std::string& subject, int64_t bytes, int64_t limit) {
  if (bytes > limit) return beyond_memory_limit(subject, bytes, limit);
  MemoryShare share(bytes);
  const int64_t before = held.fetch_add(bytes);
  if (before <= limit - bytes) return share;
  return resource_exhausted(subject + " " + bytes_text(bytes) + ", and the other models of this process hold " +
                            bytes_text(before) + ", together more than the memory limit of " + bytes_text(limit) +
                            "; raise memory-limit, or use fewer models");
}

MemoryShare::~MemoryShare() { held.fetch_sub(bytes_); }

}  // namespace sightglass
