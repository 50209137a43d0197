// Converts Status and exceptions to the status codes of the C API.
#pragma once

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

}  // namespace sightglass::capi
