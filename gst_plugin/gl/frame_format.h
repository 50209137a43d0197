// What frames of given caps look like to the engine: how many textures, and how their samples become colours.
#pragma once

#include <gst/gl/gl.h>
#include <gst/video/video.h>

#include <array>
#include <optional>

#include "gpu_engine/frame_ref.h"
#include "gpu_engine/input_transform.h"
#include "gpu_engine/status.h"

namespace sightglass {

struct FrameFormat {
  FrameKind kind = FrameKind::kRgba;
  int32_t width = 0, height = 0;  // of the part that is to be seen, not upright
  ColorMatrix to_rgb;
  GstVideoChromaSite chroma_site = GST_VIDEO_CHROMA_SITE_UNKNOWN;
};

// How much the colours weigh in Y' by the frame's colorimetry, or by its height where that does not say it.
LumaWeights luma_weights(const GstVideoInfo& info);

// Of caps that fit the sink pad's template; nothing for others.
std::optional<FrameFormat> frame_format_of(GstCaps* caps);

// What GstVideoCropMeta leaves of a frame of textures, in fractions of these; all of them without such a meta, and
// where its rectangle is none of theirs: whoever cut the frame has left it behind.
CropRect visible_part(GstBuffer* buffer);

// A GL mapping for reading of a frame's textures. On the GL thread it costs nothing where they are up to date already.
class MappedFrame {
 public:
  MappedFrame(GstBuffer* buffer, const FrameFormat& format);
  ~MappedFrame();
  MappedFrame(const MappedFrame&) = delete;
  MappedFrame& operator=(const MappedFrame&) = delete;

  bool ok() const { return ok_; }
  const FrameRef& frame() const { return frame_; }

 private:
  FrameRef frame_;
  std::array<GstMemory*, 3> memories_{};  // those that are mapped
  std::array<GstMapInfo, 3> maps_{};
  bool ok_ = true;
};

// Ok where `buffer` holds textures of such a frame that can be used in `context`; otherwise the reason why not.
Status check_frame(GstBuffer* buffer, const FrameFormat& format, GstGLContext* context);

}  // namespace sightglass
