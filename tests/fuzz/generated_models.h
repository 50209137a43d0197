// Models made of a fuzzer's choices where changing the bytes of a file seldom gets anywhere: valid files that say odd
// things.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sightglass::test {

// One operator with weights, of any types, with scales and zero points of any layout.
std::vector<std::byte> weights_model(std::span<const uint8_t> choices);

// A small model with metadata: descriptions, normalizations, labels, and archives whose entries may lie.
std::vector<std::byte> metadata_model(std::span<const uint8_t> choices);

}  // namespace sightglass::test
