#include "video/output.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>

#include "common/process.h"
#include "gpu_engine/files.h"
#include "video/frame_layout.h"
#include "video/gst_setup.h"

namespace sightglass::video {

namespace {

constexpr std::string_view kDigits = "0123456789";

std::string with_doubled_percent(const std::string& text) {
  std::string out;
  for (const char c : text) out.append(c == '%' ? 2 : 1, c);
  return out;
}

}  // namespace

std::optional<NumberedName> parse_numbered_name(const std::string& name) {
  constexpr size_t kMostDigits = 3;  // of the width, with the leading zero
  const size_t slash = name.rfind('/');
  for (size_t percent = name.rfind('%');
       percent != std::string::npos && (slash == std::string::npos || percent > slash);
       percent = percent == 0 ? std::string::npos : name.rfind('%', percent - 1)) {
    const size_t end = name.find_first_not_of(kDigits, percent + 1);
    if (end == std::string::npos || name[end] != 'd' || end - percent - 1 > kMostDigits) continue;
    return NumberedName{name.substr(0, percent), name.substr(percent, end + 1 - percent), name.substr(end + 1)};
  }
  return {};
}

std::string NumberedName::at(uint64_t number) const {
  const std::string digits = std::to_string(number);
  const bool zeros = conversion[1] == '0';
  size_t width = 0;
  for (const char c : conversion) {
    if (kDigits.find(c) != std::string_view::npos) width = 10 * width + static_cast<size_t>(c - '0');
  }
  return before + std::string(width - std::min(width, digits.size()), zeros ? '0' : ' ') + digits + after;
}

std::string NumberedName::format() const {
  return with_doubled_percent(before) + conversion + with_doubled_percent(after);
}

bool NumberedName::matches(const std::string& name) const {
  if (name.size() <= before.size() + after.size() || !name.starts_with(before) || !name.ends_with(after)) return false;
  const std::string_view middle =
      std::string_view(name).substr(before.size(), name.size() - before.size() - after.size());
  return middle.find_first_not_of(" 0123456789") == std::string_view::npos;
}

NumberedImages::NumberedImages(GstElement* pipeline, const char* element, NumberedName name) : name_(std::move(name)) {
  const ElementPtr sink(gst_bin_get_by_name(GST_BIN(pipeline), element));
  // No frame reaches the sink, so it must not wait for one.
  g_object_set(sink.get(), "async", FALSE, nullptr);
  const PadPtr pad(gst_element_get_static_pad(sink.get(), "sink"));
  gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, on_image, this, nullptr);
}

GstPadProbeReturn NumberedImages::on_image(GstPad* pad, GstPadProbeInfo* info, gpointer data) {
  const ElementPtr sink(gst_pad_get_parent_element(pad));
  if (sink != nullptr) static_cast<NumberedImages*>(data)->write(sink.get(), GST_PAD_PROBE_INFO_BUFFER(info));
  return GST_PAD_PROBE_DROP;
}

void NumberedImages::write(GstElement* sink, GstBuffer* buffer) {
  GstMapInfo map;
  if (!gst_buffer_map(buffer, &map, GST_MAP_READ)) {
    GST_ELEMENT_ERROR(sink, RESOURCE, READ, ("cannot read an encoded image"), (nullptr));
    return;
  }
  const Status written = write_output_file(
      name_.at(next_++), std::as_bytes(std::span(static_cast<const guint8*>(map.data), static_cast<size_t>(map.size))));
  gst_buffer_unmap(buffer, &map);
  if (!written.ok()) GST_ELEMENT_ERROR(sink, RESOURCE, WRITE, ("%s", written.message().c_str()), (nullptr));
}

