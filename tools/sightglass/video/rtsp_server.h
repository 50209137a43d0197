// An RTSP server for the output of a job.
#pragma once

#include <gst/gst.h>

#include <string>

#include "sightglass/status.h"
#include "video/player.h"

// Without the header of the server library, which is optional.
using GstRTSPServer = struct _GstRTSPServer;
using GstRTSPClient = struct _GstRTSPClient;

namespace sightglass::video {

// What RTSP clients can ask of the shared media, and how many can connect.

constexpr guint kMaxRtspClients = 32;

// All clients share one pipeline, so no request may change it: headers that would seek, change the speed, or set up the
// payloader are dropped, and ANNOUNCE, RECORD, and parameters are refused. Connections without a session end soon, and
// sessions end when their client is silent.
class RtspGuard {
 public:
  // Before the server is attached to the default main context. `server` outlives this.
  explicit RtspGuard(GstRTSPServer* server);
  ~RtspGuard();
  RtspGuard(const RtspGuard&) = delete;
  RtspGuard& operator=(const RtspGuard&) = delete;

 private:
  void sweep();
  static void on_client(GstRTSPServer* server, GstRTSPClient* client, gpointer guard);
  static gboolean on_timer(gpointer guard);

  GstRTSPServer* const server_;
  const gulong connected_;
  const guint timer_;
};

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
