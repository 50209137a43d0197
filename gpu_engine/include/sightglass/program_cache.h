// Cache of compiled programs in a directory, for faster starts.
//
// A file contains one program and its key: the device names and the whole source. It is used only if the key is
// identical, the checksum is correct and the driver accepts the program. A bad file or directory is not an error: the
// program is compiled as if there were no cache.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sightglass {

// Any number of threads and processes may share one directory.
class ProgramCache {
 public:
  static constexpr int64_t kDefaultMaxBytes = int64_t{64} << 20;

  // The first stored program creates the directory. If all files exceed `max_bytes` in total, the oldest are deleted.
  explicit ProgramCache(std::string folder, int64_t max_bytes = kDefaultMaxBytes);

  struct Binary {
    uint32_t format = 0;  // of glGetProgramBinary()
    std::vector<std::byte> bytes;
  };
  // `key` contains everything that the binary depends on. A damaged file is deleted. `why_not`, if given, receives the
  // reason if no program is found.
  std::optional<Binary> find(std::string_view key, std::string* why_not = nullptr);
  void store(std::string_view key, const Binary& binary);
  // For a binary that the driver rejects.
  void remove(std::string_view key);

  const std::string& folder() const { return folder_; }
  // Since construction.
  int hits() const { return hits_; }
  int misses() const { return misses_; }
  int stored() const { return stored_; }

 private:
  std::string path_of(std::string_view key) const;
  void trim() const;

  const std::string folder_;
  const int64_t max_bytes_;
  std::atomic<int> hits_ = 0, misses_ = 0, stored_ = 0;
};

}  // namespace sightglass
