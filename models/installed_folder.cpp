#include "installed_folder.h"

#include <dlfcn.h>

#include <filesystem>
#include <string_view>
#include <system_error>

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

}  // namespace sightglass
