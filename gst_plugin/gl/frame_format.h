// The engine's view of frames with given caps: the number of textures, and how samples become colors.
#pragma once

#include <gst/gl/gl.h>
#include <gst/video/video.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>

#include "sightglass/frame_ref.h"
#include "sightglass/input_transform.h"
#include "sightglass/status.h"

// The formats with planes of Y', Cb and Cr that elements sample: row(name, frame kind, whether Cr comes before Cb).
// Everything else about these formats follows from this table. Their chroma planes have half of the samples per axis.
#define SIGHTGLASS_PLANAR_FORMATS(row) \
  row(NV12, kTwoPlanes, false) row(NV21, kTwoPlanes, true) row(I420, kThreePlanes, false) row(YV12, kThreePlanes, true)
// Their names and RGBA, as caps list them and as people read them.
#define SIGHTGLASS_FORMAT_NAME(name, kind, swapped) #name ", "
#define SIGHTGLASS_FRAME_FORMATS SIGHTGLASS_PLANAR_FORMATS(SIGHTGLASS_FORMAT_NAME) "RGBA"

namespace sightglass {

struct PlanarFormat {
  GstVideoFormat format;
  const char* name;
  FrameKind kind;
  bool swapped;
};
inline constexpr PlanarFormat kPlanarFormats[] = {
#define SIGHTGLASS_ROW(name, kind, swapped) {GST_VIDEO_FORMAT_##name, #name, FrameKind::kind, swapped},
    SIGHTGLASS_PLANAR_FORMATS(SIGHTGLASS_ROW)
#undef SIGHTGLASS_ROW
};
// The format of textures that elements draw: with planes, the first one of the table.
constexpr GstVideoFormat drawn_format(bool planes) { return planes ? kPlanarFormats[0].format : GST_VIDEO_FORMAT_RGBA; }

struct FrameFormat {
  FrameKind kind = FrameKind::kRgba;
  int32_t width = 0, height = 0;  // of the visible part, as stored (not upright)
  float pixel_aspect = 1;         // width / height of a pixel, likewise
  ColorMatrix to_rgb;
  GstVideoChromaSite chroma_site = GST_VIDEO_CHROMA_SITE_UNKNOWN;
};

// The weights of the colors in Y' by the frame's colorimetry, or by its height if that is unset.
LumaWeights luma_weights(const GstVideoInfo& info);

// Format for caps that fit the template of the sink pad; nothing for others.
std::optional<FrameFormat> frame_format_of(GstCaps* caps);

// The region of GstVideoCropMeta in fractions of the textures. The whole textures if the buffer has no such meta, or if
// its rectangle exceeds them: an element that cropped the frame kept the stale meta.
CropRect visible_part(GstBuffer* buffer);

// Maps a frame's textures for reading in GL. On the GL thread this is free if they are up to date.
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

// Ok if `buffer` holds textures of such a frame that `context` can use; otherwise the reason.
Status check_frame(GstBuffer* buffer, const FrameFormat& format, GstGLContext* context);

// A frame as models and painters use it: upright, wherever it is in its textures.

// Size of upright frames in pixels. Pixels need not be square: `pixel_aspect` is the width of one by its height, as
// shown.
struct FrameSize {
  int32_t width = 0, height = 0;
  float pixel_aspect = 1;

  // The width in pixel heights. Shapes are laid out in shown_width × height, where circles are round.
  int32_t shown_width() const {
    return std::max(1, static_cast<int32_t>(std::lround(static_cast<float>(width) * pixel_aspect)));
  }
  bool operator==(const FrameSize&) const = default;
};

// Width and height of the upright frame are in pixels.
struct UprightFrame {
  FrameRef stored;
  InputTransform upright_to_stored;  // from the upright frame to its position in `stored`
  int32_t width = 0, height = 0;
  float pixel_aspect = 1;  // FrameSize

  int32_t shown_width() const { return FrameSize{width, height, pixel_aspect}.shown_width(); }
  // Map coordinates of a model input of that size to the upright frame, and to the stored one.
  InputTransform input_to_upright(int32_t input_width, int32_t input_height, Fit fit) const {
    return make_input_transform(shown_width(), height, input_width, input_height, fit);
  }
  InputTransform input_to_stored(int32_t input_width, int32_t input_height, Fit fit) const {
    return input_to_upright(input_width, input_height, fit).then(upright_to_stored);
  }
};

}  // namespace sightglass
