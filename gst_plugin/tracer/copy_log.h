// Log lines of the tracer. GST_DEBUG=GST_TRACER:7 shows them, like those of other GStreamer tracers.
#pragma once

#include <string>

#include "copy_record.h"

namespace sightglass::zerocopy {

// Declares the fields of the lines. Call before the first log_copy(); repeated calls have no effect.
void open_copy_log();
// Logs one line: "zerocopy, element=…, what=…, thread=…, frame=…, bytes=…;". Does nothing before open_copy_log().
void log_copy(const Worker& worker, Copy copy, const std::string& thread, uint64_t bytes);

}  // namespace sightglass::zerocopy
