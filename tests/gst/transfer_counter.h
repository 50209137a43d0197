// Counts what moves pixels between CPU and GPU, or waits for the GPU, in this process.
#pragma once

#include <gst/gst.h>

#include <map>
#include <string>

namespace sightglass::test {

// Wraps the GL entry points that GStreamer and the element get from now on, and the mapping of GL memory: call it after
// init_gstreamer() and before any GL context of the pipeline exists. Never undone.
void install_transfer_counter();

// Counting is off until a buffer passes `enter`, and off again once it passes `leave`. Both pads must belong to one
// streaming thread. Frames counted are those that passed `leave`.
void count_between(GstPad* enter, GstPad* leave);

// By function name, with the number of calls; "frames" among them. Functions that were never called are absent.
std::map<std::string, int> transfer_counts();
void reset_transfer_counts();

}  // namespace sightglass::test
