#include "video/rtsp_server.h"

#include <dlfcn.h>
#include <glib-unix.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "common/process.h"
#include "video/frame_layout.h"
#include "video/gst_setup.h"
#include "video/keys.h"
#include "video/video_job.h"
#ifdef SIGHTGLASS_RTSP
#include <gst/rtsp-server/rtsp-server.h>
#endif

namespace sightglass::video {

Result<RtspAddress> parse_rtsp_address(const std::string& text) {
  constexpr std::string_view kScheme = "rtsp://";
  const size_t slash = text.find('/', kScheme.size());
  const std::string server = text.substr(kScheme.size(), slash - kScheme.size());
  const size_t colon = server.rfind(':');
  RtspAddress address{server.substr(0, colon), colon == std::string::npos ? "8554" : server.substr(colon + 1),
                      slash == std::string::npos ? "/sightglass" : text.substr(slash)};
  const bool number = !address.port.empty() && address.port.size() <= 5 &&
                      address.port.find_first_not_of("0123456789") == std::string::npos &&
                      std::stoi(address.port) > 0 && std::stoi(address.port) <= 65535;
  if (!number) return invalid_argument(text + ": " + address.port + " is not a port; use rtsp://:8554/NAME");
  if (address.path == "/") address.path = "/sightglass";
  if (address.host.empty()) address.host = "127.0.0.1";
  return address;
}

#ifdef SIGHTGLASS_RTSP

namespace {

struct Serving {
  GMainLoop* loop;
  const PlayerSettings& settings;
  PlaybackReport& report;
  ElementPtr element;  // of the pipeline that runs; null: none runs
  std::mutex mutex;
  std::string failure;  // guarded by mutex; of the pipeline
};

void on_failure(GstBus*, GstMessage* message, gpointer data) {
  auto* serving = static_cast<Serving*>(data);
  GError* error = nullptr;
  gst_message_parse_error(message, &error, nullptr);
  {
    const std::lock_guard lock(serving->mutex);
    if (serving->failure.empty()) {
      serving->failure = std::string(GST_MESSAGE_SRC_NAME(message)) + ": " + error->message;
    }
  }
  g_error_free(error);
  g_main_loop_quit(serving->loop);
}

void on_media(GstRTSPMediaFactory*, GstRTSPMedia* media, gpointer data) {
  auto* serving = static_cast<Serving*>(data);
  const ElementPtr pipeline(gst_rtsp_media_get_element(media));
  correct_demuxers(pipeline.get());
  serving->element.reset(gst_bin_get_by_name(GST_BIN(pipeline.get()), kModelElement));
  keep_sizes_even(pipeline.get());
}

gboolean stop(gpointer data) {
  g_main_loop_quit(static_cast<Serving*>(data)->loop);
  return G_SOURCE_CONTINUE;
}

// Since 1.24, gst_rtsp_media_factory_construct() returns a locked media. No client gets an answer until it is unlocked.
// The function that was added by the same change tells the versions apart, in distributions that backport it too.
bool media_are_locked() { return ::dlsym(RTLD_DEFAULT, "gst_rtsp_media_can_be_shared") != nullptr; }

// The media of all clients, prepared before the first one asks: a model takes seconds to start, and clients do not
// wait.
class PreparedMedia {
 public:
  ~PreparedMedia() {
    if (media_ != nullptr) gst_rtsp_media_unprepare(media_.get());
  }
  // The library waits for a pipeline for 20 seconds. A first start can take longer, and the next one continues with the
  // programs that it has compiled.
  Status prepare(GstRTSPMediaFactory* factory, const std::string& url) {
    constexpr gint64 kLong = 15 * G_USEC_PER_SEC;
    constexpr int kTries = 5;
    Status status;
    for (int i = 0; i < kTries; ++i) {
      const gint64 begin = g_get_monotonic_time();
      status = try_to_prepare(factory, url);
      if (status.ok() || g_get_monotonic_time() - begin < kLong) break;
    }
    return status;
  }
  // Calls `failed` on a streaming thread when an element fails. No client can open the stream then.
  void watch_errors(GCallback failed, gpointer data) const {
    const ElementPtr element(gst_rtsp_media_get_element(media_.get()));
    const ObjectPtr<GstElement> pipeline(GST_ELEMENT(gst_object_get_parent(GST_OBJECT(element.get()))));
    if (pipeline == nullptr) return;
    const ObjectPtr<GstBus> bus(gst_element_get_bus(pipeline.get()));
    gst_bus_enable_sync_message_emission(bus.get());
    g_signal_connect(bus.get(), "sync-message::error", failed, data);
  }

