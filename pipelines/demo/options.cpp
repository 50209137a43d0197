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

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

bool is_picture(const std::string& background) {
  for (const char* known : {"blur", "color", "transparent", "mask"}) {
    if (background == known) return false;
  }
  return true;
}

}  // namespace

std::string source_text(const Options& options) {
  if (options.input.starts_with("/dev/video")) return "v4l2src device=" + quoted(options.input) + " ! videoconvert";
  return "filesrc location=" + quoted(options.input) + " ! decodebin";
}

std::string segment_text(const Options& options, const std::string& background) {
  const std::string& chosen = background.empty() ? options.background : background;
  std::string text = "glsegment name=segment model=" + quoted(options.model);
  text += is_picture(chosen) ? " background=image background-location=" + quoted(chosen) : " background=" + chosen;
  return options.properties.empty() ? text : text + " " + options.properties;
}

std::string sink_text(const Options& options) {
  if (options.output.empty()) return "glimagesink";
  const size_t dot = options.output.rfind('.');
  const Encoder* encoder = find_encoder(dot == std::string::npos ? ".none" : options.output.substr(dot));
  if (encoder == nullptr) return {};
  return std::string("gldownload ! videoconvert ! queue ! ") + encoder->text + " ! " + encoder->muxer +
         " ! filesink location=" + quoted(options.output);
}

std::string default_output(const std::string& stem) {
  const Encoder* encoder = find_encoder({});
  return encoder == nullptr ? std::string() : stem + encoder->extension;
}

}  // namespace sightglass::demo
