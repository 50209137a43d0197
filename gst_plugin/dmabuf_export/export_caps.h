// What gldmabufexport's pads take and give.
#pragma once

#include <gst/gl/gl.h>
#include <gst/video/video.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "interop/draw_target.h"

namespace sightglass {

#define SIGHTGLASS_EXPORT_SINK_CAPS                                            \
  GST_VIDEO_CAPS_MAKE_WITH_FEATURES(GST_CAPS_FEATURE_MEMORY_GL_MEMORY, "RGBA") \
  ", texture-target = (string) 2D"

// Memory of DMABUFs, in order of preference; from GStreamer 1.24 on also as DMA_DRM. Sinks and encoders that take
// DMABUFs without saying so in their caps (kmssink, V4L2's) get them as video/x-raw. The caller owns the result.
GstCaps* export_src_caps();

// What can be on the other pad while `caps` are on the one of `direction`. The caller owns the result.
GstCaps* transform_export_caps(GstPadDirection direction, GstCaps* caps);

// Whether frames of such a format, which is DRM's, and modifier can be made.
using CanExport = std::function<bool(uint32_t fourcc, uint64_t modifier)>;
// Takes what cannot be made out of the possible output caps, and all but DMABUF memory where there is some. Takes
// `caps` over; what it returns may be empty, and is the caller's.
GstCaps* choose_export_caps(GstCaps* caps, const CanExport& can_export);

// Adds the colorimetry of the YUV that is made of `input`, where that says what its colours are, to the fixed `output`.
void set_export_colorimetry(GstCaps* input, GstCaps* output);

// What fixed output caps ask for.
struct ExportFormat {
  interop::DrawRequest request;
  GstVideoFormat meta_format = GST_VIDEO_FORMAT_UNKNOWN;  // for GstVideoMeta: DMA_DRM where the caps say so
  GstVideoInfo info;                                      // of NV12: how colours are coded
  bool planes() const { return GST_VIDEO_INFO_N_PLANES(&info) > 1; }
};
std::optional<ExportFormat> export_format_of(GstCaps* caps);

}  // namespace sightglass
