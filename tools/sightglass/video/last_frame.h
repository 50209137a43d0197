// The end of video in MP4 and MOV files.
#pragma once

#include <gst/gst.h>

namespace sightglass::video {

// These containers store durations between decoding times and cut a track at their sum. With frames that are reordered,
// and a variable frame rate, the last frames lie beyond it. Makes the muxer write a sum that ends with the last frame
// that is shown. `muxer`: the name of the muxer in the pipeline; does nothing if it is a muxer of other containers.
void keep_last_frames(GstElement* pipeline, const char* muxer);

}  // namespace sightglass::video
