// Special files that may exist at a path where a regular file is expected.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace sightglass::test {

// Paths below `folder`, and their names in messages. Nothing ever writes to the pipe.
inline std::vector<std::pair<std::string, std::string>> make_special_files(const std::filesystem::path& folder,
                                                                           const std::string& extension = "") {
  const auto path = [&](const std::string& name) { return (folder / (name + extension)).string(); };
  std::filesystem::create_directories(path("directory"));
  mkfifo(path("pipe").c_str(), 0600);
  std::error_code exists;
  std::filesystem::create_symlink(path("pipe"), path("link"), exists);
  std::filesystem::create_symlink("/dev/zero", path("device"), exists);
  return {{path("directory"), "a directory"},
          {path("pipe"), "a pipe"},
          {path("link"), "a pipe"},
          {path("device"), "a device"}};
}

}  // namespace sightglass::test
