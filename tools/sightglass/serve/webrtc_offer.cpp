#include "serve/webrtc_offer.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>
#include <system_error>

namespace sightglass::serve {

namespace {

constexpr std::string_view kCandidates[] = {"candidate", "remote-candidates", "end-of-candidates"};
constexpr unsigned kMaxPayload = 127;

bool is_candidate(const GstSDPAttribute* attribute) {
  return attribute->key != nullptr &&
         std::find(std::begin(kCandidates), std::end(kCandidates), attribute->key) != std::end(kCandidates);
}

// The payload type in the value of an rtpmap, "96 VP8/90000"; empty: another codec.
std::string vp8_payload(const GstSDPAttribute* attribute) {
  if (attribute->key == nullptr || attribute->value == nullptr || std::string_view(attribute->key) != "rtpmap") {
    return {};
  }
  const std::string_view text = attribute->value;
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view codec = text.substr(static_cast<size_t>(end - text.data()));
  if (error != std::errc() || number > kMaxPayload || !codec.starts_with(" VP8/90000")) return {};
  return std::to_string(number);
}

std::string payload_of(const GstSDPMedia* media) {
  if (media->media == nullptr || std::string_view(media->media) != "video") return {};
  for (guint i = 0; i < gst_sdp_media_attributes_len(media); ++i) {
    const std::string payload = vp8_payload(gst_sdp_media_get_attribute(media, i));
    if (!payload.empty()) return payload;
  }
  return {};
}

void remove_candidates(GstSDPMessage* sdp) {
  for (guint i = gst_sdp_message_attributes_len(sdp); i > 0; --i) {
    if (is_candidate(gst_sdp_message_get_attribute(sdp, i - 1))) gst_sdp_message_remove_attribute(sdp, i - 1);
  }
  for (guint m = 0; m < gst_sdp_message_medias_len(sdp); ++m) {
    auto* const media = const_cast<GstSDPMedia*>(gst_sdp_message_get_media(sdp, m));
    for (guint i = gst_sdp_media_attributes_len(media); i > 0; --i) {
      if (is_candidate(gst_sdp_media_get_attribute(media, i - 1))) gst_sdp_media_remove_attribute(media, i - 1);
    }
  }
}

}  // namespace

HttpError read_offer(const std::string& text, WebRtcOffer& offer) {
  offer = {};
  const auto lines = std::count_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; });
  if (static_cast<size_t>(lines) > 2 * kMaxOfferLines) {  // a line ends with both
    return {kBadRequest, "the offer has more than " + std::to_string(kMaxOfferLines) + " lines"};
  }
  GstSDPMessage* sdp = nullptr;
  gst_sdp_message_new(&sdp);
  offer.sdp.reset(sdp);
  // Stops at a zero byte.
  const auto* data = reinterpret_cast<const guint8*>(text.c_str());
  if (text.empty() || gst_sdp_message_parse_buffer(data, static_cast<guint>(text.size()), sdp) != GST_SDP_OK) {
    return {kBadRequest, "the offer is not SDP"};
  }
  if (gst_sdp_message_medias_len(sdp) > kMaxOfferMedia) {
    return {kBadRequest, "the offer has more than " + std::to_string(kMaxOfferMedia) + " sections of media"};
  }
  for (guint i = 0; i < gst_sdp_message_medias_len(sdp) && offer.payload.empty(); ++i) {
    offer.payload = payload_of(gst_sdp_message_get_media(sdp, i));
  }
  if (offer.payload.empty()) return {kBadRequest, "the offer has no VP8 video"};
  remove_candidates(sdp);
  return {};
}

}  // namespace sightglass::serve
