#include "options.h"

#include <gst/gst.h>

#include <array>

namespace sightglass::demo {

namespace {

bool installed(const char* element) {
  GstElementFactory* factory = gst_element_factory_find(element);
  if (factory == nullptr) return false;
  gst_object_unref(factory);
  return true;
}

struct Encoder {
  const char* element;
  const char* text;
  const char* muxer;
  const char* extension;
};

constexpr std::array<Encoder, 3> kEncoders = {{
    {"x264enc", "x264enc speed-preset=veryfast ! h264parse", "mp4mux", ".mp4"},
    {"openh264enc", "openh264enc ! h264parse", "mp4mux", ".mp4"},
    {"vp8enc", "vp8enc deadline=1 cpu-used=8 target-bitrate=4000000", "webmmux", ".webm"},
}};

const Encoder* find_encoder(const std::string& extension) {
  for (const Encoder& encoder : kEncoders) {
    if (!extension.empty() && extension != encoder.extension) continue;
    if (installed(encoder.element) && installed(encoder.muxer)) return &encoder;
  }
  return nullptr;
}

std::string quote(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

bool is_camera(const std::string& input) { return input.starts_with("/dev/video"); }

bool is_picture(const std::string& background) {
  for (const char* known : {"blur", "color", "transparent", "mask"}) {
    if (background == known) return false;
  }
  return true;
}

}  // namespace

bool Options::endless() const { return input == kFigures || is_camera(input); }

int Options::limit() const { return seconds.value_or(endless() && !output.empty() ? kSecondsOfFile : 0); }

std::string source_text(const Options& options) {
  if (options.input == kFigures) {
    // Files get a lower frame rate, because a machine without a GPU is slow. The figure changes every three seconds.
    const int rate = options.output.empty() ? 30 : 15;
    const std::string count =
        options.limit() > 0 ? " num-buffers=" + std::to_string(rate * options.limit()) : std::string();
    return "glfiguresrc seed-interval=" + std::to_string(3 * rate) + count +
           " ! video/x-raw(memory:GLMemory),width=640,height=480,framerate=" + std::to_string(rate) + "/1";
  }
  if (is_camera(options.input)) return "v4l2src device=" + quote(options.input) + " ! videoconvert";
  return "filesrc location=" + quote(options.input) + " ! decodebin";
}

std::string segment_text(const Options& options, const std::string& background) {
  const std::string& chosen = background.empty() ? options.background : background;
  std::string text = "glsegment name=segment model=" + quote(options.model);
  text += is_picture(chosen) ? " background=image background-location=" + quote(chosen) : " background=" + chosen;
  return options.properties.empty() ? text : text + " " + options.properties;
}

std::string sink_text(const Options& options) {
  // Without a GPU, figures render slower than real time. They then move slowly, but no frame is dropped.
  if (options.output.empty()) {
    return options.input == kFigures ? "glimagesink qos=false max-lateness=-1" : "glimagesink";
  }
  const size_t dot = options.output.rfind('.');
  const Encoder* encoder = find_encoder(dot == std::string::npos ? ".none" : options.output.substr(dot));
  if (encoder == nullptr) return {};
  return std::string("gldownload ! videoconvert ! queue ! ") + encoder->text + " ! " + encoder->muxer +
         " ! filesink name=" + kFileSink + " location=" + quote(options.output);
}

std::string default_output(const std::string& stem) {
  const Encoder* encoder = find_encoder({});
  return encoder == nullptr ? std::string() : stem + encoder->extension;
}

}  // namespace sightglass::demo
