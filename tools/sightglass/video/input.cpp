#include "video/input.h"

#include <gio/gio.h>
#include <gio/gunixfdlist.h>
#include <gst/gst.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "common/process.h"
#include "video/gst_setup.h"
#include "video/media_info.h"

namespace sightglass::video {

// The interface: https://flatpak.github.io/xdg-desktop-portal/docs/doc-org.freedesktop.portal.ScreenCast.html

namespace {

constexpr const char* kPortal = "org.freedesktop.portal.Desktop";
constexpr const char* kPath = "/org/freedesktop/portal/desktop";
constexpr const char* kInterface = "org.freedesktop.portal.ScreenCast";
constexpr int kPatienceMilliseconds = 10000;  // for replies of the portal
constexpr guint kPatienceForUserSeconds = 120;

struct UnrefVariant {
  void operator()(GVariant* variant) const { g_variant_unref(variant); }
};
using VariantPtr = std::unique_ptr<GVariant, UnrefVariant>;
using ConnectionPtr = std::unique_ptr<GDBusConnection, UnrefGObject>;

Status error_of(const std::string& what, GError* error) {
  Status status = device_error("screen: " + what + ": " + (error != nullptr ? error->message : "no answer"));
  g_clear_error(&error);
  return status;
}

ConnectionPtr session_bus(GError** error) { return ConnectionPtr(g_bus_get_sync(G_BUS_TYPE_SESSION, nullptr, error)); }

// The answer to a request arrives as a signal.
struct Answer {
  GMainLoop* loop;
  guint32 response = 2;  // 0: granted, 1: the user declined, 2: ended otherwise
  VariantPtr results;
};

void on_response(GDBusConnection*, const gchar*, const gchar*, const gchar*, const gchar*, GVariant* parameters,
                 gpointer data) {
  auto* answer = static_cast<Answer*>(data);
  GVariant* results = nullptr;
  g_variant_get(parameters, "(u@a{sv})", &answer->response, &results);
  answer->results.reset(results);
  g_main_loop_quit(answer->loop);
}

class Portal {
 public:
  explicit Portal(GDBusConnection* bus) : bus_(bus) {}

  // Calls a method with the given arguments, options last, and waits for its answer.
  Result<VariantPtr> request(const char* method, GVariant* session, const char* parent, GVariantBuilder* options) {
    const std::string token = "sightglass" + std::to_string(++requests_);
    std::string sender = g_dbus_connection_get_unique_name(bus_) + 1;  // without the colon
    for (char& c : sender) c = c == '.' ? '_' : c;
    const std::string path = std::string(kPath) + "/request/" + sender + "/" + token;
    const std::unique_ptr<GMainLoop, void (*)(GMainLoop*)> loop(g_main_loop_new(nullptr, FALSE), g_main_loop_unref);
    Answer answer{loop.get(), 2, nullptr};
    // Before the call, because the answer may precede its return.
    const guint signal =
        g_dbus_connection_signal_subscribe(bus_, kPortal, "org.freedesktop.portal.Request", "Response", path.c_str(),
                                           nullptr, G_DBUS_SIGNAL_FLAGS_NONE, on_response, &answer, nullptr);
    g_variant_builder_add(options, "{sv}", "handle_token", g_variant_new_string(token.c_str()));
    GVariantBuilder arguments;
    g_variant_builder_init(&arguments, G_VARIANT_TYPE_TUPLE);
    if (session != nullptr) g_variant_builder_add_value(&arguments, session);
    if (parent != nullptr) g_variant_builder_add(&arguments, "s", parent);
    g_variant_builder_add_value(&arguments, g_variant_builder_end(options));
    GError* error = nullptr;
    const VariantPtr reply(g_dbus_connection_call_sync(bus_, kPortal, kPath, kInterface, method,
                                                       g_variant_builder_end(&arguments), nullptr,
                                                       G_DBUS_CALL_FLAGS_NONE, kPatienceMilliseconds, nullptr, &error));
    if (reply != nullptr && answer.results == nullptr) {
      const auto quit = [](gpointer data) -> gboolean {
        g_main_loop_quit(static_cast<GMainLoop*>(data));
        return G_SOURCE_CONTINUE;
      };
      const guint limit = g_timeout_add_seconds(kPatienceForUserSeconds, quit, loop.get());
      g_main_loop_run(loop.get());
      g_source_remove(limit);
    }
    g_dbus_connection_signal_unsubscribe(bus_, signal);
    if (reply == nullptr || answer.results == nullptr) return error_of(method, error);
    if (answer.response == 0) return std::move(answer.results);
    return device_error(answer.response == 1 ? "screen: sharing was declined" : "screen: the portal ended the request");
  }

