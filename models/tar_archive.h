// Reads members of compressed tar archives (.tgz), as package registries serve them. The archive is untrusted: every
// size is checked before it is used, and nothing is written under a name from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sightglass/status.h"

namespace sightglass {

struct TarMember {
  std::string name;                   // below the top directory of the archive, such as "package"
  int64_t most_bytes = 0;             // a longer member is an error
  std::vector<std::byte> contents{};  // filled by read_tar_members()
};

// Fills the contents of all members, which must be regular files. Reads the archive once, in pieces. Errors name the
// file.
Status read_tar_members(const std::string& path, std::span<TarMember> members);

}  // namespace sightglass
