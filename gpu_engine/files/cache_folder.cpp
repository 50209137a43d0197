#include "sightglass/cache_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace sightglass {

namespace {

Status cannot_use(const std::string& folder, const std::string& reason) {
  return invalid_argument(folder + ": cannot use this cache directory: " + reason);
}

}  // namespace

Status check_private_folder(const std::string& folder) {
  struct stat info {};
  if (stat(folder.c_str(), &info) != 0) {
    return errno == ENOENT ? Status() : cannot_use(folder, std::strerror(errno));
  }
  if (!S_ISDIR(info.st_mode)) return cannot_use(folder, "it is not a directory");
  if (info.st_uid != geteuid() && info.st_uid != 0) {
    return cannot_use(folder, "it belongs to user " + std::to_string(info.st_uid) + "; choose a directory of your own");
  }
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    std::array<char, 8> mode{};
    std::snprintf(mode.data(), mode.size(), "%04o", info.st_mode & 07777U);
    return cannot_use(folder, std::string("other users can write to it (mode ") + mode.data() +
                                  "); run `chmod go-w` on it, or choose another one");
  }
  return {};
}

Status make_private_folder(const std::string& folder) {
  constexpr mode_t kOwnerOnly = 0700;
  if (folder.empty()) return cannot_use(folder, "its name is empty");
  std::string path;
  for (const std::filesystem::path& part : std::filesystem::path(folder)) {
    path = (std::filesystem::path(path) / part).string();
    if (mkdir(path.c_str(), kOwnerOnly) == 0) continue;
    const int reason = errno;
    std::error_code ignored;
    // A read-only file system reports this error even if the directory exists.
    if (!std::filesystem::is_directory(path, ignored)) return cannot_use(folder, std::strerror(reason));
  }
  return check_private_folder(folder);
}

std::string default_cache_folder() {
  // The XDG specification requires that relative paths are ignored.
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && cache[0] == '/') return std::string(cache) + "/sightglass";
  const char* home = std::getenv("HOME");
  return home != nullptr && home[0] == '/' ? std::string(home) + "/.cache/sightglass" : std::string();
}

std::string program_folder(const std::string& cache_folder) { return cache_folder + "/programs"; }

Status check_cache_folder(const std::string& cache_folder) {
  SIGHTGLASS_RETURN_IF_ERROR(check_private_folder(cache_folder));
  return check_private_folder(program_folder(cache_folder));
}

}  // namespace sightglass
