#include <cmath>
#include <nlohmann/json.hpp>

#include "gpu_engine/quoted.h"
#include "results/formats.h"

namespace sightglass {

namespace {

using Json = nlohmann::json;

// A float has about seven digits; more would be noise. JSON cannot represent NaN or infinity.
Json number(float value) {
  constexpr double kDigits = 1e6;
  if (!std::isfinite(value)) return nullptr;
  return std::round(static_cast<double>(value) * kDigits) / kDigits;
}

Json point_json(const SightglassResultPoint& point) {
  Json json{{"x", number(point.x)},
            {"y", number(point.y)},
            {"z", number(point.z)},
            {"visibility", number(point.visibility)},
            {"presence", number(point.presence)}};
  if (point.name != nullptr) json["name"] = point.name;
  if (point.world_x != 0 || point.world_y != 0 || point.world_z != 0) {
    json["world"] = {number(point.world_x), number(point.world_y), number(point.world_z)};
  }
  return json;
}

Json class_json(const SightglassClassification& one) {
  Json json{{"confidence", number(one.confidence)}};
  if (one.label != nullptr) json["label"] = one.label;
  if (one.label_id >= 0) json["label_id"] = one.label_id;
  return json;
}

void put_place(Json& json, const PixelBox& box, size_t region) {
  json["x"] = box.x;
  json["y"] = box.y;
  json["w"] = box.width;
  json["h"] = box.height;
  json["region_id"] = region;
}

Json object_json(const SightglassResults& results, guint index, size_t region, int32_t width, int32_t height) {
  const SightglassResultObject& object = results.objects[index];
  const SightglassObjectClasses& classes = results.objects_classes[index];
  const float right = object.x + object.width, bottom = object.y + object.height;
  Json detection{
      {"bounding_box",
       {{"x_min", number(object.x)}, {"x_max", number(right)}, {"y_min", number(object.y)}, {"y_max", number(bottom)}}},
      {"confidence", number(object.confidence)},
      {"model", {{"name", results.model}}}};
  if (object.label_id >= 0) detection["label_id"] = object.label_id;
  Json json;
  put_place(json, pixel_box({object.x, object.y, right, bottom}, width, height), region);
  if (object.label != nullptr) {
    detection["label"] = object.label;
    json["roi_type"] = object.label;
  }
  json["detection"] = std::move(detection);
  if (object.id != 0) json["id"] = object.id;
  if (object.rotation != 0) json["rotation"] = number(object.rotation);
  for (guint i = 0; i < object.points_count; ++i) json["keypoints"].push_back(point_json(object.points[i]));
  for (guint i = 0; i < classes.classifications_count; ++i) {
    json["classifications"].push_back(class_json(classes.classifications[i]));
  }
  const SightglassObjectVector& vector = results.objects_vectors[index];
  for (guint i = 0; i < vector.values_count; ++i) json["vector"].push_back(number(vector.values[i]));
  return json;
}

Json classification_json(const SightglassResults& results, const SightglassClassification& one) {
  Json json = class_json(one);
  json["model"] = {{"name", results.model}};
  return json;
}

void add_results(Json& objects, const SightglassResults& results, int32_t width, int32_t height) {
  for (guint i = 0; i < results.objects_count; ++i) {
    objects.push_back(object_json(results, i, objects.size(), width, height));
  }
  if (results.classifications_count == 0) return;
  Json picture{{"classification", classification_json(results, results.classifications[0])}};
  put_place(picture, {0, 0, width, height}, objects.size());
  for (guint i = 0; i < results.classifications_count && results.classifications_count > 1; ++i) {
    picture["classifications"].push_back(classification_json(results, results.classifications[i]));
  }
  objects.push_back(std::move(picture));
}

}  // namespace

bool is_json(const std::string& text) { return Json::accept(text); }

std::string results_json(std::span<const SightglassResults* const> results, int32_t width, int32_t height,
                         const JsonStyle& style) {
  Json json{{"resolution", {{"width", width}, {"height", height}}}};
  Json objects = Json::array();
  for (const SightglassResults* one : results) {
    add_results(objects, *one, width, height);
    const GstClockTime time = GST_CLOCK_TIME_IS_VALID(one->stream_time) ? one->stream_time : one->timestamp;
    if (GST_CLOCK_TIME_IS_VALID(time)) json["timestamp"] = time;
  }
  if (!objects.empty()) json["objects"] = std::move(objects);
  if (!style.source.empty()) json["source"] = style.source;
  if (!style.tags.empty()) json["tags"] = Json::parse(style.tags, nullptr, false);
  return printable_json(json.dump(style.indent, ' ', false, Json::error_handler_t::replace));
}

}  // namespace sightglass
