// Prints the table when GStreamer or the process ends, and sets the exit status.
#pragma once

namespace sightglass::zerocopy {

// Exit status with `fail=true` if there were copies and the process would otherwise exit with 0.
constexpr int kCopiedStatus = 88;

// Makes this process report when it calls exit() or returns from main(). A forked child does not report.
void report_at_exit();
// Makes the process exit with `kCopiedStatus` if there were copies.
void fail_at_exit();
// Prints the table to stderr, once. Prints nothing in processes that start no element, such as gst-inspect-1.0, which
// creates a tracer to show it.
void report_now();

}  // namespace sightglass::zerocopy
