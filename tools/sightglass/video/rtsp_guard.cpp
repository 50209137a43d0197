#include <gst/rtsp-server/rtsp-server.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "video/gst_setup.h"
#include "video/rtsp_server.h"

namespace sightglass::video {

namespace {

constexpr guint kSweepSeconds = 2;
constexpr gint64 kSessionTime = 15 * G_USEC_PER_SEC;  // for a client to set up its session
constexpr guint kMaxBody = 16 * 1024;                 // of a request, in bytes
constexpr const char* kSince = "sightglass-since";

// The server acts on no other headers. Among the rest are Range, Scale, Speed, and Rate-Control, which seek the shared
// pipeline, Blocksize, which changes its payloader, and KeyMgmt, which changes its encryption.
constexpr GstRTSPHeaderField kKept[] = {
    GST_RTSP_HDR_CSEQ,    GST_RTSP_HDR_SESSION,      GST_RTSP_HDR_TRANSPORT,      GST_RTSP_HDR_ACCEPT,
    GST_RTSP_HDR_REQUIRE, GST_RTSP_HDR_CONTENT_TYPE, GST_RTSP_HDR_CONTENT_LENGTH, GST_RTSP_HDR_USER_AGENT,
};

GstRTSPStatusCode drop_headers(GstRTSPClient*, GstRTSPContext* context, gpointer) {
  for (int field = GST_RTSP_HDR_INVALID + 1; field < GST_RTSP_HDR_LAST; ++field) {
    if (std::find(std::begin(kKept), std::end(kKept), field) != std::end(kKept)) continue;
    gst_rtsp_message_remove_header(context->request, static_cast<GstRTSPHeaderField>(field), -1);
  }
  return GST_RTSP_STS_OK;
}

GstRTSPStatusCode refuse_method(GstRTSPClient*, GstRTSPContext*, gpointer) { return GST_RTSP_STS_METHOD_NOT_ALLOWED; }

// Clients send an empty SET_PARAMETER to keep their session.
GstRTSPStatusCode refuse_parameters(GstRTSPClient*, GstRTSPContext* context, gpointer) {
  guint8* body = nullptr;
  guint size = 0;
  gst_rtsp_message_get_body(context->request, &body, &size);
  return size == 0 ? GST_RTSP_STS_OK : GST_RTSP_STS_PARAMETER_NOT_UNDERSTOOD;
}

struct Rule {
  const char* signal;
  GstRTSPStatusCode (*handler)(GstRTSPClient*, GstRTSPContext*, gpointer);
};
constexpr Rule kRules[] = {
    {"pre-describe-request", drop_headers},
    {"pre-setup-request", drop_headers},
    {"pre-play-request", drop_headers},
    {"pre-pause-request", drop_headers},
    {"pre-set-parameter-request", refuse_parameters},
    {"pre-announce-request", refuse_method},
    {"pre-record-request", refuse_method},
};

struct Visitor {
  gint64 since;  // monotonic time of the connection
  GstRTSPClient* client;
};

bool has_session(GstRTSPClient* client) {
  GList* const sessions = gst_rtsp_client_session_filter(client, nullptr, nullptr);
  const bool any = sessions != nullptr;
  g_list_free_full(sessions, g_object_unref);
  return any;
}

gint64 since_of(GstRTSPClient* client) {
  const auto* since = static_cast<const gint64*>(g_object_get_data(G_OBJECT(client), kSince));
  return since != nullptr ? *since : 0;
}

}  // namespace

RtspGuard::RtspGuard(GstRTSPServer* server)
    : server_(server),
      connected_(g_signal_connect(server, "client-connected", G_CALLBACK(on_client), this)),
      timer_(g_timeout_add_seconds(kSweepSeconds, on_timer, this)) {
  gst_rtsp_server_set_content_length_limit(server, kMaxBody);
  const std::unique_ptr<GstRTSPSessionPool, UnrefGObject> pool(gst_rtsp_server_get_session_pool(server));
  gst_rtsp_session_pool_set_max_sessions(pool.get(), kMaxRtspClients);
}

RtspGuard::~RtspGuard() {
  g_source_remove(timer_);
  g_signal_handler_disconnect(server_, connected_);
}

void RtspGuard::on_client(GstRTSPServer* server, GstRTSPClient* client, gpointer guard) {
  g_object_set_data_full(G_OBJECT(client), kSince, new gint64(g_get_monotonic_time()),
                         [](gpointer since) { delete static_cast<gint64*>(since); });
  for (const Rule& rule : kRules) g_signal_connect(client, rule.signal, G_CALLBACK(rule.handler), nullptr);
  GList* const clients = gst_rtsp_server_client_filter(server, nullptr, nullptr);
  const bool crowded = g_list_length(clients) > kMaxRtspClients;
  g_list_free_full(clients, g_object_unref);
  if (crowded) static_cast<RtspGuard*>(guard)->sweep();
}

void RtspGuard::sweep() {
  std::vector<Visitor> visitors;  // without a session
  GList* const clients = gst_rtsp_server_client_filter(server_, nullptr, nullptr);
  const guint count = g_list_length(clients);
  for (GList* item = clients; item != nullptr; item = item->next) {
    auto* const client = GST_RTSP_CLIENT(item->data);
    if (!has_session(client)) visitors.push_back({since_of(client), client});
  }
  // Those that have waited longest are the least likely to continue.
  std::sort(visitors.begin(), visitors.end(), [](const auto& a, const auto& b) { return a.since < b.since; });
  size_t surplus = count > kMaxRtspClients ? count - kMaxRtspClients : 0;
  const gint64 limit = g_get_monotonic_time() - kSessionTime;
  for (const Visitor& visitor : visitors) {
    if (surplus == 0 && visitor.since > limit) break;
    gst_rtsp_client_close(visitor.client);
    if (surplus > 0) --surplus;
  }
  g_list_free_full(clients, g_object_unref);
}

gboolean RtspGuard::on_timer(gpointer data) {
  auto* self = static_cast<RtspGuard*>(data);
  const std::unique_ptr<GstRTSPSessionPool, UnrefGObject> pool(gst_rtsp_server_get_session_pool(self->server_));
  gst_rtsp_session_pool_cleanup(pool.get());
  self->sweep();
  return G_SOURCE_CONTINUE;
}

}  // namespace sightglass::video
