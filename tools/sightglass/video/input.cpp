#include "video/input.h"

#include <gst/gst.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "common/standard_descriptors.h"
#include "video/decoding_limits.h"
#include "video/gst_objects.h"
#include "video/gst_setup.h"
#include "video/launch_text.h"

namespace sightglass::video {

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
