// Compiled programs kept in a folder from one start to the next.
//
// A file holds one program and the text that it was made of: the device's names and the whole source. It is used only
// where that text is the same to the last character, its checksum is right and the driver accepts it. Whatever is wrong
// with a file, or with the folder, is no error: the program is compiled as if there were no cache.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sightglass {

// Any number of threads and processes may use one folder at the same time.
class ProgramCache {
 public:
  static constexpr int64_t kDefaultMaxBytes = int64_t{64} << 20;

  // The folder is made by the first program that is stored. Beyond `max_bytes` in all, the oldest files are deleted.
  explicit ProgramCache(std::string folder, int64_t max_bytes = kDefaultMaxBytes);

  struct Binary {
    uint32_t format = 0;  // of glGetProgramBinary()
    std::vector<std::byte> bytes;
  };
  // `key` is all that the binary depends on. A damaged file is deleted. `why_not`, when given, gets the reason if
  // nothing is found.
  std::optional<Binary> find(std::string_view key, std::string* why_not = nullptr);
  void store(std::string_view key, const Binary& binary);
  // For a binary that the driver refuses.
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
