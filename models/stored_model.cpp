#include "stored_model.h"

#include <filesystem>
#include <utility>

#include "gpu_engine/model_internals.h"
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

// Recognizes what it has loaded, whatever the file contains by now.
Result<StoredModel> load_contents(const FileContents& file, const std::string& name, const ModelOptions& options) {
  StoredModel stored;
  SIGHTGLASS_ASSIGN_OR_RETURN(stored.model, ModelInternals::load(file, name, options));
  stored.known = recognize_model(file.bytes);
  stored.bytes = static_cast<int64_t>(file.bytes.size());
  return stored;
}

Result<StoredModel> load_member(const TaskBundle& bundle, const std::string& member, const ModelOptions& options) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const FileContents contents, bundle.read(member));
  return load_contents(contents, member_path(bundle.name(), member), options);
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

Result<FileContents> read_member(const ModelPath& path) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TaskBundle bundle, TaskBundle::open(path.file));
  return bundle.read(path.member);
}

Result<StoredModel> load_stored_model(const std::string& path, const ModelOptions& options) {
  const ModelPath split = split_model_path(path);
  if (!split.member.empty() || TaskBundle::is_bundle(path)) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const TaskBundle bundle, TaskBundle::open(split.file));
    if (!split.member.empty()) return load_member(bundle, split.member, options);
    const std::vector<TaskBundle::Member> models = bundle.models();
    return models.size() == 1 ? load_member(bundle, models[0].name, options) : not_one_model(bundle);
  }
  const Result<FileContents> file = read_model_file(path, options);
  if (!file.ok()) return file.status().with_context(path);
  return load_contents(*file, path, options);
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
