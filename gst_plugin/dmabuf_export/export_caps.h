// Caps of the pads of gldmabufexport.
#pragma once

#include <gst/gl/gl.h>
#include <gst/video/video.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sightglass/interop/draw_target.h"

namespace sightglass {

#define SIGHTGLASS_EXPORT_SINK_CAPS                                            \
  GST_VIDEO_CAPS_MAKE_WITH_FEATURES(GST_CAPS_FEATURE_MEMORY_GL_MEMORY, "RGBA") \
  ", texture-target = (string) 2D"

// DMABUF memory in order of preference, from GStreamer 1.24 also as DMA_DRM. Sinks and encoders that import DMABUFs
// without advertising it in their caps (kmssink, V4L2 encoders) get them as video/x-raw. The caller owns the result.
GstCaps* export_src_caps();

// The possible caps of the other pad for `caps` on the pad of `direction`. The caller owns the result.
GstCaps* transform_export_caps(GstPadDirection direction, GstCaps* caps);

// Whether frames with that DRM format and modifier can be created.
using CanExport = std::function<bool(uint32_t fourcc, uint64_t modifier)>;
// Removes impossible formats from the output caps, and everything except DMABUF memory if that is among the rest. Takes
// ownership of `caps`. The caller owns the result, which may be empty.
GstCaps* choose_export_caps(GstCaps* caps, const CanExport& can_export);

// Adds the colorimetry of frames converted from `input` to the fixed `output`, if `input` has colorimetry.
void set_export_colorimetry(GstCaps* input, GstCaps* output);

// The format that fixed output caps describe.
struct ExportFormat {
  interop::DrawRequest request;
  GstVideoFormat meta_format = GST_VIDEO_FORMAT_UNKNOWN;  // for GstVideoMeta; DMA_DRM if the caps have it
  GstVideoInfo info;                                      // with the colorimetry of NV12
  bool planes() const { return GST_VIDEO_INFO_N_PLANES(&info) > 1; }
};
std::optional<ExportFormat> export_format_of(GstCaps* caps);

}  // namespace sightglass
