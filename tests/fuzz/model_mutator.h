// Changes models as models: what is left is still a whole flatbuffer, so that fuzzing gets past the verifier and at
// what the numbers mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sightglass::test {

// One to four random changes to the model in `bytes`: dimensions, indices, operators, constants, operators doubled.
// Empty when the bytes are no whole model.
std::vector<uint8_t> mutate_model(std::span<const uint8_t> bytes, unsigned seed);

}  // namespace sightglass::test
