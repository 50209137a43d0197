// An RTSP server for the output of a job.
#pragma once

#include <string>

#include "sightglass/status.h"
#include "video/player.h"

namespace sightglass::video {

// "rtsp://[HOST]:PORT/NAME". An empty host: this machine only.
struct RtspAddress {
  std::string host, port, path;
};
Result<RtspAddress> parse_rtsp_address(const std::string& text);

// Serves the pipeline, which must have a payloader named kRtspPayloader, until Ctrl-C or the time limit. All clients
// share one pipeline, which is started beforehand, and plays while there are clients. Fails if this program was built
// without the server library.
Status serve_rtsp(const std::string& pipeline, const RtspAddress& address, const PlayerSettings& settings,
                  PlaybackReport& report);

}  // namespace sightglass::video
