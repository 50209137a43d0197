#include "defaults.h"

#include <gst/gst.h>

#include "model_store.h"
#include "options.h"

namespace sightglass::demo {

std::string find_camera() {
  GstDeviceMonitor* monitor = gst_device_monitor_new();
  gst_device_monitor_add_filter(monitor, "Video/Source", nullptr);
  GList* devices = gst_device_monitor_get_devices(monitor);
  std::string path;
  for (const GList* item = devices; item != nullptr && path.empty(); item = item->next) {
    GstStructure* properties = gst_device_get_properties(GST_DEVICE(item->data));
    if (properties == nullptr) continue;
    // Keys of the device providers of the V4L2 and PipeWire plugins.
    for (const char* key : {"device.path", "api.v4l2.path"}) {
      const char* value = gst_structure_get_string(properties, key);
      if (value != nullptr && path.empty()) path = value;
    }
    gst_structure_free(properties);
  }
  g_list_free_full(devices, gst_object_unref);
  gst_object_unref(monitor);
  return path;
}

std::string default_model(const std::string& input) {
  constexpr const char* kForFigures = "figure";
  constexpr const char* kForPeople = "selfie-segmenter";
  if (input == kFigures) return kForFigures;
  return ModelStore().resolve(kForPeople).ok() ? kForPeople : kForFigures;
}

}  // namespace sightglass::demo
