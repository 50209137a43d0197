// Copies of the results that frames carry, for tests.
#pragma once

#include <gst/gst.h>

#include <map>
#include <string>
#include <vector>

#include "sightglass/gst/results_meta.h"
#include "test_pipeline.h"

namespace sightglass::test {

struct SeenObject {
  struct Point {
    float x = 0, y = 0;  // in fractions of the frame
    std::string name;
  };
  std::string label;
  gint numbered = -1;  // class
  float rotation = 0;
  guint id = 0;
  float confidence = 0, left = 0, top = 0, right = 0, bottom = 0;
  std::vector<Point> points;
  std::map<std::string, float> classes;
  std::map<gint, float> numbered_classes;  // without labels
};

struct SeenResults {
  std::string model;
  guint64 frame = 0;
  std::vector<SeenObject> objects;
  std::vector<std::string> classifications;  // labels
};

// All results on a buffer, in order.
inline std::vector<SeenResults> results_on(GstBuffer* buffer) {
  const auto text = [](const char* from) { return std::string(from != nullptr ? from : ""); };
  std::vector<SeenResults> all;
  gpointer state = nullptr;
  while (const SightglassResultsMeta* meta = sightglass_buffer_iterate_results_meta(buffer, &state)) {
    const SightglassResults& results = *meta->results;
    SeenResults& seen = all.emplace_back(SeenResults{text(results.model), results.frame, {}, {}});
    for (guint i = 0; i < results.objects_count; ++i) {
      const SightglassResultObject& from = results.objects[i];
      SeenObject& object = seen.objects.emplace_back(SeenObject{text(from.label),
                                                                from.label_id,
                                                                from.rotation,
                                                                from.id,
                                                                from.confidence,
                                                                from.x,
                                                                from.y,
                                                                from.x + from.width,
                                                                from.y + from.height,
                                                                {},
                                                                {},
                                                                {}});
      for (guint k = 0; k < from.points_count; ++k) {
        object.points.push_back({from.points[k].x, from.points[k].y, text(from.points[k].name)});
      }
      const SightglassObjectClasses& classes = results.objects_classes[i];
      for (guint k = 0; k < classes.classifications_count; ++k) {
        const SightglassClassification& one = classes.classifications[k];
        if (one.label != nullptr) object.classes[one.label] = one.confidence;
        if (one.label == nullptr) object.numbered_classes[one.label_id] = one.confidence;
      }
    }
    for (guint i = 0; i < results.classifications_count; ++i) {
      seen.classifications.push_back(text(results.classifications[i].label));
    }
  }
  return all;
}

// The frame numbers of all results on a buffer.
inline std::vector<uint64_t> frames_of_results(GstBuffer* buffer) {
  std::vector<uint64_t> frames;
  for (const SeenResults& seen : results_on(buffer)) frames.push_back(seen.frame);
  return frames;
}

// The newest results that left an element.
struct NewestResults : SeenResults {
  explicit NewestResults(GstElement* element) {
    on_buffers(element, "src", [this](GstBuffer* buffer) {
      for (SeenResults& seen : results_on(buffer)) {
        static_cast<SeenResults&>(*this) = std::move(seen);
        ++count;
      }
    });
  }
  NewestResults(const NewestResults&) = delete;
  NewestResults& operator=(const NewestResults&) = delete;

  int count = 0;  // of all results so far
};

}  // namespace sightglass::test
