#include "video/batch_manifest.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace sightglass::video {

namespace {

std::string line_of(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

// The text after the last line end; longer than any line that this program writes.
constexpr off_t kMostOfEnd = 65536;

Status failure(const std::string& path, int reason = errno) {
  return device_error(path + ": " + std::strerror(reason));
}

// A process that was killed, or a full disk, may have left a part of a line. It is removed, so that the next line
// begins on a line of its own. A complete line only lacks its end.
Status complete_last_line(int descriptor, const std::string& path) {
  const off_t size = ::lseek(descriptor, 0, SEEK_END);
  if (size < 0) return failure(path);
  const off_t begin = std::max<off_t>(0, size - kMostOfEnd);
  std::string end(static_cast<size_t>(size - begin), '\0');
  if (::pread(descriptor, end.data(), end.size(), begin) != static_cast<ssize_t>(end.size())) return failure(path, EIO);
  const size_t line_end = end.rfind('\n');
  const std::string last = end.substr(line_end == std::string::npos ? 0 : line_end + 1);
  if (last.empty()) return {};
  if (nlohmann::json::accept(last)) return ::write(descriptor, "\n", 1) == 1 ? Status() : failure(path);
  const off_t whole = size - static_cast<off_t>(last.size());
  if (whole > 0 && line_end == std::string::npos) return device_error(path + ": is not a manifest; move it away");
  return ::ftruncate(descriptor, whole) == 0 ? Status() : failure(path);
}

}  // namespace

Result<BatchManifest> BatchManifest::open(const std::filesystem::path& output, const Shard& shard) {
  const std::string name =
      shard.count == 1 ? "manifest.jsonl"
                       : "manifest-" + std::to_string(shard.index) + "-of-" + std::to_string(shard.count) + ".jsonl";
  const std::string path = (output / name).string();
  const int descriptor =
      ::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0666);
  if (descriptor < 0) return failure(path);
  BatchManifest manifest(path, descriptor);
  struct stat info {};
  if (::fstat(descriptor, &info) != 0) return failure(path);
  if (!S_ISREG(info.st_mode)) return device_error(path + ": is not a regular file; remove it");
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    return device_error(path + ": another process works on this batch or shard");
  }
  SIGHTGLASS_RETURN_IF_ERROR(complete_last_line(descriptor, path));
  return manifest;
}

BatchManifest::BatchManifest(BatchManifest&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

BatchManifest::~BatchManifest() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Status BatchManifest::append(const std::string& line) const {
  const off_t before = ::lseek(descriptor_, 0, SEEK_END);
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const int reason = errno;
      // No other process writes to the file.
      if (before >= 0 && ::ftruncate(descriptor_, before) != 0) return failure(path_);
      return failure(path_, reason);
    }
    rest.remove_prefix(static_cast<size_t>(written));
  }
  return ::fdatasync(descriptor_) == 0 ? Status() : failure(path_);
}

Status BatchManifest::add_done(const BatchFile& file, const std::filesystem::path& output,
                               const PlaybackResult& result) {
  nlohmann::ordered_json line = {{"status", result.incomplete.empty() ? "done" : "incomplete"},
                                 {"input", file.name.string()},
                                 {"output", output.string()},
                                 {"frames", result.frames},
                                 {"width", result.width},
                                 {"height", result.height},
                                 {"seconds", result.seconds}};
  if (!result.incomplete.empty()) line["error"] = result.incomplete;
  return append(line_of(line));
}

Status BatchManifest::add_failed(const BatchFile& file, const std::string& error) {
  return append(line_of({{"status", "failed"}, {"input", file.name.string()}, {"error", error}}));
}

}  // namespace sightglass::video
