#include "infer/infer_results.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "infer/blendshapes.h"
#include "infer/landmarks.h"
#include "results/decode.h"
#include "stored_model.h"

namespace sightglass {

namespace {

// Names the object by the subject of the landmarks.
void name_subject(const InferModel::PointsLayout& points, const Landmarks& landmarks, ResultObject& object) {
  object.class_id = 0;
  switch (points.subject) {
    case InferModel::Subject::kFace:
      object.label = "face";
      break;
    case InferModel::Subject::kEye:
      object.label = "eye";
      break;
    case InferModel::Subject::kHand:
      object.label = "hand";
      object.skeleton = &hand_skeleton();
      if (!points.handedness) break;
      object.class_id = landmarks.right >= 0.5f ? 1 : 0;
      object.label = object.class_id == 1 ? "right_hand" : "left_hand";
      break;
    case InferModel::Subject::kUnknown:
      break;
  }
}

// Adds a face, hand or eye as an object whose box encloses all of its points.
void add_landmarks(const Landmarks& landmarks, size_t blendshapes, const InferModel& model, float threshold,
                   InferenceResults& results) {
  const int32_t count = std::clamp(landmarks.count, 0, kMaxLandmarks);
  if (count == 0 || !(landmarks.score >= threshold)) return;
  ResultObject object;
  name_subject(model.points, landmarks, object);
  object.score = landmarks.score;
  object.id = landmarks.id;
  object.box = {landmarks.points[0][0], landmarks.points[0][1], landmarks.points[0][0], landmarks.points[0][1]};
  for (int32_t i = 0; i < count; ++i) {
    const auto& [x, y, z, unused] = landmarks.points[static_cast<size_t>(i)];
    object.points.push_back({x, y, z, landmarks.score, landmarks.score, 0, 0, 0});
    object.box = {std::min(object.box[0], x), std::min(object.box[1], y), std::max(object.box[2], x),
                  std::max(object.box[3], y)};
  }
  for (size_t i = 0; i < blendshapes; ++i) {
    object.classifications.push_back({kBlendshapeNames[i], static_cast<int32_t>(i), landmarks.blendshapes[i]});
  }
  results.objects.push_back(std::move(object));
}

void add_landmarks(std::span<const std::byte> bytes, const InferModel& model, float threshold,
                   InferenceResults& results) {
  const auto found = std::make_unique<LandmarkObjects>();
  std::memcpy(found.get(), bytes.data(), std::min(bytes.size(), sizeof(*found)));
  const auto count = static_cast<size_t>(std::clamp(found->count, 0, kMaxLandmarkObjects));
  const auto blendshapes = static_cast<size_t>(std::clamp(found->blendshapes, 0, kBlendshapes));
  for (size_t i = 0; i < count; ++i) add_landmarks(found->objects[i], blendshapes, model, threshold, results);
}

}  // namespace

InferenceResults infer_results(const InferModel& model, std::span<const std::byte> bytes, float threshold) {
  InferenceResults results;
  results.model = model_title(model.model->name());
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
