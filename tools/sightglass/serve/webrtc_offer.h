// The offer of a WebRTC viewer (SDP): its limits, and what the server uses of it.
#pragma once

#include <gst/sdp/sdp.h>

#include <cstddef>
#include <memory>
#include <string>

#include "serve/routes.h"

namespace sightglass::serve {

constexpr guint kMaxOfferMedia = 4;      // sections of media
constexpr size_t kMaxOfferLines = 1000;  // an offer of a browser for one video has about 60

struct FreeSdp {
  void operator()(GstSDPMessage* message) const { gst_sdp_message_free(message); }
};
using SdpPtr = std::unique_ptr<GstSDPMessage, FreeSdp>;

struct WebRtcOffer {
  SdpPtr sdp;           // without candidates
  std::string payload;  // type of VP8: "96"
};

// Fails if an offer is too large, is not SDP, or has no VP8 video. The candidates of an offer are addresses that the
// server would send packets and open connections to, whatever is there. They are removed: the client connects to the
// candidates of the answer, and the server replies to the address that packets come from.
HttpError read_offer(const std::string& text, WebRtcOffer& offer);

}  // namespace sightglass::serve
