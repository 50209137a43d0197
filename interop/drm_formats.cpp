#include "drm_formats.h"

#include <drm_fourcc.h>

#include "sightglass/interop/dmabuf.h"

namespace sightglass::interop {
namespace {

constexpr FormatLayout packed(uint32_t fourcc, int bytes) { return {fourcc, 1, false, {{bytes, 1, 1, fourcc}}}; }
// Two pixels share their chroma; a row consists of such pairs.
constexpr FormatLayout pairs(uint32_t fourcc) { return {fourcc, 1, true, {{4, 2, 1}}}; }
constexpr FormatLayout two_planes(uint32_t fourcc, int across, int down) {
  return {fourcc, 2, true, {{1, 1, 1, DRM_FORMAT_R8}, {2, across, down, DRM_FORMAT_GR88}}};
}
constexpr FormatLayout three_planes(uint32_t fourcc) {
  return {fourcc, 3, true, {{1, 1, 1, DRM_FORMAT_R8}, {1, 2, 2, DRM_FORMAT_R8}, {1, 2, 2, DRM_FORMAT_R8}}};
}

constexpr FormatLayout kLayouts[] = {
    packed(DRM_FORMAT_XRGB8888, 4),
    packed(DRM_FORMAT_ARGB8888, 4),
    packed(DRM_FORMAT_XBGR8888, 4),
    packed(DRM_FORMAT_ABGR8888, 4),
    packed(DRM_FORMAT_RGBX8888, 4),
    packed(DRM_FORMAT_RGBA8888, 4),
    packed(DRM_FORMAT_BGRX8888, 4),
    packed(DRM_FORMAT_BGRA8888, 4),
    packed(DRM_FORMAT_XRGB2101010, 4),
    packed(DRM_FORMAT_ARGB2101010, 4),
    packed(DRM_FORMAT_XBGR2101010, 4),
    packed(DRM_FORMAT_ABGR2101010, 4),
    packed(DRM_FORMAT_ABGR16161616F, 8),
    packed(DRM_FORMAT_RGB888, 3),
    packed(DRM_FORMAT_BGR888, 3),
    packed(DRM_FORMAT_RGB565, 2),
    packed(DRM_FORMAT_BGR565, 2),
    packed(DRM_FORMAT_R8, 1),
    packed(DRM_FORMAT_GR88, 2),
    packed(DRM_FORMAT_RG88, 2),
    pairs(DRM_FORMAT_YUYV),
    pairs(DRM_FORMAT_YVYU),
    pairs(DRM_FORMAT_UYVY),
    pairs(DRM_FORMAT_VYUY),
    two_planes(DRM_FORMAT_NV12, 2, 2),
    two_planes(DRM_FORMAT_NV21, 2, 2),
    two_planes(DRM_FORMAT_NV16, 2, 1),
    two_planes(DRM_FORMAT_NV61, 2, 1),
    two_planes(DRM_FORMAT_NV24, 1, 1),
    two_planes(DRM_FORMAT_NV42, 1, 1),
    three_planes(DRM_FORMAT_YUV420),
    three_planes(DRM_FORMAT_YVU420),
};

}  // namespace

const FormatLayout* find_layout(uint32_t fourcc) {
  for (const FormatLayout& layout : kLayouts) {
    if (layout.fourcc == fourcc) return &layout;
  }
  return nullptr;
}

std::string known_formats() {
  std::string text;
  for (const FormatLayout& layout : kLayouts) text += (text.empty() ? "" : " ") + fourcc_text(layout.fourcc);
  return text;
}

}  // namespace sightglass::interop
