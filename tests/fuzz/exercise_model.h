// What fuzzing does with one file.
#pragma once

#include <cstddef>
#include <span>

#include "gpu_engine/status.h"

namespace sightglass::test {

// Reads the bytes as a model and asks of it all that can be asked without a GPU: invariants, dumps, what its outputs
// are. Returns why it is no model, if it is none. Ends the process when something is broken that no file may break: an
// imported graph that is not valid, or an error that does not say which model it speaks of.
Status exercise_model(std::span<const std::byte> bytes);

}  // namespace sightglass::test
