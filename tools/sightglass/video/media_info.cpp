#include "video/media_info.h"

#include <gst/pbutils/pbutils.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <span>
#include <string_view>

#include "gpu_engine/input_file.h"
#include "image_facts.h"
#include "video/decoding_limits.h"
#include "video/gst_objects.h"

namespace sightglass::video {

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
