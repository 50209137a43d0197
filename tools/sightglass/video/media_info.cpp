#include "video/media_info.h"

#include <gst/base/gsttypefindhelper.h>
#include <gst/gst.h>
#include <gst/pbutils/pbutils.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "gpu_engine/files.h"
#include "pictures.h"
#include "video/gst_setup.h"

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

namespace {

std::string caps_text(GstDiscovererStreamInfo* stream) {
  const CapsPtr caps(gst_discoverer_stream_info_get_caps(stream));
  const TextPtr text(gst_caps_to_string(caps.get()));
  return text.get();
}

// The Debian package with the demuxer or decoder of a type of caps.
struct Package {
  std::string_view type;
  const char* package;
};
constexpr Package kPackages[] = {
    {"application/mxf", "gstreamer1.0-plugins-bad"},
    {"application/ogg", "gstreamer1.0-plugins-base"},
    {"application/vnd.rn-realmedia", "gstreamer1.0-plugins-ugly"},
    {"application/x-yuv4mpeg", "gstreamer1.0-plugins-bad"},
    {"audio/mpeg", "gstreamer1.0-libav"},
    {"audio/x-ac3", "gstreamer1.0-libav"},
    {"audio/x-opus", "gstreamer1.0-plugins-base"},
    {"audio/x-vorbis", "gstreamer1.0-plugins-base"},
    {"image/jpeg", "gstreamer1.0-plugins-good"},
    {"image/jp2", "gstreamer1.0-plugins-bad"},
    {"image/png", "gstreamer1.0-plugins-good"},
    {"image/webp", "gstreamer1.0-plugins-bad"},
    {"video/mpeg", "gstreamer1.0-plugins-bad gstreamer1.0-libav"},
    {"video/mpegts", "gstreamer1.0-plugins-bad"},
    {"video/quicktime", "gstreamer1.0-plugins-good"},
    {"video/webm", "gstreamer1.0-plugins-good"},
    {"video/x-av1", "gstreamer1.0-plugins-bad"},
    {"video/x-dv", "gstreamer1.0-plugins-good"},
    {"video/x-flv", "gstreamer1.0-plugins-good"},
    {"video/x-matroska", "gstreamer1.0-plugins-good"},
    {"video/x-ms-asf", "gstreamer1.0-plugins-ugly"},
    {"video/x-msvideo", "gstreamer1.0-plugins-good"},
    {"video/x-theora", "gstreamer1.0-plugins-base"},
    {"video/x-vp8", "gstreamer1.0-plugins-good"},
    {"video/x-vp9", "gstreamer1.0-plugins-good"},
};

// The package for the last part of installer details, such as "decoder-video/x-h265, profile=main".
std::string_view package_for(std::string_view wanted) {
  wanted.remove_prefix(std::min(wanted.find('-') + 1, wanted.size()));
  const std::string_view type = wanted.substr(0, wanted.find(','));
  const auto* found = std::ranges::find(kPackages, type, &Package::type);
  // libav decodes most of the others.
  if (!type.starts_with("video/") && !type.starts_with("audio/") && found == std::end(kPackages)) return {};
  return found != std::end(kPackages) ? std::string_view(found->package) : std::string_view("gstreamer1.0-libav");
}

// The reason for which GStreamer could not play the file, on one line.
std::string reason_of(GstDiscovererInfo* info, const GError* error) {
  if (info != nullptr && gst_discoverer_info_get_result(info) == GST_DISCOVERER_MISSING_PLUGINS) {
    const gchar** details = gst_discoverer_info_get_missing_elements_installer_details(info);
    std::string text = "no decoder is installed for it", packages;
    // "gstreamer|1.0|program|H.265 decoder|decoder-video/x-h265, profile=main"
    for (; details != nullptr && *details != nullptr; ++details) {
      gchar** parts = g_strsplit(*details, "|", 5);
      if (g_strv_length(parts) == 5) {
        text += std::string(": ") + parts[3];
        const std::string package(package_for(parts[4]));
        if (!package.empty() && packages.find(package) == std::string::npos) packages += " " + package;
      }
      g_strfreev(parts);
    }
    if (packages.empty()) return text + "; give a video file or an image";
    return text + "; on Debian, apt install" + packages + ", or convert it to MP4 with H.264";
  }
  // GStreamer's words for it: "Could not determine type of stream."
  if (error == nullptr || g_error_matches(error, GST_STREAM_ERROR, GST_STREAM_ERROR_TYPE_NOT_FOUND)) {
    return "is not a media file that GStreamer recognizes, or is damaged; give a video file or an image";
  }
  return error->message;
}

// Indexed by the number of EXIF.
constexpr const char* kOrientations[] = {
    "",          "", "flip-rotate-0", "rotate-180", "flip-rotate-180", "flip-rotate-270", "rotate-90", "flip-rotate-90",
    "rotate-270"};

// Not all decoders report the orientation of an image, nor say what is wrong with CMYK.
Status read_image_headers(const std::string& path, MediaInfo& media) {
  constexpr int64_t kMostBytes = int64_t{64} << 20;
  const Result<std::string> file = read_text_file(path, kMostBytes);
  if (!file.ok()) return {};  // too large: it is decoded as it is stored
  const ImageFacts facts = image_facts(std::as_bytes(std::span(*file)));
  if (facts.jpeg_components == 4) {
    return unsupported(path + ": is a JPEG image in CMYK, which GStreamer does not decode; convert it to RGB");
  }
  media.orientation = kOrientations[facts.orientation];
  return {};
}

}  // namespace

