#include "video/batch_manifest.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

namespace sightglass::video {

namespace {

std::string line_of(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

Result<BatchManifest> BatchManifest::open(const std::filesystem::path& output, const Shard& shard) {
  const std::string name =
      shard.count == 1 ? "manifest.jsonl"
                       : "manifest-" + std::to_string(shard.index) + "-of-" + std::to_string(shard.count) + ".jsonl";
  const std::string path = (output / name).string();
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (descriptor < 0) return device_error(path + ": " + std::strerror(errno));
  BatchManifest manifest(path, descriptor);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    return device_error(path + ": another process works on this batch or shard");
  }
  return manifest;
}

BatchManifest::BatchManifest(BatchManifest&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

BatchManifest::~BatchManifest() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Status BatchManifest::append(const std::string& line) const {
  const ssize_t written = ::write(descriptor_, line.data(), line.size());
  if (written == static_cast<ssize_t>(line.size()) && ::fdatasync(descriptor_) == 0) return {};
  return device_error(path_ + ": " + std::strerror(errno));
}

Status BatchManifest::add_done(const BatchFile& file, const std::filesystem::path& output,
                               const PlaybackResult& result) {
  return append(line_of({{"status", "done"},
                         {"input", file.name.string()},
                         {"output", output.string()},
                         {"frames", result.frames},
                         {"width", result.width},
                         {"height", result.height},
                         {"seconds", result.seconds}}));
}

Status BatchManifest::add_failed(const BatchFile& file, const std::string& error) {
  return append(line_of({{"status", "failed"}, {"input", file.name.string()}, {"error", error}}));
}

}  // namespace sightglass::video
