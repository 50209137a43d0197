// Models with names on this machine: a folder of files as their publisher names them and a folder of those that come
// with the project. Every file is verified before it is used. Never downloads; see fetch_model.h.
#pragma once

#include <string>

#include "gpu_engine/status.h"
#include "known_models.h"

namespace sightglass {

enum class StoredState { kAbsent, kVerified, kChanged };  // kChanged: a file whose checksum is not the published one

class ModelStore {
 public:
  // sightglass/models below $XDG_DATA_HOME or ~/.local/share. GLib reads the environment once in a process.
  static std::string default_folder();
  // share/sightglass/models in the nearest folder above this library or program that has it, so that build folders and
  // installed trees can be moved; empty when there is none.
  static std::string default_shipped_folder();
  explicit ModelStore(std::string folder = default_folder(), std::string shipped_folder = default_shipped_folder())
      : folder_(std::move(folder)), shipped_folder_(std::move(shipped_folder)) {}

  const std::string& folder() const { return folder_; }
  // Of a model with a name, whether its file is there or not.
  std::string path_of(const KnownModel& model) const;
  // Reads the whole file.
  StoredState state_of(const KnownModel& model) const;

  // The file to load for what a user has given as a model. The name of a known model means its stored file, which
  // is read and verified, and is the same in every folder that one works in: ./NAME is a file of that name. Else what
  // has a slash or is a file is a path, and is handed back unread. Fails, saying which command helps, where a model is
  // not stored or was changed, and with similar names where a text is neither a file nor a name.
  Result<std::string> resolve(const std::string& path_or_name) const;

 private:
  std::string folder_, shipped_folder_;
};

}  // namespace sightglass
