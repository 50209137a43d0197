// List of the programs of glinfer, for the element to build and tests to check.
#pragma once

#include <vector>

#include "infer/landmarks.h"
#include "sightglass/model.h"
#include "sightglass/shader_source.h"

namespace sightglass {

inline const ShaderKey kPostprocessShader{"infer/postprocess.comp", {}};
inline const ShaderKey kDrawDetectionsShader{"infer/draw_detections.comp", {}};
inline const ShaderKey kDrawTracksShader{"infer/draw_detections.comp", {{"TRACKED", "1"}}};
inline const ShaderKey kDrawClassesShader{"infer/draw_classes.comp", {}};
inline const ShaderKey kDrawLandmarksShader{"infer/draw_landmarks.comp", {}};
inline const ShaderKey kRangeShader{"infer/range.comp", {}};
inline const ShaderKey kGatherLandmarksShader{"infer/gather_landmarks.comp", {}};
inline const ShaderKey kStoreBlendshapesShader{"infer/store_blendshapes.comp", {}};

inline const ShaderKey kSelectObjectsShader{"infer/select_objects.comp", {}};
inline const ShaderKey kNextObjectShader{"infer/next_object.comp", {}};
inline const ShaderKey kPublishObjectsShader{"infer/publish_objects.comp", {}};
inline const ShaderKey kDrawObjectsShader{"infer/draw_objects.comp", {}};
inline ShaderKey store_object_shader(ObjectValues values) {
  ShaderKey key{"infer/store_object.comp", {}};
  if (values == ObjectValues::kPoints) key.defines.push_back({"POINTS", "1"});
  if (values == ObjectValues::kVector) key.defines.push_back({"VECTOR", "1"});
  return key;
}

// `in_region`: the model ran on a region of the frame.
inline ShaderKey place_landmarks_shader(bool in_region) {
  ShaderKey key{"infer/place_landmarks.comp", {}};
  if (in_region) key.defines.push_back({"REGION", "1"});
  return key;
}

// `left` is the activation to apply.
inline ShaderKey top_classes_shader(OutputActivation left) {
  ShaderKey key{"infer/top_classes.comp", {}};
  if (left == OutputActivation::kSoftmax) key.defines.push_back({"SOFTMAX", "1"});
  if (left == OutputActivation::kSigmoid) key.defines.push_back({"SIGMOID", "1"});
  return key;
}

inline ShaderKey to_picture_shader(bool map) {
  ShaderKey key{"infer/to_picture.comp", {}};
  if (map) key.defines.push_back({"MAP", "1"});
  return key;
}

inline std::vector<ShaderKey> infer_shader_variants() {
  std::vector<ShaderKey> keys{kPostprocessShader,     kDrawDetectionsShader,  kDrawTracksShader,
                              kDrawClassesShader,     kDrawLandmarksShader,   kRangeShader,
                              kGatherLandmarksShader, kStoreBlendshapesShader};
  for (const auto left : {OutputActivation::kNone, OutputActivation::kSigmoid, OutputActivation::kSoftmax}) {
    keys.push_back(top_classes_shader(left));
  }
  for (const bool map : {false, true}) keys.push_back(to_picture_shader(map));
  keys.insert(keys.end(), {kSelectObjectsShader, kNextObjectShader, kPublishObjectsShader, kDrawObjectsShader});
  for (const auto values : {ObjectValues::kClasses, ObjectValues::kPoints, ObjectValues::kVector}) {
    keys.push_back(store_object_shader(values));
  }
  for (const bool in_region : {false, true}) keys.push_back(place_landmarks_shader(in_region));
  return keys;
}

}  // namespace sightglass
