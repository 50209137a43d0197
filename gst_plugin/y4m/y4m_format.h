// The headers of YUV4MPEG2 streams ("Y4M"), and the layout of their frames: planes without padding.
#pragma once

#include <gst/video/video.h>

#include <string>
#include <string_view>

#include "sightglass/status.h"

namespace sightglass {

// A longer header, or a longer line of a frame, is an error.
constexpr size_t kMostY4mHeader = 4096;
constexpr std::string_view kY4mFrame = "FRAME";

// The formats of y4mread and y4mwrite, as in caps.
#define SIGHTGLASS_Y4M_FORMATS \
  "{ I420, Y42B, Y444, Y41B, GRAY8, I420_10LE, I422_10LE, Y444_10LE, I420_12LE, I422_12LE, Y444_12LE, GRAY16_LE }"

// Parses the first line of a stream, without its end. The result has the strides, offsets, and size of the frames.
// Errors name the parameter.
Result<GstVideoInfo> parse_y4m_header(std::string_view line);

// The first line of a stream with such frames, with its end.
std::string y4m_header(const GstVideoInfo& info);

// The same format with the layout of Y4M.
GstVideoInfo y4m_layout(const GstVideoInfo& info);

// Whether both have their planes at the same places.
bool same_layout(const GstVideoInfo& one, const GstVideoInfo& other);

}  // namespace sightglass
