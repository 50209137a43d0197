// The directory for the files of a test.
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace sightglass::test {

// A directory per process, because tests run in parallel. It is deleted when the process ends.
inline const std::filesystem::path& scratch_folder() {
  struct Folder {
    Folder() {
      std::string name = std::filesystem::temp_directory_path() / "sightglass-test-XXXXXX";
      if (mkdtemp(name.data()) == nullptr) throw std::system_error(errno, std::generic_category(), name);
      path = name;
    }
    ~Folder() {
      std::error_code ignored;
      if (getpid() == owner) std::filesystem::remove_all(path, ignored);
    }
    const pid_t owner = getpid();  // a child that ends does not delete the files of its parent
    std::filesystem::path path;
  };
  static const Folder folder;
  return folder.path;
}

}  // namespace sightglass::test
