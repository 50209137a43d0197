// Builds valid and invalid ZIP archives. Include it as "zip_builder.h".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sightglass::test {

struct Attached {
  std::string name, contents;
  uint16_t method = 0;    // as stated; contents are only compressed if `deflates` is set
  bool deflates = false;  // method 8
  // Instead of the correct ones:
  std::optional<uint32_t> crc32 = {}, stated_bytes = {};
  uint16_t flags = 0;
};

// Appends a ZIP archive to `file`. Offsets count from the start of the file or of the archive.
void attach(std::vector<std::byte>& file, const std::vector<Attached>& members, bool from_archive = false);

// An archive by itself.
std::vector<std::byte> zip(const std::vector<Attached>& members);

}  // namespace sightglass::test
