// What RTSP clients can ask of the shared media, and how many can connect.
#pragma once

#include <gst/rtsp-server/rtsp-server.h>

namespace sightglass::video {

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

}  // namespace sightglass::video
