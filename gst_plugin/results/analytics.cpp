#include <algorithm>
#include <cmath>
#include <vector>

#include "results/formats.h"

#ifdef SIGHTGLASS_ANALYTICS
#include <gst/analytics/analytics.h>
#endif

namespace sightglass {

#ifdef SIGHTGLASS_ANALYTICS

namespace {

GQuark quark_of(const std::string& label, int32_t class_id) {
  if (!label.empty()) return g_quark_from_string(label.c_str());
  return g_quark_from_string(class_id < 0 ? "object" : ("class " + std::to_string(class_id)).c_str());
}

gint pixel(float fraction, int32_t size) {
  constexpr float kFar = 1e6F;
  const float place = fraction * static_cast<float>(size);
  return std::isnan(place) ? 0 : static_cast<gint>(std::lround(std::clamp(place, -kFar, kFar)));
}

#if GST_CHECK_VERSION(1, 30, 0)
// Adds a group with the conventional tag ("pose-17-kp") and the skeleton's connections.
bool add_key_points(GstAnalyticsRelationMeta* meta, guint object_id, const ResultObject& object, int32_t width,
                    int32_t height) {
  std::vector<gint> places, pairs;
  std::vector<gfloat> confidences;
  for (const KeyPoint& point : object.points) {
    for (const gint place : {pixel(point.x, width), pixel(point.y, height), pixel(point.z, width)}) {
      places.push_back(place);
    }
    confidences.push_back(point.visibility);
  }
  if (object.skeleton != nullptr) {
    for (const auto& [from, to] : object.skeleton->bones) {
      pairs.push_back(from);
      pairs.push_back(to);
    }
  }
  const std::string tag = "pose-" + std::to_string(object.points.size()) + "-kp";
  GstAnalyticsGroupMtd group;
  return gst_analytics_relation_meta_add_keypoints_group(
             meta, tag.c_str(), GST_ANALYTICS_KEYPOINT_DIMENSIONS_3D, places.size(), places.data(),
             object.points.size(), confidences.data(), nullptr, pairs.size(), pairs.data(), &group) != FALSE &&
         gst_analytics_relation_meta_set_relation(meta, GST_ANALYTICS_REL_TYPE_RELATE_TO, object_id, group.id) != FALSE;
}
#else
bool add_key_points(GstAnalyticsRelationMeta*, guint, const ResultObject&, int32_t, int32_t) { return true; }
#endif

PixelBox whole_pixel_box(const std::array<float, 4>& box, int32_t width, int32_t height) {
  const int32_t x = pixel(box[0], width), y = pixel(box[1], height);
  return {x, y, pixel(box[2], width) - x, pixel(box[3], height) - y};
}

bool add_object(GstAnalyticsRelationMeta* meta, const ResultObject& object, const FrameStamp& frame, int32_t width,
                int32_t height) {
  const GQuark label = quark_of(object.label, object.class_id);
  GstAnalyticsODMtd detection;
  if (object.bounds) {
    // Not clipped: it rotates around its center.
    const PixelBox box = whole_pixel_box(object.box, width, height);
    if (gst_analytics_relation_meta_add_oriented_od_mtd(meta, label, box.x, box.y, box.width, box.height,
                                                        object.rotation, object.score, &detection) == FALSE) {
      return false;
    }
  } else {
    const PixelBox box = pixel_box(object.box, width, height);
    if (gst_analytics_relation_meta_add_od_mtd(meta, label, box.x, box.y, box.width, box.height, object.score,
                                               &detection) == FALSE) {
      return false;
    }
  }
  if (object.id != 0) {
    GstAnalyticsTrackingMtd tracking;
    if (gst_analytics_relation_meta_add_tracking_mtd(meta, static_cast<guint64>(object.id), frame.timestamp,
                                                     &tracking) == FALSE ||
        gst_analytics_relation_meta_set_relation(meta, GST_ANALYTICS_REL_TYPE_RELATE_TO, detection.id, tracking.id) ==
            FALSE) {
      return false;
    }
  }
  return object.points.empty() || add_key_points(meta, detection.id, object, width, height);
}

}  // namespace

bool add_analytics(GstBuffer* buffer, const InferenceResults& results, int32_t width, int32_t height) {
  if (results.objects.empty() && results.classifications.empty()) return true;
  GstAnalyticsRelationMeta* meta = gst_buffer_get_analytics_relation_meta(buffer);
  if (meta == nullptr) meta = gst_buffer_add_analytics_relation_meta(buffer);
  if (meta == nullptr) return false;
  for (const ResultObject& object : results.objects) {
    if (!add_object(meta, object, results.frame, width, height)) return false;
  }
  if (results.classifications.empty()) return true;
  std::vector<gfloat> levels;
  std::vector<GQuark> classes;
  for (const Classification& one : results.classifications) {
    levels.push_back(one.score);
    classes.push_back(quark_of(one.label, one.class_id));
  }
  GstAnalyticsClsMtd classification;
  return gst_analytics_relation_meta_add_cls_mtd(meta, levels.size(), levels.data(), classes.data(), &classification) !=
         FALSE;
}

#else

bool add_analytics(GstBuffer*, const InferenceResults&, int32_t, int32_t) { return true; }

#endif

}  // namespace sightglass