namespace {

namespace fs = std::filesystem;

// Encoders in gst-launch syntax.
using Choices = std::initializer_list<const char*>;

struct Container {
  const char* ending;
  const char* muxer;
  Choices encoders, audio_encoders;
};

// 4:2:0: hardware decoders and browsers do not play 4:4:4, which conversion would choose.
#define SIGHTGLASS_420 "video/x-raw,format=I420 ! "
constexpr const char* kX264 = SIGHTGLASS_420 "x264enc speed-preset=veryfast ! h264parse";
constexpr const char* kOpenH264 = SIGHTGLASS_420 "openh264enc ! h264parse";
// A client that joins sees nothing until the next key frame. The defaults, 250 and 90 frames, are up to ten seconds.
constexpr const char* kX264Live = SIGHTGLASS_420 "x264enc tune=zerolatency speed-preset=veryfast key-int-max=30";
constexpr const char* kOpenH264Live = SIGHTGLASS_420 "openh264enc gop-size=30 ! h264parse";
constexpr const char* kVp8 = SIGHTGLASS_420 "vp8enc deadline=1 cpu-used=8 target-bitrate=4000000";
constexpr const char* kVp9 = SIGHTGLASS_420 "vp9enc deadline=1 cpu-used=8 target-bitrate=4000000";
constexpr const char* kProRes4444 = "avenc_prores_ks profile=4444";

std::span<const Container> containers() {
  static const Container all[] = {
      {".mp4", "mp4mux", {kX264, kOpenH264}, {"avenc_aac", "voaacenc", "opusenc"}},
      {".webm", "webmmux", {kVp8, kVp9}, {"opusenc", "vorbisenc"}},
      {".mkv", "matroskamux", {kX264, kOpenH264, kVp8}, {"opusenc", "vorbisenc", "avenc_aac"}},
      {".mov", "qtmux", {kX264, kOpenH264}, {"avenc_aac", "voaacenc"}},
  };
  return all;
}

// 4:2:0, but 4:4:4 if a side is too small. These exclude each other, because videoconvert chooses what loses least.
std::string y4m_caps() {
  const std::string least = std::to_string(kLeastSubsampled), any = "," + std::to_string(INT32_MAX) + "]";
  const std::string small = "=[1," + std::to_string(kLeastSubsampled - 1) + "]", full = ";video/x-raw,format=Y444,";
  return "video/x-raw,format=I420,width=[" + least + any + ",height=[" + least + any + full + "width" + small + full +
         "height" + small;
}

// The encoder in a text that may begin with caps: "video/x-raw,format=I420 ! x264enc …" has x264enc.
std::string encoder_of(std::string_view text) {
  if (text.starts_with("video/")) text.remove_prefix(text.find("! ") + 2);
  return std::string(text.substr(0, text.find(' ')));
}

// The first choice whose element is installed; empty if there is none.
std::string choose(const Choices& choices) {
  for (const char* choice : choices) {
    if (installed(encoder_of(choice))) return choice;
  }
  return {};
}

std::string names_of(const Choices& choices) {
  std::string text;
  for (const char* choice : choices) text += (text.empty() ? "" : " or ") + encoder_of(choice);
  return text;
}

std::string ending_of(const std::string& name) {
  std::string ending = fs::path(name).extension().string();
  for (char& c : ending) c = static_cast<char>(g_ascii_tolower(c));
  return ending;
}

Status check_directory(const std::string& name) {
  fs::path folder = fs::path(name).parent_path();
  if (folder.empty()) folder = ".";
  std::error_code error;
  if (!fs::is_directory(folder, error)) return not_found(name + ": there is no directory " + folder.string());
  if (::access(folder.c_str(), W_OK) != 0) return device_error(name + ": cannot write to directory " + folder.string());
  if (fs::is_directory(name, error)) return invalid_argument(name + ": is a directory");
  return {};
}

Status need(const std::string& element, const std::string& package, const std::string& output) {
  if (installed(element)) return {};
  return not_found(output + ": " + element + " is missing; install " + package);
}

Result<Output> video_file(Output output, const OutputWishes& wishes) {
  const std::string ending = ending_of(output.name);
  std::string endings;
  for (const Container& container : containers()) {
    endings += (endings.empty() ? "" : ", ") + std::string(container.ending);
    if (ending != container.ending) continue;
    output.kind = Output::Kind::kVideo;
    output.muxer = container.muxer;
    SIGHTGLASS_RETURN_IF_ERROR(need(output.muxer, "gstreamer1.0-plugins-good", output.name));
    const bool with_alpha = wishes.alpha && ending == ".mov";
    output.encoder = !wishes.encoder.empty() ? wishes.encoder
                     : with_alpha            ? choose({kProRes4444})
                                             : choose(container.encoders);
    if (output.encoder.empty() && with_alpha) {
      return not_found(output.name + ": avenc_prores_ks is missing; install gstreamer1.0-libav, or write PNG files: " +
                       "--output frame-%05d.png");
    }
    if (output.encoder.empty()) {
      return not_found(output.name + ": no encoder for it is installed: " + names_of(container.encoders));
    }
    output.audio_encoder = choose(container.audio_encoders);
    return output;
  }
  return invalid_argument(output.name + ": unknown kind of output; use a file that ends in " + endings +
                          ", .png, .jpg, or .y4m, a name with %05d, window, none, -, /dev/videoN, rtsp://:PORT/NAME, "
                          "or whip://HOST/PATH");
}

Result<Output> file_output(Output output, const OutputWishes& wishes) {
  const std::string ending = ending_of(output.name);
  SIGHTGLASS_RETURN_IF_ERROR(check_directory(output.name));
  if (ending == ".png" || ending == ".jpg" || ending == ".jpeg") {
    output.encoder = ending == ".png" ? "pngenc" : "jpegenc quality=92";
    output.kind = parse_numbered_name(output.name) ? Output::Kind::kImages : Output::Kind::kStill;
    SIGHTGLASS_RETURN_IF_ERROR(need(encoder_of(output.encoder), "gstreamer1.0-plugins-good", output.name));
    return output;
  }
  if (ending == ".y4m") {
    output.kind = Output::Kind::kPipe;
    SIGHTGLASS_RETURN_IF_ERROR(need_element("y4mwrite"));
    return output;
  }
  return video_file(std::move(output), wishes);
}

}  // namespace