 private:
  GDBusConnection* const bus_;
  int requests_ = 0;
};

GVariantBuilder new_options() {
  GVariantBuilder options;
  g_variant_builder_init(&options, G_VARIANT_TYPE_VARDICT);
  return options;
}

Result<int> open_remote(GDBusConnection* bus, GVariant* session) {
  GError* error = nullptr;
  GUnixFDList* list = nullptr;
  GVariantBuilder options = new_options();
  const VariantPtr reply(g_dbus_connection_call_with_unix_fd_list_sync(
      bus, kPortal, kPath, kInterface, "OpenPipeWireRemote",
      g_variant_new("(@o@a{sv})", session, g_variant_builder_end(&options)), G_VARIANT_TYPE("(h)"),
      G_DBUS_CALL_FLAGS_NONE, kPatienceMilliseconds, nullptr, &list, nullptr, &error));
  if (reply == nullptr) return error_of("OpenPipeWireRemote", error);
  const std::unique_ptr<GUnixFDList, UnrefGObject> owner(list);
  gint32 index = 0;
  g_variant_get(reply.get(), "(h)", &index);
  const int descriptor = g_unix_fd_list_get(list, index, &error);
  if (descriptor < 0) return error_of("OpenPipeWireRemote", error);
  return descriptor;
}

// The first of the chosen streams.
Result<uint32_t> node_of(GVariant* results) {
  const VariantPtr streams(g_variant_lookup_value(results, "streams", G_VARIANT_TYPE("a(ua{sv})")));
  if (streams == nullptr || g_variant_n_children(streams.get()) == 0) {
    return device_error("screen: the portal returned no stream");
  }
  guint32 node = 0;
  g_variant_get_child(streams.get(), 0, "(u@a{sv})", &node, nullptr);
  return node;
}

}  // namespace

bool has_screen_portal() {
  GError* error = nullptr;
  const ConnectionPtr bus = session_bus(&error);
  g_clear_error(&error);
  if (bus == nullptr) return false;
  const VariantPtr version(g_dbus_connection_call_sync(
      bus.get(), kPortal, kPath, "org.freedesktop.DBus.Properties", "Get", g_variant_new("(ss)", kInterface, "version"),
      nullptr, G_DBUS_CALL_FLAGS_NONE, kPatienceMilliseconds, nullptr, nullptr));
  return version != nullptr;
}

Result<ScreenCast> open_screen_cast() {
  GError* error = nullptr;
  // The session ends with the connection, which g_bus_get_sync() shares: this reference is kept.
  GDBusConnection* const bus = session_bus(&error).release();
  if (bus == nullptr) return error_of("no session bus", error);
  Portal portal(bus);

  GVariantBuilder options = new_options();
  g_variant_builder_add(&options, "{sv}", "session_handle_token", g_variant_new_string("sightglass"));
  SIGHTGLASS_ASSIGN_OR_RETURN(const VariantPtr created, portal.request("CreateSession", nullptr, nullptr, &options));
  const char* path = nullptr;
  if (!g_variant_lookup(created.get(), "session_handle", "&s", &path)) {
    return device_error("screen: the portal returned no session");
  }
  const VariantPtr session(g_variant_ref_sink(g_variant_new_object_path(path)));

  options = new_options();
  constexpr guint32 kMonitorsAndWindows = 1 | 2;
  g_variant_builder_add(&options, "{sv}", "types", g_variant_new_uint32(kMonitorsAndWindows));
  SIGHTGLASS_ASSIGN_OR_RETURN(const VariantPtr selected,
                              portal.request("SelectSources", session.get(), nullptr, &options));
  options = new_options();
  SIGHTGLASS_ASSIGN_OR_RETURN(const VariantPtr started, portal.request("Start", session.get(), "", &options));
  ScreenCast cast;
  SIGHTGLASS_ASSIGN_OR_RETURN(cast.node, node_of(started.get()));
  SIGHTGLASS_ASSIGN_OR_RETURN(cast.descriptor, open_remote(bus, session.get()));
  return cast;
}

namespace {

bool is_gif_demuxer(GstElement* element) {
  GstElementFactory* const factory = element == nullptr ? nullptr : gst_element_get_factory(element);
  return factory != nullptr && std::string_view(GST_OBJECT_NAME(factory)) == "avdemux_gif";
}

}  // namespace

GifInput::GifInput(GstElement* pipeline, GstElement* model) {
  g_signal_connect(pipeline, "deep-element-added", G_CALLBACK(on_element), this);
  const PadPtr pad(gst_element_get_static_pad(model, "sink"));
  gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, on_frame, this, nullptr);
}

