// Converts Status and exceptions to the status codes of the C API.
#pragma once

#include <cstdint>
#include <span>

#include "gpu_engine/exceptions.h"
#include "sightglass/sightglass.h"
#include "sightglass/status.h"

namespace sightglass::capi {

// Stores the message for sightglass_last_error() if `status` is a failure.
SightglassStatus report(const Status& status) noexcept;

// Runs `body`, which returns a Status. `object` and `action` are for status_of_exception().
template <typename Body>
SightglassStatus guard(const char* object, const char* action, const Body& body) noexcept {
  try {
    return report(body());
  } catch (...) {
    return report(status_of_exception(object, action));
  }
}

// Fails if `pointer` is null.
Status require(const void* pointer, const char* name);

// Fails unless `number` is positive.
Status require_positive(int64_t number, const char* name);

// Fails if a number is infinite or NaN.
Status require_finite(std::span<const float> numbers, const char* name);

}  // namespace sightglass::capi
