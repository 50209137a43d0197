// Ends the stream of a pipeline whose elements may hang.
#pragma once

#include <gst/gst.h>

namespace sightglass::video {

// Sends the end of the stream to the sources. Does not wait for them.
void send_end(GstElement* pipeline);
// The same for outputs that the end of the stream has not reached, because an input or a model hangs: sends it to the
// last queue upstream of each sink, or else to the element downstream of `model`, which may be null.
void send_end_to_outputs(GstElement* pipeline, GstElement* model);

// Stops the pipeline. False if it still runs after `seconds`: it then belongs to the threads that hang, and so does
// everything that its pads call.
bool stop_within(GstElement* pipeline, double seconds);
// Whether stop_within() has failed in this process. It cannot end as usual, which would wait for the same threads.
bool has_hung_pipeline();

}  // namespace sightglass::video
