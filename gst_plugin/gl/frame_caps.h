// What the pads of elements that run models take and give.
#pragma once

#include <gst/gl/gl.h>
#include <gst/video/video.h>

#include <cstdint>
#include <optional>
#include <string>

namespace sightglass {

// In order of preference. Planes come first: glupload settles on the first format before it has seen a buffer, and for
// frames of planes it considers RGBA as well, to find out at the first one that it cannot make that.
#define SIGHTGLASS_SINK_CAPS                                                                               \
  GST_VIDEO_CAPS_MAKE_WITH_FEATURES(GST_CAPS_FEATURE_MEMORY_GL_MEMORY, "{ NV12, NV21, I420, YV12, RGBA }") \
  ", texture-target = (string) 2D; " GST_VIDEO_CAPS_MAKE_WITH_FEATURES(                                    \
      GST_CAPS_FEATURE_MEMORY_GL_MEMORY, "RGBA") ", texture-target = (string) external-oes"
#define SIGHTGLASS_SRC_CAPS                                                    \
  GST_VIDEO_CAPS_MAKE_WITH_FEATURES(GST_CAPS_FEATURE_MEMORY_GL_MEMORY, "RGBA") \
  ", texture-target = (string) 2D"

// Of pictures that leave at a size of their own, whatever the frame's is.
struct OwnSize {
  int32_t width = 0, height = 0;  // 0: not known yet
  // What of the frame they show, in pixels as the frame's are: the frame's own size, where this is 0.
  int32_t seen_width = 0, seen_height = 0;
};

struct FrameCapsChoice {
  bool swapped = false;   // width and height change places
  bool external = false;  // external textures can be sampled
  std::optional<OwnSize> own_size;
};

// What can be on the other pad while `caps` are on the one of `direction`. The caller owns the result.
GstCaps* transform_frame_caps(GstPadDirection direction, GstCaps* caps, const FrameCapsChoice& choice);

// What of `caps` the filter of a caps query lets through, in its order; all of them where it is null. Takes `caps`; the
// caller owns the result.
GstCaps* filtered(GstCaps* caps, GstCaps* filter);

// Why frames of `caps`, which do not fit SIGHTGLASS_SINK_CAPS, are refused, and what to put upstream. Empty where no
// conversion of video would help.
std::string refusal_of(const GstCaps* caps);

// Adds the colorimetry of the RGBA frames that are made of `input`, where that is YUV and says what it is, to the fixed
// `output`.
void set_output_colorimetry(GstCaps* input, GstCaps* output);

}  // namespace sightglass
