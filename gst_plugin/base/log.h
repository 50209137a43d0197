// The category of the element that the calling thread works for.
#pragma once

#include "gobject/log.h"

namespace sightglass {

// For code that serves all elements, about what one of them does with its frames. sightglass-base if that is unknown.
GstDebugCategory* element_log();

}  // namespace sightglass
