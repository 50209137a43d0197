// Models generated from the choices of a fuzzer: valid files with unusual contents, which changed bytes rarely produce.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sightglass::test {

// One operator with weights of any type, with scales and zero points of any layout.
std::vector<std::byte> weights_model(std::span<const uint8_t> choices);

// A small model with metadata: descriptions, normalizations, labels, and archives whose entries may be wrong.
std::vector<std::byte> metadata_model(std::span<const uint8_t> choices);

}  // namespace sightglass::test
