#include "gl/frame_format.h"

#include <iterator>
#include <string>

#include "gl/gl_bridge.h"

namespace sightglass {

LumaWeights luma_weights(const GstVideoInfo& info) {
  switch (GST_VIDEO_INFO_COLORIMETRY(&info).matrix) {
    case GST_VIDEO_COLOR_MATRIX_FCC:
      return kFcc;
    case GST_VIDEO_COLOR_MATRIX_BT709:
      return kBt709;
    case GST_VIDEO_COLOR_MATRIX_BT601:
      return kBt601;
    case GST_VIDEO_COLOR_MATRIX_SMPTE240M:
      return kSmpte240m;
    case GST_VIDEO_COLOR_MATRIX_BT2020:
      return kBt2020;
    default:  // the GStreamer default for caps without a matrix
      return GST_VIDEO_INFO_HEIGHT(&info) > 576 ? kBt709 : kBt601;
  }
}

namespace {

// Maps frame coordinates to coordinates in the chroma planes, which have half as many samples, rounded up. If a chroma
// sample is halfway between two luma samples, it is a texel center of a texture that covers the frame. If it is cosited
// with the first one, the texture is shifted by a quarter of a texel.
std::array<float, 4> chroma_map(GstVideoChromaSite chroma_site, int32_t width, int32_t height) {
  const auto site = static_cast<unsigned>(chroma_site);
  const auto samples = [](int32_t pixels) { return (pixels + 1) / 2; };
  const auto scale = [&](int32_t pixels) {
    return static_cast<float>(pixels) / static_cast<float>(2 * samples(pixels));
  };
  const auto shift = [&](unsigned cosited, int32_t pixels) {
    return (site & cosited) != 0 ? 0.25F / static_cast<float>(samples(pixels)) : 0.0F;
  };
  return {scale(width), scale(height), shift(GST_VIDEO_CHROMA_SITE_H_COSITED, width),
          shift(GST_VIDEO_CHROMA_SITE_V_COSITED, height)};
}

bool is_external(GstCaps* caps) {
  const char* target = gst_structure_get_string(gst_caps_get_structure(caps, 0), "texture-target");
  return target != nullptr && gst_gl_texture_target_from_string(target) == GST_GL_TEXTURE_TARGET_EXTERNAL_OES;
}

}  // namespace

std::optional<FrameFormat> frame_format_of(GstCaps* caps) {
  GstVideoInfo info;
  if (!gst_video_info_from_caps(&info, caps)) return std::nullopt;
  FrameFormat format;
  format.width = GST_VIDEO_INFO_WIDTH(&info);
  format.height = GST_VIDEO_INFO_HEIGHT(&info);
  format.pixel_aspect =
      static_cast<float>(GST_VIDEO_INFO_PAR_N(&info)) / static_cast<float>(GST_VIDEO_INFO_PAR_D(&info));
  const GstVideoFormat name = GST_VIDEO_INFO_FORMAT(&info);
  if (name == GST_VIDEO_FORMAT_RGBA) {
    format.kind = is_external(caps) ? FrameKind::kExternal : FrameKind::kRgba;
    return format;
  }
  const auto* planar = std::ranges::find(kPlanarFormats, name, &PlanarFormat::format);
  if (planar == std::end(kPlanarFormats)) return std::nullopt;
  format.kind = planar->kind;
  const bool full = GST_VIDEO_INFO_COLORIMETRY(&info).range == GST_VIDEO_COLOR_RANGE_0_255;
  format.to_rgb = ycbcr_to_rgb(luma_weights(info), full ? SampleRange::kFull : SampleRange::kLimited);
  if (planar->swapped) format.to_rgb = with_chroma_swapped(format.to_rgb);
  format.chroma_site = GST_VIDEO_INFO_CHROMA_SITE(&info);
  return format;
}

CropRect visible_part(GstBuffer* buffer) {
  const GstVideoCropMeta* crop = gst_buffer_get_video_crop_meta(buffer);
  GstMemory* memory = gst_buffer_peek_memory(buffer, 0);
  if (crop == nullptr || memory == nullptr || !gst_is_gl_memory(memory)) return {};
  const auto width = static_cast<guint64>(gst_gl_memory_get_texture_width(GST_GL_MEMORY_CAST(memory)));
  const auto height = static_cast<guint64>(gst_gl_memory_get_texture_height(GST_GL_MEMORY_CAST(memory)));
  if (crop->width == 0 || crop->height == 0) return {};
  if (guint64{crop->x} + crop->width > width || guint64{crop->y} + crop->height > height) return {};
  const auto fraction = [](guint part, guint64 all) { return static_cast<float>(part) / static_cast<float>(all); };
  return {fraction(crop->x, width), fraction(crop->y, height), fraction(crop->width, width),
          fraction(crop->height, height)};
}

MappedFrame::MappedFrame(GstBuffer* buffer, const FrameFormat& format) {
  frame_.kind = format.kind;
  frame_.to_rgb = format.to_rgb;
  GstGLMemory* first = GST_GL_MEMORY_CAST(gst_buffer_peek_memory(buffer, 0));
  frame_.width = gst_gl_memory_get_texture_width(first);
  frame_.height = gst_gl_memory_get_texture_height(first);
  const CropRect seen = visible_part(buffer);
  frame_.visible = {seen.x, seen.y, seen.x + seen.width, seen.y + seen.height};
  frame_.chroma = chroma_map(format.chroma_site, frame_.width, frame_.height);
  frame_.chroma_size = {(frame_.width + 1) / 2, (frame_.height + 1) / 2};
  for (size_t i = 0; i < static_cast<size_t>(planes_of(format.kind)) && ok_; ++i) {
    GstMemory* memory = gst_buffer_peek_memory(buffer, static_cast<guint>(i));
    ok_ = gst_memory_map(memory, &maps_[i], static_cast<GstMapFlags>(GST_MAP_READ | GST_MAP_GL)) != FALSE;
    if (!ok_) return;
    memories_[i] = memory;
    // A GL mapping points to the texture name.
    frame_.textures[i] = *reinterpret_cast<const guint*>(maps_[i].data);
  }
}

MappedFrame::~MappedFrame() {
  for (size_t i = 0; i < memories_.size(); ++i) {
    if (memories_[i] != nullptr) gst_memory_unmap(memories_[i], &maps_[i]);
  }
}

Status check_frame(GstBuffer* buffer, const FrameFormat& format, GstGLContext* context) {
  const auto planes = static_cast<guint>(planes_of(format.kind));
  const guint memories = gst_buffer_n_memory(buffer);
  if (memories < planes) {
    return invalid_argument("sink: cannot use a buffer with " + std::to_string(memories) +
                            " textures: the caps require " + std::to_string(planes) + "; put glupload upstream");
  }
  const GstGLTextureTarget wanted =
      format.kind == FrameKind::kExternal ? GST_GL_TEXTURE_TARGET_EXTERNAL_OES : GST_GL_TEXTURE_TARGET_2D;
  for (guint i = 0; i < planes; ++i) {
    GstMemory* memory = gst_buffer_peek_memory(buffer, i);
    SIGHTGLASS_RETURN_IF_ERROR(check_gl_memory(memory, context));
    const GstGLMemory* texture = GST_GL_MEMORY_CAST(memory);
    if (texture->tex_target != wanted) {
      return invalid_argument(std::string("sink: cannot use a texture with target ") +
                              gst_gl_texture_target_to_string(texture->tex_target) + ": the caps require " +
                              gst_gl_texture_target_to_string(wanted));
    }
    // With OpenGL ES 3.1, GL_RG8 is the only other two-channel format that GStreamer creates.
    if (texture->tex_format == GST_GL_LUMINANCE_ALPHA) {
      return unsupported("sink: cannot use a CbCr plane with format GL_LUMINANCE_ALPHA; use GL_RG8");
    }
  }
  return {};
}

}  // namespace sightglass
