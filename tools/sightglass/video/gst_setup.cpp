#include "video/gst_setup.h"

#include <gst/gst.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "video/gst_objects.h"

namespace sightglass::video {

namespace {

void choose_headless_gl() {
  guint major = 0, minor = 0, micro = 0, nano = 0;
  gst_version(&major, &minor, &micro, &nano);
  setenv("GST_GL_PLATFORM", "egl", 0);
  setenv("GST_GL_API", "gles2", 0);
  setenv("GST_GL_WINDOW", minor >= 24 ? "surfaceless" : "egl-device", 0);
}

// In a build directory, this program is tools/sightglass/sightglass, and the plugins are in gst_plugin/ and below.
void scan_build_directory() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return;
  const auto plugins = program.parent_path().parent_path().parent_path() / "gst_plugin";
  if (!std::filesystem::exists(plugins / "libgstsightglass.so", error)) return;
  gst_registry_scan_path(gst_registry_get(), plugins.c_str());
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

Status need_element(const std::string& element) {
  if (installed(element)) return {};
  const bool rendered = element == "glfiguresrc";
  return not_found("GStreamer does not find " + element + ": install the package gstreamer1.0-sightglass" +
                   (rendered ? "-tools" : "") + ", or set GST_PLUGIN_PATH to the directory of libgstsightglass" +
                   (rendered ? "test" : "") + ".so");
}

}  // namespace sightglass::video
