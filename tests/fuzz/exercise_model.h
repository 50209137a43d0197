// Processes one file of the fuzzer.
#pragma once

#include <cstddef>
#include <span>

#include "sightglass/status.h"

namespace sightglass::test {

// Reads the bytes as a model and checks everything that needs no GPU: invariants, dumps, and output queries. If it is
// not a model, returns the reason. Ends the process if a requirement is violated: an imported graph is invalid, or an
// error does not name the model.
Status exercise_model(std::span<const std::byte> bytes);

}  // namespace sightglass::test
