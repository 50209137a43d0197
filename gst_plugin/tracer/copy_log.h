// Log lines of the tracer: GST_DEBUG=GST_TRACER:7 shows them, as those of GStreamer's own tracers.
#pragma once

#include <string>

#include "copy_record.h"

namespace sightglass::zerocopy {

// Says what the lines have in them. Before the first log_copy(); again is without effect.
void open_copy_log();
// One line: "zerocopy, element=…, what=…, thread=…, frame=…, bytes=…;". Nothing before open_copy_log().
void log_copy(const Worker& worker, Copy copy, const std::string& thread, uint64_t bytes);

}  // namespace sightglass::zerocopy
