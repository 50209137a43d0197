// The category of the element that the calling thread works for.
#pragma once

#include "gobject/log.h"

namespace sightglass {

// For code shared by all elements that logs about one element's frames. sightglass-base if the element is unknown.
GstDebugCategory* element_log();

}  // namespace sightglass
