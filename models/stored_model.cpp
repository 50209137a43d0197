#include "stored_model.h"

#include <filesystem>
#include <utility>

#include "gpu_engine/quoted.h"
#include "task_bundle.h"

namespace sightglass {

namespace fs = std::filesystem;

namespace {

// Why a bundle of several models, or of none, is not a model.
Status not_one_model(const TaskBundle& bundle) {
  const std::vector<TaskBundle::Member> models = bundle.models();
  std::string text = bundle.name() + ": cannot load the bundle as one model: it has " + bundle.list_models();
  if (models.empty()) return unsupported(text + "; use a bundle of .tflite models");
  text += "; select one, such as " + printable(member_path(bundle.name(), models[0].name));
  for (const BundledTask& task : bundle.tasks()) {
    if (task.element() != nullptr) return unsupported(text + ", or use " + task.element() + ", which takes the bundle");
  }
  return unsupported(text);
}

Result<StoredModel> load_member(const ModelPath& path, const ModelOptions& options) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, read_member(path));
  StoredModel stored;
  SIGHTGLASS_ASSIGN_OR_RETURN(stored.model, Model::load(bytes, member_path(path.file, path.member), options));
  stored.known = recognize_model(bytes);
  stored.bytes = static_cast<int64_t>(bytes.size());
  return stored;
}

}  // namespace

ModelPath split_model_path(const std::string& path) {
  const size_t colon = path.rfind(':');
  std::error_code error;
  if (colon == path.npos || fs::exists(path, error)) return {path, ""};
  return {path.substr(0, colon), path.substr(colon + 1)};
}

std::string model_title(const std::string& path) {
  const ModelPath split = split_model_path(path);
  return fs::path(split.member.empty() ? split.file : split.member).stem();
}

std::string member_path(const std::string& file, std::string_view member) { return file + ":" + std::string(member); }

Result<std::vector<std::byte>> read_member(const ModelPath& path) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TaskBundle bundle, TaskBundle::open(path.file));
  return bundle.read(path.member);
}

Result<StoredModel> load_stored_model(const std::string& path, const ModelOptions& options) {
  const ModelPath split = split_model_path(path);
  if (!split.member.empty()) return load_member(split, options);
  if (TaskBundle::is_bundle(path)) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const TaskBundle bundle, TaskBundle::open(path));
    const std::vector<TaskBundle::Member> models = bundle.models();
    if (models.size() != 1) return not_one_model(bundle);
    return load_member({path, models[0].name}, options);
  }
  StoredModel stored;
  SIGHTGLASS_ASSIGN_OR_RETURN(stored.model, Model::load(path, options));
  stored.known = recognize_model(path);
  std::error_code error;
  const auto bytes = fs::file_size(path, error);
  stored.bytes = error ? 0 : static_cast<int64_t>(bytes);
  return stored;
}

Result<std::vector<std::string>> models_at(const std::string& path) {
  if (!TaskBundle::is_bundle(path)) return std::vector<std::string>{path};
  SIGHTGLASS_ASSIGN_OR_RETURN(const TaskBundle bundle, TaskBundle::open(path));
  std::vector<std::string> paths;
  for (const TaskBundle::Member& model : bundle.models()) paths.push_back(member_path(path, model.name));
  if (paths.empty()) return not_one_model(bundle);
  return paths;
}

}  // namespace sightglass
