// The layout of frames: sizes that encoders take, and what demuxers get wrong.
#pragma once

#include <gst/gst.h>

#include <string>

namespace sightglass::video {

// Sizes of frames for encoders of 4:2:0 video, which cannot halve an odd size.

// Whether the encoder, in gst-launch syntax, may reject odd sizes. Encoders that are not known to accept them do.
bool needs_even_size(const std::string& encoder);

// The element that cuts off a column or a row of pixels, in gst-launch syntax, for frames of a size. 0: unknown.
std::string even_size_text(int width, int height);

// Makes that element of the pipeline, if there is one, crop what has an odd size, whatever the text says. It posts a
// warning that names both sizes.
void keep_sizes_even(GstElement* pipeline);

// videoconvert computes the chroma of 4:2:0 frames with a smaller side wrongly: each shows that of the first.
inline constexpr int kLeastSubsampled = 4;

// Posts an error that names both sizes if frames are smaller than the muxer takes, which GStreamer reports as an
// "internal data stream error". `muxer`: the name of the muxer in the pipeline.
void reject_small_frames(GstElement* pipeline, const char* muxer);

// Corrects what demuxers say of the frames of the element kDecoderElement in `pipeline`, if it has one:
// - They push raw frames as these are stored, mostly without padding, but GStreamer pads rows to four bytes unless a
//   buffer says otherwise. Pads the rows of such frames, and states where their planes are.
// - qtdemux of GStreamer 1.22 says that H.264 and H.265 of full range have the limited one, and parsers believe it.
//   The parameter sets of the stream decide; the container, if they say nothing.
void correct_demuxers(GstElement* pipeline);

}  // namespace sightglass::video
