// Raw frames in containers.
#pragma once

#include <gst/gst.h>

namespace sightglass::video {

// Demuxers push raw frames as they are stored, mostly without padding, but GStreamer pads rows to four bytes unless a
// buffer says otherwise. Pads the rows of such frames of the element kDecoderElement in `pipeline`, if it has one, and
// states where their planes are.
void pad_raw_frames(GstElement* pipeline);

}  // namespace sightglass::video
