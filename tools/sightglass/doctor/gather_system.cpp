#include <grp.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <thread>

#include "common/command_line.h"
#include "doctor/gather.h"
#include "sightglass/cache_folder.h"

namespace sightglass::doctor {

namespace {

namespace fs = std::filesystem;

// DISPLAY is not listed: it can contain the name of a machine.
constexpr const char* kVariables[] = {"LIBGL_ALWAYS_SOFTWARE",
                                      "GALLIUM_DRIVER",
                                      "MESA_LOADER_DRIVER_OVERRIDE",
                                      "MESA_GLES_VERSION_OVERRIDE",
                                      "EGL_PLATFORM",
                                      "__EGL_VENDOR_LIBRARY_FILENAMES",
                                      "__EGL_VENDOR_LIBRARY_DIRS",
                                      "GBM_BACKENDS_PATH",
                                      "LIBVA_DRIVER_NAME",
                                      "LD_LIBRARY_PATH",
                                      "LD_PRELOAD",
                                      "GST_GL_PLATFORM",
                                      "GST_GL_API",
                                      "GST_GL_WINDOW",
                                      "GST_PLUGIN_PATH",
                                      "GST_PLUGIN_SYSTEM_PATH",
                                      "GST_PLUGIN_FEATURE_RANK",
                                      "GST_REGISTRY",
                                      "XDG_CACHE_HOME",
                                      "XDG_DATA_HOME"};

// The value of the first line "KEY<separator>VALUE", without quotation marks and surrounding spaces.
std::string value_in(const char* file, std::string_view key, char separator) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    const size_t at = line.find(separator);
    if (at == std::string::npos || !line.starts_with(key)) continue;
    if (line.find_first_not_of(" \t", key.size()) != at) continue;
    const size_t first = line.find_first_not_of(" \t\"", at + 1);
    if (first == std::string::npos) return {};
    return line.substr(first, line.find_last_not_of(" \t\"") + 1 - first);
  }
  return {};
}

std::string group_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {};
  // NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread asks for groups
  const group* const entry = ::getgrgid(status.st_gid);
  return entry != nullptr ? entry->gr_name : "";
}

// Files in `folder` whose names are `prefix` and a number, in the order of the numbers.
std::vector<DeviceFile> device_files(const std::string& folder, const std::string& prefix, const std::string& drivers) {
  std::vector<std::pair<int, std::string>> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    const bool matches = name.starts_with(prefix) && name.size() > prefix.size() &&
                         name.find_first_not_of("0123456789", prefix.size()) == std::string::npos;
    if (matches) names.emplace_back(std::atoi(name.c_str() + prefix.size()), name);
  }
  std::ranges::sort(names);
  std::vector<DeviceFile> files;
  for (const auto& [number, name] : names) {
    DeviceFile file;
    file.path = folder + "/" + name;
    file.driver = fs::read_symlink(drivers + "/" + name + "/device/driver", error).filename();
    file.group = group_of(file.path);
    file.accessible = ::access(file.path.c_str(), R_OK | W_OK) == 0;
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace

SystemSection gather_system() {
  SystemSection system;
  system.version = SIGHTGLASS_VERSION;
  system.distribution = value_in("/etc/os-release", "PRETTY_NAME", '=');
  utsname kernel{};
  if (::uname(&kernel) == 0) {
    system.kernel = std::string(kernel.sysname) + " " + kernel.release + " " + kernel.machine;
  }
  for (const char* key : {"model name", "Model", "Hardware"}) {
    if (system.processor.empty()) system.processor = value_in("/proc/cpuinfo", key, ':');
  }
  system.cores = static_cast<int>(std::thread::hardware_concurrency());
  for (const char* name : kVariables) {
    if (const char* value = std::getenv(name)) system.environment.emplace_back(name, value);
  }
  return system;
}

std::vector<DeviceFile> gather_render_nodes() { return device_files("/dev/dri", "renderD", "/sys/class/drm"); }

std::vector<DeviceFile> gather_video_nodes() { return device_files("/dev", "video", "/sys/class/video4linux"); }

CacheSection gather_cache() {
  CacheSection cache;
  cache.folder = default_cache_folder();
  if (cache.folder.empty()) return cache;
  Status usable = check_cache_folder(cache.folder);
  if (usable.ok()) usable = make_private_folder(cache.folder);
  if (usable.ok() && ::access(cache.folder.c_str(), R_OK | W_OK | X_OK) != 0) {
    usable = device_error(cache.folder + ": cannot write to it");
  }
  cache.error = usable.message();
  return cache;
}

}  // namespace sightglass::doctor
