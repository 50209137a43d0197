// What is done with each input of a fuzzer, beside exercise_model(): nothing may crash, hang or take much memory.
// Aborts, with a line on stderr, where something is wrong that the sanitizers do not see.
#pragma once

#include <cstdint>
#include <span>

namespace sightglass::test {

// The bytes are choices of generated_models.h.
void exercise_weights(std::span<const uint8_t> choices);
void exercise_metadata(std::span<const uint8_t> choices);

// The bytes are a file of a cache folder.
void exercise_tuning_file(std::span<const uint8_t> file);
// The first byte says how the others become a file: as they are, or as changes to a valid one.
void exercise_program_cache(std::span<const uint8_t> choices);

}  // namespace sightglass::test
