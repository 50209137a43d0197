// Counts the calls in this process that move pixels between CPU and GPU, or wait for the GPU.
#pragma once

#include <gst/gst.h>

#include <map>
#include <string>

namespace sightglass::test {

// Wraps the GL entry points that GStreamer and the element look up from now on, and the mapping of GL memory. Call this
// after init_gstreamer() and before any GL context of the pipeline exists. It cannot be undone.
void install_transfer_counter();

// Counting is off until a buffer passes `enter`, and off again once it passes `leave`. Both pads must belong to one
// streaming thread. Frames counted are those that passed `leave`.
void count_between(GstPad* enter, GstPad* leave);

// The number of calls per function name, including "frames". Functions that were never called are absent.
std::map<std::string, int> transfer_counts();
void reset_transfer_counts();

}  // namespace sightglass::test