 private:
  Status try_to_prepare(GstRTSPMediaFactory* factory, const std::string& url) {
    GstRTSPUrl* parsed = nullptr;
    if (gst_rtsp_url_parse(url.c_str(), &parsed) != GST_RTSP_OK) return invalid_argument(url + ": is not an address");
    media_.reset(gst_rtsp_media_factory_construct(factory, parsed));
    gst_rtsp_url_free(parsed);
    if (media_ == nullptr) return device_error(url + ": cannot build the pipeline");
    const std::unique_ptr<GstRTSPThreadPool, UnrefGObject> pool(gst_rtsp_thread_pool_new());
    GstRTSPThread* const thread = gst_rtsp_thread_pool_get_thread(pool.get(), GST_RTSP_THREAD_TYPE_MEDIA, nullptr);
    const bool prepared = gst_rtsp_media_prepare(media_.get(), thread) != FALSE;
    if (media_are_locked()) gst_rtsp_media_unlock(media_.get());
    if (prepared) return {};
    media_.reset();
    return device_error(url + ": the pipeline does not start; run it with --output none to see why");
  }

  std::unique_ptr<GstRTSPMedia, UnrefGObject> media_;
};

void on_key(Serving& serving, char pressed) {
  for (const Key& key : all_keys()) {
    if (key.key != pressed) continue;
    if (key.action == KeyAction::kQuit) stop(&serving);
    if (key.action == KeyAction::kHelp) serving.report.note("keys", "keys:\n" + keys_help(serving.element.get()));
    if (serving.element == nullptr || !serving.settings.models) continue;
    const std::string changed = apply(key.action, serving.element.get(), serving.settings.models());
    if (!changed.empty()) serving.report.note("key", changed);
  }
}

}  // namespace

Status serve_rtsp(const std::string& pipeline, const RtspAddress& address, const PlayerSettings& settings,
                  PlaybackReport& report) {
  const std::unique_ptr<GMainLoop, void (*)(GMainLoop*)> loop(g_main_loop_new(nullptr, FALSE), g_main_loop_unref);
  Serving serving{loop.get(), settings, report, nullptr, {}, {}};
  const std::unique_ptr<GstRTSPServer, UnrefGObject> server(gst_rtsp_server_new());
  gst_rtsp_server_set_address(server.get(), address.host.c_str());
  gst_rtsp_server_set_service(server.get(), address.port.c_str());
  GstRTSPMediaFactory* const factory = gst_rtsp_media_factory_new();
  gst_rtsp_media_factory_set_launch(factory, ("( " + pipeline + " )").c_str());
  gst_rtsp_media_factory_set_shared(factory, TRUE);
  g_signal_connect(factory, "media-configure", G_CALLBACK(on_media), &serving);
  const std::unique_ptr<GstRTSPMountPoints, UnrefGObject> mounts(gst_rtsp_server_get_mount_points(server.get()));
  gst_rtsp_mount_points_add_factory(mounts.get(), address.path.c_str(), factory);  // takes the factory
  const std::string url = "rtsp://" + address.host + ":" + address.port + address.path;
  PreparedMedia media;
  const RtspGuard guard(server.get());
  const guint attached = gst_rtsp_server_attach(server.get(), nullptr);
  if (attached == 0) {
    return device_error(url + ": cannot listen there; the port is in use, or the address is not of this machine");
  }
  if (const Status prepared = media.prepare(factory, url); !prepared.ok()) {
    g_source_remove(attached);
    return prepared;
  }
  media.watch_errors(G_CALLBACK(on_failure), &serving);
  report.note("listening", "serving at " + url + "; try: gst-play-1.0 " + url);
  catch_interrupts();
  const auto interrupted = [](gint, GIOCondition, gpointer data) -> gboolean { return stop(data); };
  const guint sources[] = {g_unix_fd_add(interrupt_descriptor(), G_IO_IN, interrupted, &serving), attached};
  const guint limit =
      settings.seconds > 0 ? g_timeout_add_seconds(static_cast<guint>(settings.seconds), stop, &serving) : 0;
  {
    std::optional<TerminalKeys> keys;
    if (settings.keys) keys.emplace([&serving](char key) { on_key(serving, key); });
    g_main_loop_run(loop.get());
  }
  // The limit's source calls stop() again until it is removed.
  if (limit != 0) g_source_remove(limit);
  for (const guint source : sources) g_source_remove(source);
  const std::lock_guard lock(serving.mutex);
  return serving.failure.empty() ? Status() : device_error(serving.failure);
}

#else

Status serve_rtsp(const std::string&, const RtspAddress&, const PlayerSettings&, PlaybackReport&) {
  return unsupported("this program was built without an RTSP server; build it with libgstrtspserver-1.0-dev");
}

#endif

}  // namespace sightglass::video