Result<MediaInfo> inspect_media(const std::string& path) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::string type, media_type(path));
  MediaInfo media;
  if (type.starts_with("image/")) SIGHTGLASS_RETURN_IF_ERROR(read_image_headers(path, media));
  std::error_code no_path;
  const std::string absolute = std::filesystem::absolute(path, no_path).string();
  const TextPtr address(gst_filename_to_uri(absolute.c_str(), nullptr));
  constexpr GstClockTime kPatience = 15 * GST_SECOND;
  GError* failure = nullptr;
  const std::unique_ptr<GstDiscoverer, UnrefGObject> discoverer(gst_discoverer_new(kPatience, &failure));
  std::unique_ptr<GstDiscovererInfo, UnrefGObject> info;
  if (discoverer != nullptr) {
    info.reset(gst_discoverer_discover_uri(discoverer.get(), address.get(), &failure));
  }
  if (info == nullptr || gst_discoverer_info_get_result(info.get()) != GST_DISCOVERER_OK) {
    Status status = device_error(path + ": " + reason_of(info.get(), failure));
    g_clear_error(&failure);
    return status;
  }
  g_clear_error(&failure);

  const GstClockTime duration = gst_discoverer_info_get_duration(info.get());
  if (GST_CLOCK_TIME_IS_VALID(duration)) media.seconds = static_cast<double>(duration) / GST_SECOND;
  GList* const videos = gst_discoverer_info_get_video_streams(info.get());
  const bool has_video = videos != nullptr;
  if (has_video) {
    auto* const video = GST_DISCOVERER_VIDEO_INFO(videos->data);
    media.still = gst_discoverer_video_info_is_image(video) != FALSE;
    media.width = static_cast<int>(gst_discoverer_video_info_get_width(video));
    media.height = static_cast<int>(gst_discoverer_video_info_get_height(video));
  }
  gst_discoverer_stream_info_list_free(videos);
  GList* const audios = gst_discoverer_info_get_audio_streams(info.get());
  if (audios != nullptr) media.audio_caps = caps_text(GST_DISCOVERER_STREAM_INFO(audios->data));
  gst_discoverer_stream_info_list_free(audios);
  if (!has_video) return invalid_argument(path + ": has no video");
  return media;
}

}  // namespace sightglass::video
