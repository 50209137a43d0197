#include <gst/gst.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "doctor/gather.h"
#include "doctor/judge.h"
#include "element_names.h"
#include "video/cameras.h"
#include "video/gst_setup.h"
#include "video/output.h"

namespace sightglass::doctor {

namespace {

constexpr const char* kSinks[] = {"glimagesink",   "gtkglsink",   "gtk4paintablesink", "waylandsink", "kmssink",
                                  "autovideosink", "xvimagesink", "ximagesink",        "v4l2sink",    "pipewiresink"};
// Software encoders first. The others exist only on machines with the hardware.
constexpr const char* kEncoders[] = {"x264enc",   "openh264enc",   "vp8enc",     "vp9enc",       "avenc_prores_ks",
                                     "vah264enc", "vah264lpenc",   "vah265enc",  "vaapih264enc", "v4l2h264enc",
                                     "nvh264enc", "nvcudah264enc", "qsvh264enc", "omxh264enc"};

bool takes_dmabuf(GstElementFactory* factory) {
  for (const GList* item = gst_element_factory_get_static_pad_templates(factory); item != nullptr; item = item->next) {
    auto* const pad = static_cast<GstStaticPadTemplate*>(item->data);
    if (pad->direction != GST_PAD_SINK) continue;
    const video::CapsPtr caps(gst_static_caps_get(&pad->static_caps));
    for (guint i = 0; i < gst_caps_get_size(caps.get()); ++i) {
      const GstCapsFeatures* const features = gst_caps_get_features(caps.get(), i);
      if (features != nullptr && gst_caps_features_contains(features, "memory:DMABuf") == TRUE) return true;
    }
  }
  return false;
}

ElementStatus status_of(const char* name) {
  const video::ObjectPtr<GstElementFactory> factory(gst_element_factory_find(name));
  return {name, factory != nullptr, factory != nullptr && takes_dmabuf(factory.get())};
}

// The first kind of video file with an installed encoder and muxer.
std::string writable_video_file() {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  for (const char* name : {"video.mp4", "video.webm"}) {
    if (video::recognize_output((folder / name).string(), {}).ok()) return name;
  }
  return {};
}

}  // namespace

GstSection gather_gstreamer() {
  video::start_gstreamer();
  GstSection section;
  guint major = 0, minor = 0, micro = 0, nano = 0;
  gst_version(&major, &minor, &micro, &nano);
  section.version = std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(micro);
  const video::ObjectPtr<GstPlugin> plugin(gst_registry_find_plugin(gst_registry_get(), "sightglass"));
  if (plugin != nullptr && video::installed(elements::kSegment.element)) {
    section.plugin_version = gst_plugin_get_version(plugin.get());
    const char* file = gst_plugin_get_filename(plugin.get());
    section.plugin_file = file != nullptr ? file : "built in";
  }
  section.test_plugin = video::installed("glfiguresrc");
  section.gl_elements = video::installed("glupload");
  section.display = video::has_display();
  for (const char* name : kSinks) section.sinks.push_back(status_of(name));
  for (const char* name : kEncoders) section.encoders.push_back(status_of(name));
  section.video_file = writable_video_file();
  return section;
}

std::vector<CameraStatus> gather_cameras(const std::vector<DeviceFile>& nodes, const DmabufSection& importer) {
  std::vector<CameraStatus> cameras;
  for (const video::Camera& found : video::find_cameras()) {
    // Only the element: its properties can contain serial numbers.
    CameraStatus camera{found.name, found.path, found.source.substr(0, found.source.find(' ')), {}};
    const auto node = std::ranges::find(nodes, found.path, &DeviceFile::path);
    const std::string driver = node != nodes.end() ? node->driver : "";
    for (const video::CameraFormat& format : found.formats) {
      camera.formats.push_back(arrival_of(format, found.dmabuf, driver, importer));
    }
    cameras.push_back(std::move(camera));
  }
  return cameras;
}

}  // namespace sightglass::doctor