Result<Output> recognize_output(const std::string& text, const OutputWishes& wishes) {
  Output output;
  output.name = text.empty() ? "window" : text;
  if (output.name == "window") {
    if (has_display()) return output;
    return not_found("window: no display; write a file (--output video.mp4), or set DISPLAY or WAYLAND_DISPLAY");
  }
  if (text == "none") {
    output.kind = Output::Kind::kNone;
    return output;
  }
  if (text == "-") {
    output.kind = Output::Kind::kPipe;
    SIGHTGLASS_RETURN_IF_ERROR(check_standard_output());
    SIGHTGLASS_RETURN_IF_ERROR(need_element("y4mwrite"));
    if (::isatty(STDOUT_FILENO) == 1) return invalid_argument("-: standard output is a terminal; redirect it");
    return output;
  }
  if (text.starts_with("/dev/video")) {
    output.kind = Output::Kind::kVirtualCamera;
    std::error_code error;
    if (!fs::exists(text, error)) {
      return not_found(
          text + ": no such device; load v4l2loopback (`modprobe v4l2loopback video_nr=" + text.substr(10) + "`)");
    }
    SIGHTGLASS_RETURN_IF_ERROR(need("v4l2sink", "gstreamer1.0-plugins-good", text));
    return output;
  }
  if (text.starts_with("rtsp://")) {
    output.kind = Output::Kind::kRtsp;
    output.encoder = wishes.encoder.empty() ? choose({kX264Live, kOpenH264Live}) : wishes.encoder;
    if (output.encoder.empty()) return not_found(text + ": no H.264 encoder is installed: x264enc or openh264enc");
    return output;
  }
  if (text.starts_with("whip://") || text.starts_with("whips://")) {
    output.kind = Output::Kind::kWhip;
    SIGHTGLASS_RETURN_IF_ERROR(need("whipclientsink", "GStreamer's Rust plugins (gst-plugins-rs)", text));
    return output;
  }
  return file_output(std::move(output), wishes);
}

std::string sink_text(const Output& output, bool rendered, int width, int height) {
  const std::string even = needs_even_size(output.encoder) ? even_size_text(width, height) + " ! " : std::string();
  const std::string file = std::string("filesink name=") + kFileElement + " location=" + quoted(output.name);
  switch (output.kind) {
    case Output::Kind::kWindow:
      return rendered ? "glimagesink qos=false max-lateness=-1" : "glimagesink";
    case Output::Kind::kNone:
      return "fakesink sync=false";
    case Output::Kind::kVideo:
      return "videoconvert ! queue ! " + even + output.encoder + " ! " + output.muxer + " name=" + kMuxerElement +
             " ! " + file;
    case Output::Kind::kStill:
      return "videoconvert ! " + output.encoder + " snapshot=true ! " + file;
    case Output::Kind::kImages:
      return "videoconvert ! queue ! " + output.encoder + " ! multifilesink name=" + kFileElement +
             " location=" + quoted(parse_numbered_name(output.name)->format());
    case Output::Kind::kPipe:
      return "videoconvert ! capsfilter caps=" + quoted(y4m_caps()) + " ! y4mwrite ! " +
             (output.name == "-" ? std::string("fdsink fd=1 sync=false") : file);
    case Output::Kind::kVirtualCamera:
      // Readers want late frames too.
      return "videoconvert ! v4l2sink qos=false max-lateness=-1 device=" + quoted(output.name);
    case Output::Kind::kRtsp:
      return "videoconvert ! queue ! " + even + output.encoder + " ! rtph264pay pt=96 name=" + kRtspPayloader;
    case Output::Kind::kWhip: {
      const std::string scheme = output.name.starts_with("whips://") ? "https" : "http";
      return "videoconvert ! whipclientsink signaller::whip-endpoint=" +
             quoted(scheme + output.name.substr(output.name.find("://")));
    }
  }
  return {};
}

}  // namespace sightglass::video
