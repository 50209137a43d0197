// Posts failures as element messages, for elements that run models.
#pragma once

#include <gst/gst.h>

#include "sightglass/status.h"

namespace sightglass {

// Posts the failure as an element error with the domain and code that match its ErrorCode. Any thread.
void post_error(gpointer element, const Status& status);

}  // namespace sightglass
