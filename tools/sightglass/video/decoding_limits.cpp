#include "video/decoding_limits.h"

#include <gst/base/gsttypefindhelper.h>
#include <gst/gst.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "gpu_engine/input_file.h"
#include "video/gst_objects.h"

namespace sightglass::video {

namespace {

// Types of caps that may be decoded; "*" stands for any end.
constexpr std::string_view kMedia[] = {"video/*", "audio/*", "image/*", "subtitle/*", "closedcaption/*", "text/x-raw",
                                       "application/gxf", "application/kate", "application/mxf", "application/ogg",
                                       "application/vnd.rn-realmedia", "application/x-3gp", "application/x-apetag",
                                       "application/x-ass", "application/x-icy", "application/x-id3",
                                       "application/x-ogg-avi", "application/x-ogm-*", "application/x-ssa",
                                       "application/x-subtitle*", "application/x-yuv4mpeg", "multipart/x-mixed-replace",
                                       // The type of no stream: decoders of gst-libav that nothing uses have it.
                                       "unknown/unknown"};
constexpr std::string_view kPackets[] = {"application/x-rtp", "application/x-srtp", "application/x-rdt"};

// Types of caps that are refused by name, and images that GStreamer recognizes and does not decode.
struct Refused {
  std::string_view type;
  const char* what;
  const char* remedy;
};
constexpr const char* kGiveMedia = "give the video file or the address that it names";
constexpr const char* kConvert = "convert it to PNG or JPEG";
constexpr Refused kRefused[] = {
    {"application/x-hls", "an HLS playlist", kGiveMedia},
    {"application/dash+xml", "a DASH manifest", kGiveMedia},
    {"application/vnd.ms-sstr+xml", "a Smooth Streaming manifest", kGiveMedia},
    {"application/smil", "a SMIL playlist", kGiveMedia},
    {"application/sdp", "an SDP session description", kGiveMedia},
    {"text/uri-list", "a playlist", kGiveMedia},
    {"application/xml", "an XML file", kGiveMedia},
    {"text/html", "a web page", kGiveMedia},
    {"text/plain", "a text file", kGiveMedia},
    {"image/svg+xml", "an SVG drawing", kConvert},
    {"image/svg", "an SVG drawing", kConvert},
    {"image/bmp", "a BMP image, which GStreamer does not decode from a file", kConvert},
    {"image/tiff", "a TIFF image, which GStreamer does not decode from a file", kConvert},
    {"image/x-icon", "an icon", kConvert},
    {"image/heif", "an HEIF image", kConvert},
    {"image/avif", "an AVIF image", kConvert},
};

// Texts in the first lines of lists. GStreamer recognizes some of them only by more than that, and others never.
struct List {
  std::string_view text;
  const char* what;
  bool at_begin;
};
constexpr List kLists[] = {
    {"#EXTM3U", "an HLS playlist", true},     {"[playlist]", "a PLS playlist", true},
    {"[Reference]", "an ASX playlist", true}, {"RTSPtext", "a QuickTime link", true},
    {"<MPD", "a DASH manifest", false},       {"<SmoothStreamingMedia", "a Smooth Streaming manifest", false},
    {"<smil", "a SMIL playlist", false},      {"<asx", "an ASX playlist", false},
    {"<ASX", "an ASX playlist", false},       {"<playlist", "an XSPF playlist", false},
};

const List* find_list(std::string_view text) {
  constexpr size_t kFirstLines = 4096;
  text = text.substr(0, kFirstLines);
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  const auto* found = std::ranges::find_if(kLists, [&](const List& list) {
    return list.at_begin ? text.starts_with(list.text) : text.starts_with('<') && text.find(list.text) != text.npos;
  });
  return found != std::end(kLists) ? found : nullptr;
}

bool is_one_of(std::span<const std::string_view> types, std::string_view type) {
  return std::ranges::any_of(types, [&](std::string_view one) {
    return one.ends_with('*') ? type.starts_with(one.substr(0, one.size() - 1)) : type == one;
  });
}

const Refused* find_refused(std::string_view type) {
  const auto* found = std::ranges::find(kRefused, type, &Refused::type);
  return found != std::end(kRefused) ? found : nullptr;
}

struct FreeFeatures {
  void operator()(GList* features) const { gst_plugin_feature_list_free(features); }
};
using Features = std::unique_ptr<GList, FreeFeatures>;

// Whether a decoder accepts only media. A drawing can name other files.
bool reads_only_media(GstElementFactory* factory, bool packets) {
  for (const GList* item = gst_element_factory_get_static_pad_templates(factory); item != nullptr; item = item->next) {
    auto* const pad = static_cast<GstStaticPadTemplate*>(item->data);
    if (pad->direction != GST_PAD_SINK) continue;
    const CapsPtr caps(gst_static_caps_get(&pad->static_caps));
    if (gst_caps_is_any(caps.get())) return false;
    for (guint i = 0; i < gst_caps_get_size(caps.get()); ++i) {
      const char* const type = gst_structure_get_name(gst_caps_get_structure(caps.get(), i));
      const bool accepted = is_one_of(kMedia, type) || (packets && is_one_of(kPackets, type));
      if (!accepted || std::string_view(type).starts_with("image/svg")) return false;
    }
  }
  return true;
}

bool contains(const gchar* const* protocols, std::string_view protocol) {
  for (; protocols != nullptr && *protocols != nullptr; ++protocols) {
    if (*protocols == protocol) return true;
  }
  return false;
}

std::string_view text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

Result<std::string> media_type(const std::string& path) {
  Result<InputFile> file = InputFile::open(path);
  if (!file.ok()) return file.status().with_context(path);
  constexpr size_t kBeginning = size_t{64} << 10;
  std::vector<std::byte> bytes(kBeginning);
  const Result<size_t> count = file->read(bytes);
  if (!count.ok()) return count.status().with_context(path);
  if (*count == 0) return invalid_argument(path + ": is empty");
  bytes.resize(*count);
  const auto refuse = [&](const char* what, const char* remedy) {
    return Status(unsupported(path + ": is " + what + "; " + remedy));
  };
  if (const List* list = find_list(text_of(bytes))) return refuse(list->what, kGiveMedia);
  GstTypeFindProbability probability = GST_TYPE_FIND_NONE;
  const CapsPtr caps(gst_type_find_helper_for_data(nullptr, reinterpret_cast<const guint8*>(bytes.data()), bytes.size(),
                                                   &probability));
  if (caps == nullptr || gst_caps_is_any(caps.get()) || gst_caps_is_empty(caps.get())) return std::string();
  const char* const type = gst_structure_get_name(gst_caps_get_structure(caps.get(), 0));
  if (const Refused* refused = find_refused(type)) return refuse(refused->what, refused->remedy);
  if (!is_one_of(kMedia, type)) return refuse(type, "give a video file or an image");
  return std::string(type);
}

void limit_decoding_to_media(bool packets) {
  const Features decoders(gst_element_factory_list_get_elements(GST_ELEMENT_FACTORY_TYPE_DECODABLE, GST_RANK_MARGINAL));
  for (const GList* item = decoders.get(); item != nullptr; item = item->next) {
    if (!reads_only_media(GST_ELEMENT_FACTORY(item->data), packets)) {
      gst_plugin_feature_set_rank(GST_PLUGIN_FEATURE(item->data), GST_RANK_NONE);
    }
  }
}

void limit_sources_to_http() {
  const Features sources(gst_element_factory_list_get_elements(GST_ELEMENT_FACTORY_TYPE_SRC, GST_RANK_NONE));
  for (const GList* item = sources.get(); item != nullptr; item = item->next) {
    GstElementFactory* const factory = GST_ELEMENT_FACTORY(item->data);
    if (gst_element_factory_get_uri_type(factory) != GST_URI_SRC) continue;
    const gchar* const* protocols = gst_element_factory_get_uri_protocols(factory);
    // giosrc reads everything. The application and the RTSP server use appsrc and udpsrc, which open no file.
    const bool http = contains(protocols, "http") && !contains(protocols, "file");
    if (http || contains(protocols, "appsrc") || contains(protocols, "udp")) continue;
    gst_registry_remove_feature(gst_registry_get(), GST_PLUGIN_FEATURE(factory));
  }
}

}  // namespace sightglass::video
