// Writes the samples of reference outputs in the repository.
#pragma once

#include <filesystem>

#include "sightglass/status.h"

namespace sightglass::test {

// Writes cases.json, samples.bin, and figure/*.png to `folder`, from the whole outputs in `shared`. The same whole
// outputs give the same files. Errors name the file that cannot be read.
Status write_golden_samples(const std::filesystem::path& shared, const std::filesystem::path& folder);

}  // namespace sightglass::test
