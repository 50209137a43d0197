#include "results/decode.h"

#include <algorithm>
#include <span>

#include "detect/detections.h"

namespace sightglass {

namespace {

// The structure in the buffer; missing bytes are zero.
template <typename Content>
Content content_of(std::span<const std::byte> bytes) {
  Content content;
  std::ranges::copy(bytes.first(std::min(bytes.size(), sizeof content)),
                    std::as_writable_bytes(std::span(&content, 1)).begin());
  return content;
}

size_t valid_count(int32_t count, size_t most) { return std::min(static_cast<size_t>(std::max(count, 0)), most); }

}  // namespace

std::vector<ResultObject> persons_of(std::span<const std::byte> bytes, const Skeleton& skeleton) {
  const auto persons = content_of<Persons>(bytes);
  std::vector<ResultObject> objects;
  for (size_t i = 0; i < valid_count(persons.count, persons.persons.size()); ++i) {
    const Person& person = persons.persons[i];
    const size_t points = valid_count(person.points_count, person.points.size());
    if (points == 0) continue;
    const auto begin = person.points.begin();
    objects.push_back({"person",
                       0,
                       person.score,
                       person.box,
                       person.rotation,
                       person.id,
                       {begin, begin + static_cast<ptrdiff_t>(points)},
                       &skeleton});
  }
  return objects;
}

std::vector<ResultObject> detections_of(std::span<const std::byte> bytes, std::span<const std::string> labels) {
  const auto detections = content_of<Detections>(bytes);
  std::vector<ResultObject> objects;
  for (size_t i = 0; i < valid_count(detections.count, detections.detections.size()); ++i) {
    const Detection& detection = detections.detections[i];
    ResultObject object;
    object.class_id = detection.class_id;
    const auto number = static_cast<size_t>(detection.class_id);
    if (detection.class_id >= 0 && number < labels.size()) object.label = labels[number];
    object.score = detection.score;
    object.box = detection.box;
    for (size_t k = 0; k < valid_count(detection.points_count, detection.points.size()); ++k) {
      KeyPoint point;
      point.x = detection.points[k][0];
      point.y = detection.points[k][1];
      point.visibility = point.presence = detection.score;
      object.points.push_back(point);
    }
    objects.push_back(std::move(object));
  }
  return objects;
}

}  // namespace sightglass
