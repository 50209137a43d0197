#include "results/delivery.h"

#include <gst/video/gstvideometa.h>
#include <gst/video/video.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "meta/meta_types.h"
#include "results/formats.h"

namespace sightglass {

namespace {

// Fills a list or an array value by value.
class ValueList {
 public:
  explicit ValueList(GType type) : type_(type) { g_value_init(&value_, type); }
  ~ValueList() { g_value_unset(&value_); }
  ValueList(const ValueList&) = delete;
  ValueList& operator=(const ValueList&) = delete;

  void add(float number) {
    GValue item = G_VALUE_INIT;
    g_value_init(&item, G_TYPE_DOUBLE);
    g_value_set_double(&item, number);
    append(&item);
  }
  void add(const char* text) {
    GValue item = G_VALUE_INIT;
    g_value_init(&item, G_TYPE_STRING);
    g_value_set_string(&item, text);
    append(&item);
  }
  void add(GstStructure* owned) {
    GValue item = G_VALUE_INIT;
    g_value_init(&item, GST_TYPE_STRUCTURE);
    g_value_take_boxed(&item, owned);
    append(&item);
  }
  void put_into(GstStructure* structure, const char* field) const {
    gst_structure_set_value(structure, field, &value_);
  }

 private:
  void append(GValue* item) {
    if (type_ == GST_TYPE_LIST) {
      gst_value_list_append_and_take_value(&value_, item);
    } else {
      gst_value_array_append_and_take_value(&value_, item);
    }
  }
  GType type_;
  GValue value_ = G_VALUE_INIT;
};

// Labels come from files; GStreamer strings must be UTF-8.
std::string valid_text(const std::string& text) {
  gchar* valid = g_utf8_make_valid(text.data(), static_cast<gssize>(text.size()));
  std::string result(valid);
  g_free(valid);
  return result;
}

const char* point_name(const ResultObject& object, size_t i) {
  return object.skeleton != nullptr && i < object.skeleton->points.size() ? object.skeleton->points[i] : "";
}

GstStructure* detection_parameter(const InferenceResults& results, const ResultObject& object) {
  const auto& box = object.box;
  GstStructure* structure = gst_structure_new(
      "detection", "x_min", G_TYPE_DOUBLE, static_cast<double>(box[0]), "x_max", G_TYPE_DOUBLE,
      static_cast<double>(box[2]), "y_min", G_TYPE_DOUBLE, static_cast<double>(box[1]), "y_max", G_TYPE_DOUBLE,
      static_cast<double>(box[3]), "confidence", G_TYPE_DOUBLE, static_cast<double>(object.score), "label_id",
      G_TYPE_INT, object.class_id, "model_name", G_TYPE_STRING, valid_text(results.model).c_str(), "timestamp",
      G_TYPE_UINT64, results.frame.timestamp, nullptr);
  if (object.bounds)
    gst_structure_set(structure, "rotation", G_TYPE_DOUBLE, static_cast<double>(object.rotation), nullptr);
  return structure;
}

GstStructure* key_points_parameter(const ResultObject& object) {
  GstStructure* structure = gst_structure_new_empty("keypoints");
  ValueList names(GST_TYPE_ARRAY);
  for (size_t i = 0; i < object.points.size(); ++i) names.add(point_name(object, i));
  names.put_into(structure, "names");
  struct Field {
    const char* name;
    float KeyPoint::*member;
  };
  for (const Field& field : {Field{"x", &KeyPoint::x}, Field{"y", &KeyPoint::y}, Field{"z", &KeyPoint::z},
                             Field{"visibility", &KeyPoint::visibility}, Field{"presence", &KeyPoint::presence}}) {
    ValueList values(GST_TYPE_ARRAY);
    for (const KeyPoint& point : object.points) values.add(point.*field.member);
    values.put_into(structure, field.name);
  }
  return structure;
}

void put_vector(GstStructure* structure, const char* name, const ResultObject& object) {
  ValueList values(GST_TYPE_ARRAY);
  for (const float value : object.vector) values.add(value);
  values.put_into(structure, name);
}

GstStructure* classes_parameter(const ResultObject& object) {
  GstStructure* structure = gst_structure_new_empty("classifications");
  ValueList labels(GST_TYPE_ARRAY), confidences(GST_TYPE_ARRAY);
  for (const Classification& one : object.classifications) {
    labels.add(valid_text(one.label).c_str());
    confidences.add(one.score);
  }
  labels.put_into(structure, "labels");
  confidences.put_into(structure, "confidences");
  return structure;
}

bool add_region(GstBuffer* buffer, const InferenceResults& results, const ResultObject& object, int32_t width,
                int32_t height) {
  const PixelBox box = pixel_box(object.bounds.value_or(object.box), width, height);
  GstVideoRegionOfInterestMeta* region = gst_buffer_add_video_region_of_interest_meta(
      buffer, object.label.empty() ? "object" : valid_text(object.label).c_str(), static_cast<guint>(box.x),
      static_cast<guint>(box.y), static_cast<guint>(box.width), static_cast<guint>(box.height));
  if (region == nullptr) return false;
  region->id = object.id;
  gst_video_region_of_interest_meta_add_param(region, detection_parameter(results, object));
  if (!object.points.empty()) {
    gst_video_region_of_interest_meta_add_param(region, key_points_parameter(object));
  }
  if (!object.classifications.empty()) {
    gst_video_region_of_interest_meta_add_param(region, classes_parameter(object));
  }
  if (!object.vector.empty()) {
    GstStructure* structure = gst_structure_new_empty("vector");
    put_vector(structure, "values", object);
    gst_video_region_of_interest_meta_add_param(region, structure);
  }
  return true;
}

GstStructure* classification_parameter(const InferenceResults& results, const Classification& one) {
  return gst_structure_new("classification", "label", G_TYPE_STRING, valid_text(one.label).c_str(), "label_id",
                           G_TYPE_INT, one.class_id, "confidence", G_TYPE_DOUBLE, static_cast<double>(one.score),
                           "model_name", G_TYPE_STRING, valid_text(results.model).c_str(), "timestamp", G_TYPE_UINT64,
                           results.frame.timestamp, nullptr);
}

// Covers the whole frame, so that classifications also reach applications without analytics metadata.
bool add_classified_region(GstBuffer* buffer, const InferenceResults& results, int32_t width, int32_t height) {
  if (results.classifications.empty()) return true;
  GstVideoRegionOfInterestMeta* region = gst_buffer_add_video_region_of_interest_meta(
      buffer, "classification", 0, 0, static_cast<guint>(width), static_cast<guint>(height));
  if (region == nullptr) return false;
  for (const Classification& one : results.classifications) {
    gst_video_region_of_interest_meta_add_param(region, classification_parameter(results, one));
  }
  return true;
}

GstStructure* describe(const Classification& one) {
  return gst_structure_new("classification", "label", G_TYPE_STRING, valid_text(one.label).c_str(), "label-id",
                           G_TYPE_INT, one.class_id, "confidence", G_TYPE_DOUBLE, static_cast<double>(one.score),
                           nullptr);
}

GstStructure* describe(const ResultObject& object) {
  const auto& box = object.box;
  GstStructure* structure = gst_structure_new(
      "object", "label", G_TYPE_STRING, valid_text(object.label).c_str(), "label-id", G_TYPE_INT, object.class_id,
      "confidence", G_TYPE_DOUBLE, static_cast<double>(object.score), "x", G_TYPE_DOUBLE, static_cast<double>(box[0]),
      "y", G_TYPE_DOUBLE, static_cast<double>(box[1]), "width", G_TYPE_DOUBLE, static_cast<double>(box[2] - box[0]),
      "height", G_TYPE_DOUBLE, static_cast<double>(box[3] - box[1]), "rotation", G_TYPE_DOUBLE,
      static_cast<double>(object.rotation), "id", G_TYPE_UINT, static_cast<guint>(object.id), nullptr);
  ValueList points(GST_TYPE_LIST);
  for (size_t i = 0; i < object.points.size(); ++i) {
    const KeyPoint& point = object.points[i];
    points.add(gst_structure_new(
        "keypoint", "name", G_TYPE_STRING, point_name(object, i), "x", G_TYPE_DOUBLE, static_cast<double>(point.x), "y",
        G_TYPE_DOUBLE, static_cast<double>(point.y), "z", G_TYPE_DOUBLE, static_cast<double>(point.z), "visibility",
        G_TYPE_DOUBLE, static_cast<double>(point.visibility), "presence", G_TYPE_DOUBLE,
        static_cast<double>(point.presence), "world-x", G_TYPE_DOUBLE, static_cast<double>(point.world_x), "world-y",
        G_TYPE_DOUBLE, static_cast<double>(point.world_y), "world-z", G_TYPE_DOUBLE, static_cast<double>(point.world_z),
        nullptr));
  }
  points.put_into(structure, "points");
  if (!object.vector.empty()) put_vector(structure, "vector", object);
  if (object.classifications.empty()) return structure;
  ValueList classifications(GST_TYPE_LIST);
  for (const Classification& one : object.classifications) classifications.add(describe(one));
  classifications.put_into(structure, "classifications");
  return structure;
}

}  // namespace

PixelBox pixel_box(const std::array<float, 4>& box, int32_t width, int32_t height) {
  const auto pixel = [](float fraction, int32_t size) {
    // Also handles NaN.
    const float place = fraction * static_cast<float>(size);
    return place > 0 ? static_cast<int32_t>(std::lround(std::min(place, static_cast<float>(size)))) : 0;
  };
  const int32_t x = pixel(box[0], width), y = pixel(box[1], height);
  return {x, y, std::max(0, pixel(box[2], width) - x), std::max(0, pixel(box[3], height) - y)};
}

FrameStamp frame_stamp(const GstBuffer* buffer, const GstSegment& segment, uint64_t number, int32_t width,
                       int32_t height) {
  static_assert(kNoTime == GST_CLOCK_TIME_NONE);
  FrameStamp stamp;
  stamp.timestamp = GST_BUFFER_PTS(buffer);
  if (segment.format == GST_FORMAT_TIME && GST_CLOCK_TIME_IS_VALID(stamp.timestamp)) {
    stamp.stream_time = gst_segment_to_stream_time(&segment, GST_FORMAT_TIME, stamp.timestamp);
    stamp.running_time = gst_segment_to_running_time(&segment, GST_FORMAT_TIME, stamp.timestamp);
  }
  stamp.number = number;
  stamp.width = width;
  stamp.height = height;
  return stamp;
}

bool attach_results(GstBuffer* buffer, const SharedResults& results, int32_t width, int32_t height) {
  bool added = add_results_meta(buffer, results) != nullptr;
  for (const ResultObject& object : results->objects) {
    added = add_region(buffer, *results, object, width, height) && added;
  }
  added = add_classified_region(buffer, *results, width, height) && added;
  return add_analytics(buffer, *results, width, height) && added;
}

void post_results(GstElement* element, const InferenceResults& results) {
  const FrameStamp& frame = results.frame;
  GstStructure* structure = gst_structure_new(
      "sightglass-results", "timestamp", G_TYPE_UINT64, frame.timestamp, "stream-time", G_TYPE_UINT64,
      frame.stream_time, "running-time", G_TYPE_UINT64, frame.running_time, "frame", G_TYPE_UINT64, frame.number,
      "width", G_TYPE_UINT, static_cast<guint>(frame.width), "height", G_TYPE_UINT, static_cast<guint>(frame.height),
      "model", G_TYPE_STRING, valid_text(results.model).c_str(), nullptr);
  ValueList objects(GST_TYPE_LIST), classifications(GST_TYPE_LIST);
  for (const ResultObject& object : results.objects) objects.add(describe(object));
  for (const Classification& one : results.classifications) {
    classifications.add(describe(one));
  }
  objects.put_into(structure, "objects");
  classifications.put_into(structure, "classifications");
  gst_element_post_message(element, gst_message_new_element(GST_OBJECT(element), structure));
}

}  // namespace sightglass
