// Small models for every kind of element, the same on every machine.
#pragma once

#include <string>

namespace sightglass::test {

// Writes NAME.tflite for each model that lines.txt names with $models.
void write_seeded_models(const std::string& folder);

}  // namespace sightglass::test