void GifInput::on_element(GstBin*, GstBin*, GstElement* element, gpointer input) {
  if (is_gif_demuxer(element)) static_cast<GifInput*>(input)->active_ = true;
}

GstPadProbeReturn GifInput::on_frame(GstPad*, GstPadProbeInfo* info, gpointer data) {
  auto* input = static_cast<GifInput*>(data);
  if (!input->active_) return GST_PAD_PROBE_OK;
  GstBuffer* const buffer = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
  GST_PAD_PROBE_INFO_DATA(info) = buffer;
  // Browsers show frames without a duration for this long.
  constexpr GstClockTime kUsual = 100 * GST_MSECOND;
  if (!GST_BUFFER_DURATION_IS_VALID(buffer) || GST_BUFFER_DURATION(buffer) == 0) GST_BUFFER_DURATION(buffer) = kUsual;
  GST_BUFFER_PTS(buffer) = input->next_;
  input->next_ += GST_BUFFER_DURATION(buffer);
  return GST_PAD_PROBE_OK;
}

bool GifInput::ended(GstElement* stuck, double idle) const {
  // It reads the file faster than that, even from a slow disk.
  constexpr double kSeconds = 2;
  return active_ && idle > kSeconds && is_gif_demuxer(stuck);
}

namespace {

namespace fs = std::filesystem;

bool is_address(const std::string& text) { return text.find("://") != std::string::npos; }

bool is_camera(const std::string& text) {
  return text.starts_with("/dev/video") ||
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

Result<Input> camera_input(const std::vector<Camera>& cameras, const std::string& text, const CameraWishes& wishes) {
  Input input;
  input.kind = Input::Kind::kCamera;
  SIGHTGLASS_ASSIGN_OR_RETURN(input.camera, choose_camera(cameras, text));
  input.name = input.camera.path.empty() ? input.camera.name : input.camera.path;
  const auto format = choose_format(input.camera.formats, wishes);
  if (!format) {
    return unsupported(input.name + ": has no format of this size and rate; `sightglass devices` lists its formats");
  }
  input.format = *format;
  input.wishes = wishes;
  return input;
}

// Parts of such a stream have addresses of their own.
bool reads_playlists(const std::string& address) {
  return gst_uri_has_protocol(address.c_str(), "http") || gst_uri_has_protocol(address.c_str(), "https");
}

Result<Input> address_input(const std::string& text) {
  GError* error = nullptr;
  GstElement* const source = gst_element_make_from_uri(GST_URI_SRC, text.c_str(), nullptr, &error);
  if (source == nullptr) {
    Status status = not_found(text + ": " + (error != nullptr ? error->message : "no element reads such addresses") +
                              "; install the GStreamer plugin for it (rtsp, http: gstreamer1.0-plugins-good)");
    g_clear_error(&error);
    return status;
  }
  gst_object_unref(gst_object_ref_sink(source));
  if (reads_playlists(text)) {
    limit_sources_to_http();
  } else {
    limit_decoding_to_media(true);
  }
  Input input;
  input.kind = Input::Kind::kAddress;
  input.name = text;
  return input;
}

Result<Input> file_input(const std::string& text) {
  std::error_code error;
  if (!fs::is_regular_file(text, error)) {
    return invalid_argument(text + ": is not a regular file, a camera, or an address");
  }
  Input input;
  input.kind = Input::Kind::kFile;
  input.name = text;
  limit_decoding_to_media(false);
  SIGHTGLASS_ASSIGN_OR_RETURN(input.media, inspect_media(text));
  return input;
}

// Wayland shows the screen only through the portal. On X11, the portal is not needed.
Result<Input> screen_input() {
  Input input;
  input.kind = Input::Kind::kScreen;
  input.name = kScreen;
  if (std::getenv("DISPLAY") != nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) {
    if (!installed("ximagesrc")) return not_found("screen: ximagesrc is missing; install gstreamer1.0-plugins-good");
    return input;
  }
  if (!has_screen_portal()) {
    return not_found(
        "screen: there is neither an X11 display (DISPLAY) nor a desktop portal; install "
        "xdg-desktop-portal and its part for your desktop");
  }
  if (!installed("pipewiresrc")) return not_found("screen: pipewiresrc is missing; install gstreamer1.0-pipewire");
  SIGHTGLASS_ASSIGN_OR_RETURN(input.cast, open_screen_cast());
  return input;
}

Result<Input> figures_input(const CameraWishes& wishes) {
  SIGHTGLASS_RETURN_IF_ERROR(need_element("glfiguresrc"));
  Input input;
  input.wishes = wishes;
  input.name = kFigures;
  return input;
}

// Chosen: of the figures from 0 to 38, these four in a row have the best masks. docs/video.md says so.
constexpr int kFirstFigure = 8;

int figure_rate(const Input& input, const SourceLimits& limits) {
  return input.wishes.rate > 0 ? static_cast<int>(std::ceil(input.wishes.rate)) : limits.figure_rate;
}

std::string camera_text(const Input& input) {
  const CameraFormat& format = input.format;
  std::string text = input.camera.source + " name=" + kCameraElement + " ! " +
                     (format.jpeg ? "image/jpeg" : "video/x-raw(ANY)") + ",width=" + std::to_string(format.width) +
                     ",height=" + std::to_string(format.height);
  if (!format.format.empty()) text += ",format=" + format.format;
  if (input.wishes.rate > 0) text += ",framerate=" + std::to_string(std::lround(input.wishes.rate)) + "/1";
  return format.jpeg ? text + " ! jpegdec" : text;
}

Result<Input> recognize(const std::string& text, const CameraWishes& wishes) {
  if (text == kFigures) return figures_input(wishes);
  if (text == kScreen) return screen_input();
  if (text == kPipe) {
    SIGHTGLASS_RETURN_IF_ERROR(check_standard_input());
    SIGHTGLASS_RETURN_IF_ERROR(need_element("y4mread"));
    Input input;
    input.kind = Input::Kind::kPipe;
    input.name = "standard input";
    return input;
  }
  if (gst_uri_has_protocol(text.c_str(), "file")) {
    const TextPtr path(g_filename_from_uri(text.c_str(), nullptr, nullptr));
    if (path == nullptr) return invalid_argument(text + ": is not the address of a file; use its path");
    return file_input(path.get());
  }
  if (is_address(text)) return address_input(text);
  std::error_code error;
  if (!text.empty() && !is_camera(text) && fs::exists(text, error)) return file_input(text);
  // Only the name of a camera is left.
  const bool path = text.find('/') != std::string::npos && !is_camera(text);
  if (path) return not_found(text + ": no such file");
  const std::vector<Camera> cameras = find_cameras();
  if (text.empty())
    return cameras.empty() ? figures_input(wishes) : camera_input(cameras, cameras.front().name, wishes);
  Result<Input> input = camera_input(cameras, text, wishes);
  if (!input.ok() && !is_camera(text) && input.status().code() == ErrorCode::kNotFound) {
    return not_found(text + ": no such file; as a camera: " + input.status().message().substr(text.size() + 2));
  }
  return input;
}

// The source, and what decodes it.
std::string undecoded_text(const Input& input, const SourceLimits& limits) {
  switch (input.kind) {
    case Input::Kind::kFigures: {
      // The figure changes every three seconds.
      const CameraWishes& wishes = input.wishes;
      const int rate = figure_rate(input, limits);
      const std::string count =
          limits.seconds > 0 ? " num-buffers=" + std::to_string(limits.seconds * rate) : std::string();
      return "glfiguresrc seed=" + std::to_string(kFirstFigure) + " seed-interval=" + std::to_string(3 * rate) + count +
             " ! video/x-raw(memory:GLMemory),width=" + std::to_string(wishes.width > 0 ? wishes.width : 640) +
             ",height=" + std::to_string(wishes.height > 0 ? wishes.height : 480) +
             ",framerate=" + std::to_string(rate) + "/1";
    }
    case Input::Kind::kCamera:
      return camera_text(input);
    case Input::Kind::kFile:
    case Input::Kind::kAddress: {
      const std::string caps =
          limits.kept_audio.empty() ? std::string() : " caps=" + quoted("video/x-raw(ANY);" + limits.kept_audio);
      if (input.kind == Input::Kind::kAddress) {
        return "uridecodebin name=" + std::string(kDecoderElement) + " uri=" + quoted(input.name) + caps;
      }
      return "filesrc location=" + quoted(input.name) + " ! decodebin name=" + kDecoderElement + caps;
    }
    case Input::Kind::kScreen:
      if (input.cast) {
        return "pipewiresrc fd=" + std::to_string(input.cast->descriptor) + " path=" + std::to_string(input.cast->node);
      }
      return "ximagesrc use-damage=false ! video/x-raw,framerate=30/1";
    case Input::Kind::kPipe:
      return "fdsrc fd=0 ! y4mread";
  }
  return {};
}

// The elements make frames upright. Decoders of images do not report their orientation.
std::string orientation_text(const Input& input) {
  const std::string& orientation = input.media.orientation;
  return orientation.empty() ? std::string() : " ! taginject tags=image-orientation=" + orientation;
}

}  // namespace

Result<Input> recognize_input(const std::string& text, const CameraWishes& wishes) {
  SIGHTGLASS_ASSIGN_OR_RETURN(Input input, recognize(text, wishes));
  const bool wished = wishes.width > 0 || wishes.height > 0 || wishes.rate > 0;
  if (wished && input.kind != Input::Kind::kCamera && input.kind != Input::Kind::kFigures) {
    return invalid_argument(input.name + ": has its own size and rate; --size and --rate are for cameras and figures");
  }
  return input;
}

std::string source_text(const Input& input, const SourceLimits& limits) {
  const std::string text = undecoded_text(input, limits);
  if (input.kind == Input::Kind::kFigures) return text;
  // Streams of a file are linked as they appear.
  const bool decodes = input.kind == Input::Kind::kFile || input.kind == Input::Kind::kAddress;
  const std::string video = decodes ? std::string(" ") + kDecoderElement + ". ! video/x-raw(ANY) ! queue" : "";
  // Converts what GL cannot upload, such as 4:4:4 with 10 bits; everything else passes, textures and DMABUFs included.
  return text + video + " ! videoconvert" + orientation_text(input);
}

}  // namespace sightglass::video
