#include "model_store.h"

#include <dlfcn.h>
#include <glib.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include "gpu_engine/internals.h"
#include "gpu_engine/quoted.h"
#include "task_bundle.h"

namespace sightglass {

namespace fs = std::filesystem;

namespace {

// File of the library or program that contains this code; empty if the system does not report it.
fs::path own_file() {
  static const char here = 0;
  Dl_info info;
  std::error_code error;
  if (dladdr(&here, &info) == 0 || info.dli_fname == nullptr) return {};
  // A program name without a slash was found in PATH.
  const bool program = std::string_view(info.dli_fname).find('/') == std::string_view::npos;
  return program ? fs::read_symlink("/proc/self/exe", error) : fs::canonical(info.dli_fname, error);
}

}  // namespace

std::string installed_folder(const char* name) {
  for (fs::path folder = own_file(); folder.has_relative_path();) {
    folder = folder.parent_path();
    std::error_code error;
    if (fs::path found = folder / "share/sightglass" / name; fs::is_directory(found, error)) return found;
  }
  return {};
}

namespace fs = std::filesystem;

std::string ModelStore::default_folder() { return std::string(g_get_user_data_dir()) + "/sightglass/models"; }

std::string ModelStore::default_shipped_folder() { return installed_folder("models"); }

std::string ModelStore::path_of(const KnownModel& model) const {
  return (is_shipped(model) ? shipped_folder_ : folder_) + "/" + model.published.file;
}

StoredState ModelStore::state_of(const KnownModel& model) const {
  const std::string path = path_of(model);
  if (sha256_of_file(path) == model.sha256) return StoredState::kVerified;
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error)) ? StoredState::kChanged : StoredState::kAbsent;
}

Result<std::string> ModelStore::resolve(const std::string& path_or_name) const {
  const KnownModel* model = find_known_model(path_or_name);
  if (model == nullptr) {
    std::error_code error;
    // "NAME:MEMBER" and "FILE.task:MEMBER"
    if (const ModelPath split = split_model_path(path_or_name); !split.member.empty() && !split.file.empty()) {
      const bool is_name = find_known_model(split.file) != nullptr;
      if (is_name || fs::is_regular_file(split.file, error)) {
        SIGHTGLASS_ASSIGN_OR_RETURN(const std::string file, resolve(split.file));
        return member_path(file, split.member);
      }
    }
    if (path_or_name.find('/') != std::string::npos || fs::exists(path_or_name, error)) return path_or_name;
    const std::string similar = similar_names(path_or_name);
    return not_found("'" + path_or_name + "' is neither a file nor the name of a known model" +
                     (similar.empty() ? "" : " (similar names: " + similar + ")") +
                     "; `sightglass models list` shows all names");
  }
  const std::string path = path_of(*model), fetch = "`sightglass models fetch " + path_or_name + "`";
  const bool shipped = is_shipped(*model);
  switch (state_of(*model)) {
    case StoredState::kVerified:
      break;
    case StoredState::kAbsent:
      if (shipped) {
        return not_found("the bundled model " + path_or_name + " is missing: " + path +
                         " not found; reinstall or rebuild sightglass");
      }
      return not_found("the model " + path_or_name + " is not on this machine; " + fetch + " downloads it to " + path);
    case StoredState::kChanged: {
      const std::string found = sha256_of_file(path);
      return invalid_model(
          path + ": cannot use it as the model " + path_or_name + ": " +
          (found.empty() ? "the file cannot be read" : "its SHA-256 is " + found + ", expected " + model->sha256) +
          "; " + (shipped ? "reinstalling or rebuilding sightglass" : fetch) + " replaces it");
    }
  }
  return path;
}

namespace {

constexpr const char* kTasks[] = {"segment", "pose", "detect", "classify"};
constexpr const char* kSegment[] = {"selfie-segmenter", "selfie-segmenter-2023", "selfie-segmenter-landscape",
                                    "deeplabv3"};
constexpr const char* kPose[] = {"blazepose-landmark-full", "blazepose-landmark-lite", "blazepose-landmark-heavy"};
constexpr const char* kDetect[] = {"ssd-mobilenet-v1", "ssdlite-detector",    "blazeface-short",
                                   "blazeface-full",   "blazeface-short-web", "blazeface-full-web"};
constexpr const char* kClassify[] = {"mobilenet-v2", "mobilenet-v1-0.25"};

}  // namespace

std::span<const char* const> default_models(std::string_view task) {
  if (task == "segment") return kSegment;
  if (task == "pose") return kPose;
  if (task == "detect") return kDetect;
  if (task == "classify") return kClassify;
  return {};
}

std::span<const char* const> tasks_with_default_models() { return kTasks; }

std::vector<const KnownModel*> with_companions(const char* name) {
  std::vector<const KnownModel*> models{find_known_model(name)};
  const bool needs_detector = std::find(std::begin(kPose), std::end(kPose), std::string_view(name)) != std::end(kPose);
  if (needs_detector) models.push_back(find_known_model("blazepose-detector"));
  return models;
}

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
