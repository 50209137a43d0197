// Loads a model from a file, or from a member of a .task bundle, and recognizes it. Such a member has a path of its
// own: "face_landmarker.task:face_detector.tflite".
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu_engine/input_file.h"
#include "known_models.h"
#include "sightglass/model.h"
#include "sightglass/status.h"

namespace sightglass {

struct ModelPath {
  std::string file, member;  // no member: the file itself
};
// Splits at the last colon, unless a file of the whole name exists.
ModelPath split_model_path(const std::string& path);
// The name without directories, bundle and extension: "face_detector".
std::string model_title(const std::string& path);
std::string member_path(const std::string& file, std::string_view member);

// The verified contents of a member.
Result<FileContents> read_member(const ModelPath& path);

struct StoredModel {
  std::shared_ptr<const Model> model;
  std::optional<KnownModel> known;  // its catalog entry
  int64_t bytes = 0;                // of the file or the member
};
// Opens a path from ModelStore::resolve(). A bundle of one model means this model. For a bundle of several models, the
// error names them, and the element that takes the whole bundle.
Result<StoredModel> load_stored_model(const std::string& path, const ModelOptions& options);

// The paths of all models in a bundle; `path` itself if it is not a bundle.
Result<std::vector<std::string>> models_at(const std::string& path);

}  // namespace sightglass
