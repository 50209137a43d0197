// Models on this machine: named ones, downloaded or bundled, and files, with what the catalog knows of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu_engine/files.h"
#include "known_models.h"
#include "sightglass/model.h"
#include "sightglass/status.h"

namespace sightglass {

// Named models on this machine: a directory of downloaded files under their publisher's names, and a directory of
// bundled models. Every file is verified before use. Never downloads; see fetch_model.h.

// Files that are installed with the library or program that contains this code.

// share/sightglass/NAME in the nearest directory above that library or program that has it, so that build directories
// and installed trees are relocatable; empty if not found.
std::string installed_folder(const char* name);

enum class StoredState { kAbsent, kVerified, kChanged };  // kChanged: the checksum is not the published one

class ModelStore {
 public:
  // sightglass/models below $XDG_DATA_HOME or ~/.local/share. GLib reads the environment once per process.
  static std::string default_folder();
  // installed_folder("models")
  static std::string default_shipped_folder();
  explicit ModelStore(std::string folder = default_folder(), std::string shipped_folder = default_shipped_folder())
      : folder_(std::move(folder)), shipped_folder_(std::move(shipped_folder)) {}

  const std::string& folder() const { return folder_; }
  // Path of a named model, whether the file exists or not.
  std::string path_of(const KnownModel& model) const;
  // Reads the whole file.
  StoredState state_of(const KnownModel& model) const;

  // Returns the file to load for a user's model setting. The name of a known model means its stored file, which is read
  // and verified, whatever the working directory: ./NAME is a file of that name. Otherwise text that contains a slash
  // or names a file is a path, returned unread. Both may continue with ":MEMBER" (model_store.h). If a model is not
  // stored or was changed, the error names the command that fixes it. If the text is neither a file nor a name, the
  // error lists similar names.
  Result<std::string> resolve(const std::string& path_or_name) const;

 private:
  std::string folder_, shipped_folder_;
};

// Which models the subcommands for video use by default, and what it takes to fetch them.

// Names of the models of the task of a subcommand, such as "segment", best first. Empty: there is no such task.
std::span<const char* const> default_models(std::string_view task);
// All such tasks.
std::span<const char* const> tasks_with_default_models();
// The models that `name` needs: itself, and a detector for landmarks.
std::vector<const KnownModel*> with_companions(const char* name);

// Loads a model from a file, or from a member of a .task bundle, and recognizes it. Such a member has a path of its
// own: "face_landmarker.task:face_detector.tflite".
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
