// What clients of the servers send, and the addresses that users write.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/secrets.h"
#include "exercise_files.h"
#include "serve/request_guard.h"
#include "serve/webrtc_offer.h"
#include "video/rtsp_server.h"

namespace sightglass::test {
namespace {

void demand(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

std::string_view text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

std::vector<serve::Header> headers_of(std::string_view text) {
  std::vector<serve::Header> headers;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const size_t colon = std::min(line.find(':'), line.size());
    headers.push_back({line.substr(0, colon), line.substr(std::min(colon + 1, line.size()))});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return headers;
}

std::string value_of(const std::vector<serve::Header>& headers, std::string_view name) {
  for (const serve::Header& header : headers) {
    if (header.name == name) return std::string(header.value);
  }
  return {};
}

}  // namespace

void exercise_http(Bytes bytes) {
  const std::vector<serve::Header> headers = headers_of(text_of(bytes));
  const serve::HttpError error = serve::check_head(headers);
  demand(error.ok() == error.message.empty(), "a rejected head has a reason");
  if (error.ok()) demand(headers.size() <= serve::kMaxHeaders, "an accepted head is bounded");
  serve::RequestFacts facts;
  facts.host = value_of(headers, "Host");
  facts.origin = value_of(headers, "Origin");
  facts.fetch_site = value_of(headers, "Sec-Fetch-Site");
  facts.authorization = value_of(headers, "Authorization");
  facts.cookie = value_of(headers, "Cookie");
  facts.local_address = "192.168.1.5";
  const serve::RequestGuard guard({"camera.example"}, "0123456789abcdef", "token-cookie");
  if (guard.foreign(facts).empty()) {
    const std::string name = facts.host.substr(0, facts.host.find(':'));
    demand(name.size() == std::string_view("camera.example").size() || name.find("192.168.1.5") != std::string::npos,
           "a host is one of the known names");
  }
  if (guard.authorized(facts)) {
    const bool has_token = facts.authorization.find("0123456789abcdef") != std::string::npos ||
                           facts.cookie.find("0123456789abcdef") != std::string::npos;
    demand(has_token, "a request without the token is not authorized");
  }
}

void exercise_offer(Bytes bytes) {
  serve::WebRtcOffer offer;
  const serve::HttpError error = serve::read_offer(std::string(text_of(bytes)), offer);
  demand(error.ok() == error.message.empty(), "a rejected offer has a reason");
  if (!error.ok()) return;
  demand(gst_sdp_message_medias_len(offer.sdp.get()) <= serve::kMaxOfferMedia, "an accepted offer is bounded");
  for (guint m = 0; m < gst_sdp_message_medias_len(offer.sdp.get()); ++m) {
    const GstSDPMedia* media = gst_sdp_message_get_media(offer.sdp.get(), m);
    demand(gst_sdp_media_get_attribute_val(media, "candidate") == nullptr, "an accepted offer has no candidates");
  }
}

void exercise_address(Bytes bytes) {
  const std::string text(text_of(bytes));
  const Result<serve::ListenAddress> listen = serve::parse_listen_address(text);
  if (listen.ok()) demand(serve::parse_listen_address(listen->url().substr(7)).ok(), "an address can be read again");
  const Result<video::RtspAddress> rtsp = video::parse_rtsp_address("rtsp://" + text);
  if (rtsp.ok()) demand(!rtsp->host.empty() && rtsp->path.starts_with("/"), "an address has a host and a path");
  const std::string shown = without_secrets("rtsp://user:hunter2@" + text);
  demand(!shown.starts_with("rtsp://user"), "a password is not shown");
  demand(without_secrets(shown) == shown, "nothing else is hidden the second time");
}

}  // namespace sightglass::test
