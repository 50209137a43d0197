// Caps of the pads of elements that run models.
#pragma once

#include <gst/base/gstbasetransform.h>
#include <gst/gl/gl.h>
#include <gst/video/video.h>

#include <cstdint>
#include <optional>
#include <string>

#include "gl/frame_format.h"

namespace sightglass {

// In order of preference. Planar formats come first: glupload chooses the first format before it receives a buffer. For
// planar frames it also offers RGBA, and fails at the first frame because it cannot convert to that.
#define SIGHTGLASS_SINK_CAPS                                                                               \
  GST_VIDEO_CAPS_MAKE_WITH_FEATURES(GST_CAPS_FEATURE_MEMORY_GL_MEMORY, "{ " SIGHTGLASS_FRAME_FORMATS " }") \
  ", texture-target = (string) 2D; " GST_VIDEO_CAPS_MAKE_WITH_FEATURES(                                    \
      GST_CAPS_FEATURE_MEMORY_GL_MEMORY, "RGBA") ", texture-target = (string) external-oes"
#define SIGHTGLASS_SRC_CAPS                                                    \
  GST_VIDEO_CAPS_MAKE_WITH_FEATURES(GST_CAPS_FEATURE_MEMORY_GL_MEMORY, "RGBA") \
  ", texture-target = (string) 2D"

// Size of output frames that does not depend on the input size.
struct OwnSize {
  int32_t width = 0, height = 0;  // 0: unknown yet
  // Proportions of the shown part of the frame on a screen; 0: the whole frame.
  int32_t seen_width = 0, seen_height = 0;
  bool operator==(const OwnSize&) const = default;
};

struct FrameCapsChoice {
  bool swapped = false;   // width and height are swapped
  bool external = false;  // external textures can be sampled
  std::optional<OwnSize> own_size;
};

// The possible caps of the other pad for `caps` on the pad of `direction`. The caller owns the result.
GstCaps* transform_frame_caps(GstPadDirection direction, GstCaps* caps, const FrameCapsChoice& choice);

// The part of `caps` that the filter of a caps query accepts, in the order of the filter; all of `caps` if it is null.
// Takes ownership of `caps`. The caller owns the result.
GstCaps* filtered(GstCaps* caps, GstCaps* filter);

// Why frames of `caps`, which do not fit SIGHTGLASS_SINK_CAPS, are rejected, and what to put upstream. Empty if no
// video conversion would help.
std::string refusal_of(const GstCaps* caps);

// Adds the colorimetry of RGBA frames converted from `input` to the fixed `output`, if `input` is YUV.
void set_output_colorimetry(GstCaps* input, GstCaps* output);

// Why none of the upstream formats fit an element that runs a model.

bool fits_sink_pad(GstBaseTransform* transform, const GstCaps* caps);

// Upstream elements that find by queries that none of their formats fit never send caps, and report only
// "not negotiated". glupload adds RGBA to every format, although it converts only DMABUFs to it. Returns the message
// about the answer to a caps query on the sink pad; empty if a format fits or the element is not about to play.
std::string refusal_of_answer(GstBaseTransform* transform, GstQuery* query);

}  // namespace sightglass
