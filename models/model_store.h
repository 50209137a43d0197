// Named models on this machine: a directory of downloaded files under their publisher's names, and a directory of
// bundled models. Every file is verified before use. Never downloads; see fetch_model.h.
#pragma once

#include <string>

#include "known_models.h"
#include "sightglass/status.h"

namespace sightglass {

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
  // or names a file is a path, returned unread. Both may continue with ":MEMBER" (stored_model.h). If a model is not
  // stored or was changed, the error names the command that fixes it. If the text is neither a file nor a name, the
  // error lists similar names.
  Result<std::string> resolve(const std::string& path_or_name) const;

 private:
  std::string folder_, shipped_folder_;
};

}  // namespace sightglass
