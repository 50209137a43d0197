// Exceptions become failures where they would leave the library.
#pragma once

#include <string_view>

#include "sightglass/status.h"

namespace sightglass {

// For a handler of any exception: "OBJECT: cannot ACTION: out of memory", or the exception message. If the message
// itself cannot be allocated, it is just "out of memory".
Status status_of_exception(std::string_view object, const char* action) noexcept;

}  // namespace sightglass
