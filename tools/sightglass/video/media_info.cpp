#include "video/media_info.h"

#include <gst/pbutils/pbutils.h>

#include <filesystem>
#include <memory>

#include "video/gst_objects.h"

namespace sightglass::video {

namespace {

std::string caps_text(GstDiscovererStreamInfo* stream) {
  const CapsPtr caps(gst_discoverer_stream_info_get_caps(stream));
  const TextPtr text(gst_caps_to_string(caps.get()));
  return text.get();
}

// The reason for which GStreamer could not play the file, on one line.
std::string reason_of(GstDiscovererInfo* info, const GError* error) {
  if (info != nullptr && gst_discoverer_info_get_result(info) == GST_DISCOVERER_MISSING_PLUGINS) {
    const gchar** details = gst_discoverer_info_get_missing_elements_installer_details(info);
    std::string text = "no decoder is installed for it";
    // "gstreamer|1.0|program|H.265 decoder|…"
    for (; details != nullptr && *details != nullptr; ++details) {
      gchar** parts = g_strsplit(*details, "|", 5);
      if (g_strv_length(parts) >= 4) text += std::string(": ") + parts[3];
      g_strfreev(parts);
    }
    return text + "; try the packages gstreamer1.0-libav and gstreamer1.0-plugins-bad";
  }
  return error != nullptr ? error->message : "not a media file, or damaged";
}

}  // namespace

Result<MediaInfo> inspect_media(const std::string& path) {
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

  MediaInfo media;
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
