// Decompresses members of ZIP archives (RFC 1951), and computes their checksums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sightglass/status.h"

namespace sightglass {

// Allocates `bytes` bytes and fills them. Fails if the data are not a deflate stream of exactly this size. The error
// has no subject: "is damaged: …".
Result<std::vector<std::byte>> inflate(std::span<const std::byte> data, size_t bytes);

// CRC-32, as ZIP archives use it.
uint32_t crc32_of(std::span<const std::byte> data);

}  // namespace sightglass
