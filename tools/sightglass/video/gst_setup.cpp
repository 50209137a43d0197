#include "video/gst_setup.h"

#include <gst/gst.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "video/gst_objects.h"

namespace sightglass::video {

namespace {

// Set by this process: "NAME=VALUE ", …
std::string& environment() {
  static std::string text;
  return text;
}

void set_unless_set(const char* name, const std::string& value) {
  if (std::getenv(name) != nullptr) return;
  setenv(name, value.c_str(), 1);
  environment() += std::string(name) + "=" + value + " ";
}

void choose_headless_gl() {
  guint major = 0, minor = 0, micro = 0, nano = 0;
  gst_version(&major, &minor, &micro, &nano);
  set_unless_set("GST_GL_PLATFORM", "egl");
  set_unless_set("GST_GL_API", "gles2");
  set_unless_set("GST_GL_WINDOW", minor >= 24 ? "surfaceless" : "egl-device");
}

// In a build directory, this program is tools/sightglass/sightglass, and the plugins are in gst_plugin/ and below.
void scan_build_directory() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return;
  const auto plugins = program.parent_path().parent_path().parent_path() / "gst_plugin";
  if (!std::filesystem::exists(plugins / "libgstsightglass.so", error)) return;
  gst_registry_scan_path(gst_registry_get(), plugins.c_str());
  const char* before = std::getenv("GST_PLUGIN_PATH");
  const TextPtr path(g_shell_quote((plugins.string() + (before != nullptr ? std::string(":") + before : "")).c_str()));
  environment() += std::string("GST_PLUGIN_PATH=") + path.get() + " ";
}

}  // namespace

bool has_display() { return std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr; }

bool installed(const std::string& element) {
  return ObjectPtr<GstElementFactory>(gst_element_factory_find(element.c_str())) != nullptr;
}

void start_gstreamer() {
  if (gst_is_initialized()) return;
  if (!has_display()) choose_headless_gl();
  gst_init(nullptr, nullptr);
  if (!installed("glsegment")) scan_build_directory();
}

std::string launch_environment() { return environment(); }

Status need_element(const std::string& element) {
  if (installed(element)) return {};
  const bool rendered = element == "glfiguresrc";
  return not_found("GStreamer does not find " + element + ": install the package gstreamer1.0-sightglass" +
                   (rendered ? "-tools" : "") + ", or set GST_PLUGIN_PATH to the directory of libgstsightglass" +
                   (rendered ? "test" : "") + ".so");
}

}  // namespace sightglass::video
