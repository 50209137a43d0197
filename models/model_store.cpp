#include "model_store.h"

#include <glib.h>

#include <filesystem>

#include "installed_folder.h"
#include "stored_model.h"

namespace sightglass {

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

}  // namespace sightglass
