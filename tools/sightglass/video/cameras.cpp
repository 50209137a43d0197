#include "video/cameras.h"

#include <fcntl.h>
#include <gst/gst.h>
#include <linux/videodev2.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <iomanip>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>
#include <tuple>

#include "video/gst_setup.h"
#include "video/input.h"

namespace sightglass::video {

namespace {

// The largest value of a number, a range, or a list; 0 if it is none of these.
int largest_int(const GValue* value) {
  if (value == nullptr) return 0;
  if (G_VALUE_HOLDS_INT(value)) return g_value_get_int(value);
  if (GST_VALUE_HOLDS_INT_RANGE(value)) return gst_value_get_int_range_max(value);
  int most = 0;
  for (guint i = 0; GST_VALUE_HOLDS_LIST(value) && i < gst_value_list_get_size(value); ++i) {
    most = std::max(most, largest_int(gst_value_list_get_value(value, i)));
  }
  return most;
}

double largest_rate(const GValue* value) {
  if (value == nullptr) return 0;
  if (GST_VALUE_HOLDS_FRACTION(value)) {
    return static_cast<double>(gst_value_get_fraction_numerator(value)) / gst_value_get_fraction_denominator(value);
  }
  if (GST_VALUE_HOLDS_FRACTION_RANGE(value)) return largest_rate(gst_value_get_fraction_range_max(value));
  double most = 0;
  for (guint i = 0; GST_VALUE_HOLDS_LIST(value) && i < gst_value_list_get_size(value); ++i) {
    most = std::max(most, largest_rate(gst_value_list_get_value(value, i)));
  }
  return most;
}

std::vector<std::string> words_of(const GValue* value) {
  std::vector<std::string> words;
  if (value != nullptr && G_VALUE_HOLDS_STRING(value)) words.emplace_back(g_value_get_string(value));
  for (guint i = 0; value != nullptr && GST_VALUE_HOLDS_LIST(value) && i < gst_value_list_get_size(value); ++i) {
    for (std::string& word : words_of(gst_value_list_get_value(value, i))) words.push_back(std::move(word));
  }
  return words;
}

std::vector<CameraFormat> formats_of(const GstCaps* caps) {
  std::vector<CameraFormat> formats;
  for (guint i = 0; i < gst_caps_get_size(caps); ++i) {
    const GstStructure* structure = gst_caps_get_structure(caps, i);
    CameraFormat format;
    format.jpeg = gst_structure_has_name(structure, "image/jpeg");
    if (!format.jpeg && !gst_structure_has_name(structure, "video/x-raw")) continue;
    format.width = largest_int(gst_structure_get_value(structure, "width"));
    format.height = largest_int(gst_structure_get_value(structure, "height"));
    format.rate = largest_rate(gst_structure_get_value(structure, "framerate"));
    std::vector<std::string> names = words_of(gst_structure_get_value(structure, "format"));
    if (names.empty()) names.emplace_back();
    for (const std::string& name : names) {
      // Caps with features repeat these.
      format.format = name;
      if (std::find(formats.begin(), formats.end(), format) == formats.end()) formats.push_back(format);
    }
  }
  return formats;
}

// Asks the driver to export a buffer. Empty if the device is busy or cannot be opened. The driver of USB cameras
// exports buffers, but fills them with the CPU.
std::optional<bool> exports_dmabuf(const std::string& path) {
  const int device = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (device < 0) return std::nullopt;
  v4l2_capability capability{};
  const bool usb = ::ioctl(device, VIDIOC_QUERYCAP, &capability) == 0 &&
                   std::string_view(reinterpret_cast<const char*>(capability.driver)) == "uvcvideo";
  std::optional<bool> exports;
  if (usb) exports = false;
  v4l2_requestbuffers request{};
  request.count = 1;
  request.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
  request.memory = V4L2_MEMORY_MMAP;
  if (!usb && ::ioctl(device, VIDIOC_REQBUFS, &request) == 0) {
    v4l2_exportbuffer buffer{};
    buffer.type = request.type;
    buffer.flags = O_CLOEXEC;
    exports = ::ioctl(device, VIDIOC_EXPBUF, &buffer) == 0;
    if (*exports) ::close(buffer.fd);
    request.count = 0;
    ::ioctl(device, VIDIOC_REQBUFS, &request);
  }
  ::close(device);
  return exports;
}

std::string path_of(GstDevice* device) {
  GstStructure* const properties = gst_device_get_properties(device);
  if (properties == nullptr) return {};
  std::string path;
  // Keys of the device providers of the V4L2 and PipeWire plugins.
  for (const char* key : {"device.path", "api.v4l2.path"}) {
    const char* value = gst_structure_get_string(properties, key);
    if (value != nullptr && path.empty()) path = value;
  }
  gst_structure_free(properties);
  return path;
}

Camera describe(GstDevice* device) {
  Camera camera;
  const TextPtr name(gst_device_get_display_name(device));
  camera.name = name.get();
  camera.path = path_of(device);
  const ElementPtr source(GST_ELEMENT(gst_object_ref_sink(gst_device_create_element(device, nullptr))));
  camera.source = launch_text_of(source.get());
  const CapsPtr caps(gst_device_get_caps(device));
  if (caps != nullptr) camera.formats = formats_of(caps.get());
  if (camera.source.starts_with("v4l2src")) camera.dmabuf = exports_dmabuf(camera.path);
  return camera;
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string list_of(const std::vector<Camera>& cameras) {
  if (cameras.empty()) return "there is no camera; use --input figures to run without one";
  std::string text = "the cameras are ";
  for (const Camera& camera : cameras) {
    if (&camera != &cameras.front()) text += ", ";
    text += "'" + camera.name + "'" + (camera.path.empty() ? "" : " (" + camera.path + ")");
  }
  return text;
}

bool is_number(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

}  // namespace

std::vector<Camera> find_cameras() {
  std::vector<Camera> cameras;
  const ObjectPtr<GstDeviceMonitor> monitor(gst_device_monitor_new());
  gst_device_monitor_add_filter(monitor.get(), "Video/Source", nullptr);
  GList* const devices = gst_device_monitor_get_devices(monitor.get());
  for (const GList* item = devices; item != nullptr; item = item->next) {
    Camera camera = describe(GST_DEVICE(item->data));
    // PipeWire and V4L2 both list a V4L2 camera.
    const bool repeated = std::any_of(cameras.begin(), cameras.end(), [&](const Camera& other) {
      return !camera.path.empty() && other.path == camera.path;
    });
    if (!repeated) cameras.push_back(std::move(camera));
  }
  g_list_free_full(devices, gst_object_unref);
  return cameras;
}

Result<Camera> choose_camera(const std::vector<Camera>& cameras, const std::string& wanted) {
  const std::string path = is_number(wanted) ? "/dev/video" + wanted : wanted;
  const Camera* found = nullptr;
  int matches = 0;
  for (const Camera& camera : cameras) {
    if (camera.path == path || camera.name == wanted) return camera;
    if (lower(camera.name).find(lower(wanted)) == std::string::npos) continue;
    found = &camera;
    ++matches;
  }
  if (matches == 1) return *found;
  return not_found(wanted + (matches > 1 ? ": several cameras have this in their name" : ": no such camera") + "; " +
                   list_of(cameras));
}

std::optional<CameraFormat> choose_format(const std::vector<CameraFormat>& formats, const CameraWishes& wishes) {
  constexpr int kWidth = 1280, kHeight = 720;
  constexpr double kRate = 24;
  const auto sufficient = [&](const CameraFormat& format) {
    return format.rate >= (wishes.rate > 0 ? wishes.rate : kRate) - 0.01;
  };
  // Smaller is better, in this order: a sufficient rate, the distance from the wanted size, raw frames.
  const auto rank = [&](const CameraFormat& format) {
    const int width = wishes.width > 0 ? wishes.width : kWidth, height = wishes.height > 0 ? wishes.height : kHeight;
    return std::tuple(!sufficient(format), std::abs(format.width - width) + std::abs(format.height - height),
                      format.jpeg, -format.rate);
  };
  std::optional<CameraFormat> best;
  for (const CameraFormat& format : formats) {
    if (wishes.width > 0 && format.width != wishes.width) continue;
    if (wishes.height > 0 && format.height != wishes.height) continue;
    if (wishes.rate > 0 && !sufficient(format)) continue;
    if (!best || rank(format) < rank(*best)) best = format;
  }
  return best;
}

std::string to_string(const CameraFormat& format) {
  std::ostringstream text;
  text << format.width << "x" << format.height;
  if (format.rate > 0) text << " at " << std::setprecision(4) << format.rate << " frames per second";
  text << ", " << (format.jpeg ? "JPEG" : format.format);
  return text.str();
}

CameraKeeper::CameraKeeper(GstElement* pipeline, Settings settings)
    : pipeline_(pipeline), settings_(std::move(settings)) {
  camera_.reset(gst_bin_get_by_name(GST_BIN(pipeline_), kCameraElement));
  const PadPtr pad(gst_element_get_static_pad(camera_.get(), "src"));
  downstream_.reset(gst_pad_get_peer(pad.get()));
  watch(camera_.get());
}

CameraKeeper::~CameraKeeper() {
  if (timer_ != 0) g_source_remove(timer_);
}

void CameraKeeper::watch(GstElement* camera) {
  const PadPtr pad(gst_element_get_static_pad(camera, "src"));
  constexpr auto kData = static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM);
  gst_pad_add_probe(pad.get(), kData, on_data, this, nullptr);
}

// A source ends its stream after an error. The pipeline must not see that end while the camera may come back.
GstPadProbeReturn CameraKeeper::on_data(GstPad*, GstPadProbeInfo* info, gpointer data) {
  auto* keeper = static_cast<CameraKeeper*>(data);
  if ((GST_PAD_PROBE_INFO_TYPE(info) & GST_PAD_PROBE_TYPE_BUFFER) != 0) {
    keeper->seen_frame_ = true;
    return GST_PAD_PROBE_OK;
  }
  const bool end = GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_EOS;
  return end && !keeper->ending_ ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

bool CameraKeeper::handle_error(GstMessage* error) {
  // An unplugged camera can report several errors.
  if (lost_ != nullptr && GST_MESSAGE_SRC(error) == GST_OBJECT(lost_.get())) return true;
  // Without a single frame, the camera is busy or unusable, and waiting would not help.
  if (camera_ == nullptr || !seen_frame_ || ending_ || GST_MESSAGE_SRC(error) != GST_OBJECT(camera_.get()))
    return false;
  remove_camera();
  settings_.changed(false);
  constexpr guint kSeconds = 1;
  timer_ = g_timeout_add_seconds(kSeconds, on_timer, this);
  return true;
}

void CameraKeeper::remove_camera() {
  gst_element_set_state(camera_.get(), GST_STATE_NULL);
  gst_bin_remove(GST_BIN(pipeline_), camera_.get());
  lost_ = std::move(camera_);
}

gboolean CameraKeeper::on_timer(gpointer data) {
  auto* keeper = static_cast<CameraKeeper*>(data);
  if (!keeper->settings_.available() || !keeper->insert_camera()) return G_SOURCE_CONTINUE;
  keeper->timer_ = 0;
  keeper->settings_.changed(true);
  return G_SOURCE_REMOVE;
}

bool CameraKeeper::insert_camera() {
  auto camera = parse_launch(settings_.text + " name=" + kCameraElement);
  if (!camera.ok()) return false;
  camera_ = std::move(camera).value();
  gst_bin_add(GST_BIN(pipeline_), camera_.get());
  watch(camera_.get());
  const PadPtr pad(gst_element_get_static_pad(camera_.get(), "src"));
  if (gst_pad_link(pad.get(), downstream_.get()) == GST_PAD_LINK_OK &&
      gst_element_sync_state_with_parent(camera_.get())) {
    return true;
  }
  remove_camera();
  return false;
}

void CameraKeeper::end_stream() {
  ending_ = true;
  if (camera_ == nullptr) gst_pad_send_event(downstream_.get(), gst_event_new_eos());
}

namespace {

nlohmann::ordered_json json_of(const Camera& camera) {
  nlohmann::ordered_json formats = nlohmann::ordered_json::array();
  for (const CameraFormat& format : camera.formats) {
    formats.push_back({{"format", format.jpeg ? "JPEG" : format.format},
                       {"width", format.width},
                       {"height", format.height},
                       {"rate", format.rate}});
  }
  nlohmann::ordered_json json = {{"name", camera.name}, {"path", camera.path}, {"source", camera.source}};
  json["dmabuf"] = camera.dmabuf ? nlohmann::ordered_json(*camera.dmabuf) : nlohmann::ordered_json();
  json["formats"] = std::move(formats);
  return json;
}

void print(const Camera& camera) {
  std::printf("%s\n", camera.name.c_str());
  if (!camera.path.empty()) std::printf("  device     %s\n", camera.path.c_str());
  std::printf("  source     %s\n", camera.source.c_str());
  const char* dmabuf = !camera.dmabuf ? "unknown" : *camera.dmabuf ? "yes: raw frames need no copy" : "no";
  std::printf("  DMABUF     %s\n", dmabuf);
  for (const CameraFormat& format : camera.formats) std::printf("  format     %s\n", to_string(format).c_str());
}

int devices(bool as_json) {
  start_gstreamer();
  const std::vector<Camera> cameras = find_cameras();
  if (as_json) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const Camera& camera : cameras) json.push_back(json_of(camera));
    std::printf("%s\n", json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
    return kSucceeded;
  }
  for (const Camera& camera : cameras) print(camera);
  if (cameras.empty())
    std::fputs("sightglass: there is no camera; `--input figures` renders input without one\n", stderr);
  return kSucceeded;
}

}  // namespace

void add_devices_command(CLI::App& app, std::vector<Subcommand>& subcommands) {
  CLI::App* command = app.add_subcommand(
      "devices", "List cameras with their formats, and whether their frames are available as DMABUFs");
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print JSON");
  subcommands.push_back({command, [json] { return devices(*json); }});
}

}  // namespace sightglass::video
