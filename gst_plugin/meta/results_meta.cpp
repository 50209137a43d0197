#include "sightglass/gst/results_meta.h"

#include <gst/video/gstvideometa.h>
#include <gst/video/video.h>

#include <memory>
#include <utility>
#include <vector>

#include "gobject/guarded.h"
#include "meta/meta_types.h"

namespace sightglass {

namespace {

// The results and their C view.
struct View {
  explicit View(SharedResults shared) : results(std::move(shared)) {
    size_t points_count = 0;
    for (const ResultObject& object : results->objects) points_count += object.points.size();
    points.reserve(points_count);  // keeps pointers to elements valid
    size_t details_count = 0;
    for (const ResultObject& object : results->objects) details_count += object.classifications.size();
    details.reserve(details_count);
    for (const ResultObject& object : results->objects) {
      objects.push_back(view(object));
      const size_t first = details.size();
      for (const Classification& one : object.classifications) {
        details.push_back({name(one.label), one.class_id, one.score});
      }
      objects_classes.push_back({static_cast<guint>(object.classifications.size()),
                                 object.classifications.empty() ? nullptr : details.data() + first});
      objects_vectors.push_back(
          {static_cast<guint>(object.vector.size()), object.vector.empty() ? nullptr : object.vector.data()});
    }
    for (const Classification& one : results->classifications) {
      classifications.push_back({name(one.label), one.class_id, one.score});
    }
    const FrameStamp& frame = results->frame;
    seen = {results->model.c_str(),
            frame.timestamp,
            frame.stream_time,
            frame.running_time,
            frame.number,
            static_cast<guint>(frame.width),
            static_cast<guint>(frame.height),
            static_cast<guint>(objects.size()),
            objects.data(),
            static_cast<guint>(classifications.size()),
            classifications.data(),
            objects_classes.data(),
            objects_vectors.data()};
  }
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  static const gchar* name(const std::string& label) { return label.empty() ? nullptr : label.c_str(); }
  SightglassResultObject view(const ResultObject& object) {
    const size_t first = points.size();
    for (size_t i = 0; i < object.points.size(); ++i) {
      const KeyPoint& point = object.points[i];
      const bool named = object.skeleton != nullptr && i < object.skeleton->points.size();
      points.push_back({named ? object.skeleton->points[i] : nullptr, point.x, point.y, point.z, point.visibility,
                        point.presence, point.world_x, point.world_y, point.world_z});
    }
    const auto& box = object.box;
    return {name(object.label),
            object.class_id,
            object.score,
            box[0],
            box[1],
            box[2] - box[0],
            box[3] - box[1],
            object.rotation,
            static_cast<guint>(object.id),
            static_cast<guint>(object.points.size()),
            object.points.empty() ? nullptr : points.data() + first};
  }

  SharedResults results;
  std::vector<SightglassResultPoint> points;
  std::vector<SightglassResultObject> objects;
  std::vector<SightglassClassification> details;  // classifications of objects
  std::vector<SightglassObjectClasses> objects_classes;
  std::vector<SightglassObjectVector> objects_vectors;
  std::vector<SightglassClassification> classifications;
  SightglassResults seen{};
};
using SharedView = std::shared_ptr<const View>;

GType api_type() {
  static const gchar* tags[] = {GST_META_TAG_VIDEO_STR, GST_META_TAG_VIDEO_ORIENTATION_STR, GST_META_TAG_VIDEO_SIZE_STR,
                                nullptr};
  static const GType type = gst_meta_api_type_register(SIGHTGLASS_RESULTS_META_API_NAME, tags);
  return type;
}

SightglassResultsMeta* results_of(GstMeta* meta) { return reinterpret_cast<SightglassResultsMeta*>(meta); }
const SharedView& view_of(const SightglassResultsMeta* meta) { return *static_cast<const SharedView*>(meta->owner); }

SightglassResultsMeta* add_view(GstBuffer* buffer, SharedView view) {
  SightglassResultsMeta* meta = results_of(gst_buffer_add_meta(buffer, results_meta_info(), nullptr));
  if (meta == nullptr) return nullptr;
  meta->results = &view->seen;
  meta->owner = new SharedView(std::move(view));
  return meta;
}

gboolean init(GstMeta* meta, gpointer /*params*/, GstBuffer* /*buffer*/) {
  results_of(meta)->results = nullptr;
  results_of(meta)->owner = nullptr;
  return TRUE;
}

void release(GstMeta* meta, GstBuffer* /*buffer*/) { delete static_cast<const SharedView*>(results_of(meta)->owner); }

gboolean transform(GstBuffer* destination, GstMeta* meta, GstBuffer* /*buffer*/, GQuark type, gpointer data) {
  if (GST_META_TRANSFORM_IS_COPY(type)) {
    if (static_cast<GstMetaTransformCopy*>(data)->region != FALSE) return FALSE;
  } else if (!GST_VIDEO_META_TRANSFORM_IS_SCALE(type)) {
    return FALSE;  // coordinates do not follow other transforms of the frame
  }
  return add_view(destination, view_of(results_of(meta))) != nullptr;
}

}  // namespace

const GstMetaInfo* results_meta_info() {
  static const GstMetaInfo* const info =
      gst_meta_register(api_type(), "SightglassResultsMeta", sizeof(SightglassResultsMeta), guarded<init>,
                        guarded<release>, guarded<transform>);
  return info;
}

SightglassResultsMeta* add_results_meta(GstBuffer* buffer, const SharedResults& results) {
  return add_view(buffer, std::make_shared<const View>(results));
}

}  // namespace sightglass
