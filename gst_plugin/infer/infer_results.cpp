#include "infer/infer_results.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "infer/landmarks.h"
#include "results/decode.h"

namespace sightglass {

namespace {

// Adds the face or hand as an object whose box encloses all of its points.
void add_landmarks(std::span<const std::byte> bytes, const InferModel& model, float threshold,
                   InferenceResults& results) {
  Landmarks landmarks;
  std::memcpy(&landmarks, bytes.data(), std::min(bytes.size(), sizeof(landmarks)));
  const int32_t count = std::clamp(landmarks.count, 0, kMaxLandmarks);
  if (count == 0 || !(landmarks.score >= threshold)) return;
  ResultObject object;
  if (model.points.face) object.label = "face";
  object.class_id = 0;
  object.score = landmarks.score;
  object.box = {landmarks.points[0][0], landmarks.points[0][1], landmarks.points[0][0], landmarks.points[0][1]};
  for (int32_t i = 0; i < count; ++i) {
    const auto& [x, y, z, unused] = landmarks.points[static_cast<size_t>(i)];
    object.points.push_back({x, y, z, landmarks.score, landmarks.score, 0, 0, 0});
    object.box = {std::min(object.box[0], x), std::min(object.box[1], y), std::max(object.box[2], x),
                  std::max(object.box[3], y)};
  }
  results.objects.push_back(std::move(object));
}

}  // namespace

InferenceResults infer_results(const InferModel& model, std::span<const std::byte> bytes, float threshold) {
  InferenceResults results;
  results.model = std::filesystem::path(model.model->name()).stem();
  switch (model.task) {
    case InferTask::kDetection:
      results.objects = detections_of(bytes, model.labels);
      break;
    case InferTask::kClassification:
      for (ResultObject& object : detections_of(bytes, model.labels)) {
        results.classifications.push_back({std::move(object.label), object.class_id, object.score});
      }
      break;
    case InferTask::kLandmarks:
      add_landmarks(bytes, model, threshold, results);
      break;
    default:
      break;
  }
  return results;
}

}  // namespace sightglass
