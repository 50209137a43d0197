#include "gl/orientation.h"

#include <gst/gl/gl.h>
#include <gst/video/navigation.h>

#include <array>
#include <cmath>

namespace sightglass {

std::optional<Orientation> to_orientation(GstVideoOrientationMethod method) {
  switch (method) {
    case GST_VIDEO_ORIENTATION_IDENTITY:
      return Orientation::kIdentity;
    case GST_VIDEO_ORIENTATION_90R:
      return Orientation::kRotate90;
    case GST_VIDEO_ORIENTATION_180:
      return Orientation::kRotate180;
    case GST_VIDEO_ORIENTATION_90L:
      return Orientation::kRotate270;
    case GST_VIDEO_ORIENTATION_HORIZ:
      return Orientation::kMirror;
    case GST_VIDEO_ORIENTATION_VERT:
      return Orientation::kFlip;
    case GST_VIDEO_ORIENTATION_UL_LR:
      return Orientation::kTranspose;
    case GST_VIDEO_ORIENTATION_UR_LL:
      return Orientation::kAntiTranspose;
    default:
      return std::nullopt;
  }
}

bool OrientationTags::read(const GstTagList* tags) {
  GstVideoOrientationMethod method = GST_VIDEO_ORIENTATION_IDENTITY;
  if (!gst_video_orientation_from_tag(const_cast<GstTagList*>(tags), &method)) return false;
  const std::optional<Orientation> orientation = to_orientation(method);
  if (!orientation) return false;
  (gst_tag_list_get_scope(tags) == GST_TAG_SCOPE_STREAM ? stream_ : global_) = orientation;
  return true;
}

GstEvent* upright_tag_event(GstEvent* event) {
  GstTagList* tags = nullptr;
  gst_event_parse_tag(event, &tags);
  tags = gst_tag_list_copy(tags);
  gst_tag_list_add(tags, GST_TAG_MERGE_REPLACE, GST_TAG_IMAGE_ORIENTATION, "rotate-0", nullptr);
  GstEvent* upright = gst_event_new_tag(tags);
  gst_event_set_seqnum(upright, gst_event_get_seqnum(event));
  return upright;
}

GstEvent* stored_navigation_event(GstEvent* event, Orientation orientation, gint width, gint height) {
  gdouble x = 0, y = 0;
  if (orientation == Orientation::kIdentity || !gst_navigation_event_get_coordinates(event, &x, &y)) return event;
  const auto m = upright_to_stored(orientation).m;
  const double u = x / width, v = y / height;
  const bool swapped = swaps_axes(orientation);
  event = gst_event_make_writable(event);
  gst_navigation_event_set_coordinates(event, (m[0] * u + m[1] * v + m[2]) * (swapped ? height : width),
                                       (m[3] * u + m[4] * v + m[5]) * (swapped ? width : height));
  return event;
}

InputTransform shown_to_stored(GstBuffer* buffer) {
  GstVideoAffineTransformationMeta* meta = gst_buffer_get_video_affine_transformation_meta(buffer);
  if (meta == nullptr) return {};
  // Column-major; maps a vertex of the frame to the position where it is drawn, from -1 to 1, y pointing up.
  std::array<gfloat, 16> ndc{};
  gst_gl_get_affine_transformation_meta_as_ndc(meta, ndc.data());
  // The same from 0 to 1, y pointing down.
  const InputTransform stored_to_shown{{ndc[0], -ndc[4], 0.5F * (1 + ndc[12] - ndc[0] + ndc[4]), -ndc[1], ndc[5],
                                        0.5F * (1 - ndc[13] + ndc[1] - ndc[5])}};
  const auto& m = stored_to_shown.m;
  constexpr float kLeastArea = 1e-6F;  // a frame seen edge-on has no inverse
  if (!(std::abs(m[0] * m[4] - m[1] * m[3]) > kLeastArea)) return {};
  return stored_to_shown.inverse();
}

}  // namespace sightglass
