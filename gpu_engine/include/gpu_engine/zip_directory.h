// Reads the directory of a ZIP archive in memory, which may follow other data, such as a model. The archive is
// untrusted: every offset and size is checked before it is used. Does not decompress.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sightglass/status.h"

namespace sightglass {

// A member as the directory states it. The numbers are unchecked.
struct ZipEntry {
  static constexpr uint16_t kStored = 0, kDeflated = 8;                  // methods
  static constexpr uint16_t kEncrypted = 1 << 0, kSizesFollow = 1 << 3;  // flags
  std::string_view name;                                                 // in the archive, any bytes
  uint16_t flags = 0, method = kStored;
  uint32_t crc32 = 0;                    // of the decompressed contents
  uint64_t stored_bytes = 0, bytes = 0;  // in the archive, and decompressed
  uint64_t offset = 0;                   // of its header, from the start of the archive
};

class ZipDirectory {
 public:
  static constexpr size_t kMostEntries = 1000;
  // Returns nothing if `file` does not end with an archive. `file` must outlive this.
  static std::optional<ZipDirectory> find(std::span<const std::byte> file);

  // The valid entries, up to the first invalid one, at most kMostEntries.
  const std::vector<ZipEntry>& entries() const { return entries_; }
  // The number that the archive states.
  size_t stated_entries() const { return stated_entries_; }
  // The next `bytes` bytes of the member: all of it with entry.stored_bytes. They are inside `file`. The error has no
  // subject: "is outside the file".
  Result<std::span<const std::byte>> contents(const ZipEntry& entry, uint64_t bytes) const;
  // Fails if the header of the member differs from the entry, with such an error.
  Status check_header(const ZipEntry& entry) const;

 private:
  ZipDirectory() = default;
  Result<std::span<const std::byte>> member(const ZipEntry& entry) const;

  std::span<const std::byte> file_;
  size_t archive_begin_ = 0;  // base of offsets: usually the start of the file, sometimes of the archive
  size_t stated_entries_ = 0;
  std::vector<ZipEntry> entries_;
};

}  // namespace sightglass
