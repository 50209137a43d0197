// The table when GStreamer or the process ends, and the exit status.
#pragma once

namespace sightglass::zerocopy {

// With `fail=true`, of a process that would otherwise have ended with 0 though something was copied.
constexpr int kCopiedStatus = 88;

// From now on this process reports when it ends by exit() or by returning from main(). A forked child does not.
void report_at_exit();
// With `kCopiedStatus`.
void fail_at_exit();
// Prints the table on stderr, once; not in programs that start no element, such as gst-inspect-1.0, which makes a
// tracer to show it.
void report_now();

}  // namespace sightglass::zerocopy
