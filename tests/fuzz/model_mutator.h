// Changes models structurally: the result is still a valid flatbuffer, so that fuzzing passes the verifier and reaches
// the interpretation of the values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sightglass::test {

// Makes one to four random changes to the model in `bytes`: dimensions, indices, operators, constants, duplicated
// operators. Returns an empty result if the bytes are not a complete model.
std::vector<uint8_t> mutate_model(std::span<const uint8_t> bytes, unsigned seed);

}  // namespace sightglass::test
