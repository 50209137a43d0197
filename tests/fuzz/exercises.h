// Processes each input of a fuzzer, in addition to exercise_model(): nothing may crash, hang, or take much memory.
// Aborts with a line on stderr if it finds an error that sanitizers do not detect.
#pragma once

#include <cstdint>
#include <span>

namespace sightglass::test {

// The bytes are choices of generated_models.h.
void exercise_weights(std::span<const uint8_t> choices);
void exercise_metadata(std::span<const uint8_t> choices);

// The bytes are a file of a cache folder.
void exercise_tuning_file(std::span<const uint8_t> file);
// The first byte selects how the others become a file: unchanged, or as changes to a valid file.
void exercise_program_cache(std::span<const uint8_t> choices);

}  // namespace sightglass::test
