// Failures as messages of elements that run models.
#pragma once

#include <gst/gst.h>

#include "gpu_engine/status.h"

namespace sightglass {

// Posts the failure as an element error, with the domain and code that fit its ErrorCode. Any thread.
void post_error(gpointer element, const Status& status);

}  // namespace sightglass
