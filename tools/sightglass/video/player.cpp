#include "video/player.h"

#include <glib-unix.h>
#include <gst/video/navigation.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <optional>
#include <string_view>
#include <utility>

#include "video/camera_keeper.h"
#include "video/keys.h"

namespace sightglass::video {

namespace {

constexpr guint kTickMilliseconds = 500;
// The time for a pipeline to drain after the end of its stream.
constexpr gint64 kDrainMicroseconds = 20 * G_USEC_PER_SEC;

// The child of the pipeline that contains the sender of a message.
GstObject* top_of(GstObject* sender, GstElement* pipeline) {
  GstObject* object = sender;
  while (object != nullptr && GST_OBJECT_PARENT(object) != nullptr &&
         GST_OBJECT_PARENT(object) != GST_OBJECT(pipeline)) {
    object = GST_OBJECT_PARENT(object);
  }
  return object;
}

bool has_class(GstObject* object, const char* word) {
  if (!GST_IS_ELEMENT(object)) return false;
  const GstElementFactory* factory = gst_element_get_factory(GST_ELEMENT(object));
  const char* words = factory == nullptr ? nullptr
                                         : gst_element_factory_get_metadata(const_cast<GstElementFactory*>(factory),
                                                                            GST_ELEMENT_METADATA_KLASS);
  return words != nullptr && std::string_view(words).find(word) != std::string_view::npos;
}

class Player {
 public:
  Player(GstElement* pipeline, GstElement* element, const PlayerSettings& settings, PlaybackReport& report)
      : pipeline_(pipeline),
        element_(element),
        settings_(settings),
        report_(report),
        loop_(g_main_loop_new(nullptr, FALSE)) {}
  ~Player() { g_main_loop_unref(loop_); }
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;

  Status run();
  PlaybackResult result() const;
  bool ended_by_user() const { return ending_; }

 private:
  void on_error(GstMessage* message);
  void on_key(char key);
  void end_stream();
  bool starts_again();
  void interrupt();
  void tick();
  void count_frames();
  std::string text_of_error(GstMessage* message) const;
  std::vector<std::string> models() const { return settings_.models ? settings_.models() : std::vector<std::string>(); }
  static gboolean on_message(GstBus* bus, GstMessage* message, gpointer player);
  static GstPadProbeReturn on_frame(GstPad* pad, GstPadProbeInfo* info, gpointer player);

  GstElement* const pipeline_;
  GstElement* const element_;
  const PlayerSettings& settings_;
  PlaybackReport& report_;
  GMainLoop* const loop_;
  std::optional<CameraKeeper> camera_;
  Status status_;
  bool ending_ = false, paused_ = false, interrupted_ = false;
  gint64 end_by_ = 0;  // monotonic time, in microseconds
  std::atomic<uint64_t> frames_ = 0;
  std::atomic<gint64> first_ = 0, last_ = 0;  // monotonic time of frames, in microseconds
};

GstPadProbeReturn Player::on_frame(GstPad*, GstPadProbeInfo*, gpointer data) {
  auto* player = static_cast<Player*>(data);
  const gint64 now = g_get_monotonic_time();
  if (player->frames_ == 0) player->first_ = now;
  player->last_ = now;
  ++player->frames_;
  return GST_PAD_PROBE_OK;
}

void Player::count_frames() {
  if (element_ == nullptr) return;
  const PadPtr pad(gst_element_get_static_pad(element_, "src"));
  if (pad != nullptr) gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, on_frame, this, nullptr);
}

std::string Player::text_of_error(GstMessage* message) const {
  GError* error = nullptr;
  gchar* debug = nullptr;
  gst_message_parse_error(message, &error, &debug);
  GstObject* const top = top_of(GST_MESSAGE_SRC(message), pipeline_);
  const bool input = has_class(top, "Source") || has_class(top, "Decoder") || has_class(top, "Demux");
  const bool output = has_class(top, "Sink") || has_class(top, "Mux") || has_class(top, "Encoder");
  std::string name = input ? settings_.input_name : output ? settings_.output_name : std::string();
  if (name.empty()) name = GST_MESSAGE_SRC_NAME(message);
  std::string text = name + ": " + error->message;
  // The last line of the debug text often has the cause.
  const std::string_view details = debug != nullptr ? debug : "";
  const size_t line = details.rfind('\n');
  if ((input || output) && line != std::string_view::npos && line + 1 < details.size()) {
    text += " " + std::string(details.substr(line + 1));
  }
  g_error_free(error);
  g_free(debug);
  return input && frames_ == 0 ? text + settings_.input_hint : text;
}

void Player::on_error(GstMessage* message) {
  if (camera_ && camera_->handle_error(message)) return;
  // Closing the window is no failure.
  const bool window = has_class(top_of(GST_MESSAGE_SRC(message), pipeline_), "Sink/Video");
  GError* error = nullptr;
  gst_message_parse_error(message, &error, nullptr);
  const bool closed = window && frames_ > 0 && g_error_matches(error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND);
  g_error_free(error);
  if (!closed && status_.ok()) status_ = device_error(text_of_error(message));
  g_main_loop_quit(loop_);
}

gboolean Player::on_message(GstBus*, GstMessage* message, gpointer data) {
  auto* player = static_cast<Player*>(data);
  switch (GST_MESSAGE_TYPE(message)) {
    case GST_MESSAGE_ERROR:
      player->on_error(message);
      break;
    case GST_MESSAGE_WARNING: {
      GError* error = nullptr;
      gst_message_parse_warning(message, &error, nullptr);
      player->report_.note("warning", std::string("warning: ") + GST_MESSAGE_SRC_NAME(message) + ": " + error->message);
      g_error_free(error);
      break;
    }
    case GST_MESSAGE_EOS:
      if (player->starts_again()) break;
      g_main_loop_quit(player->loop_);
      break;
    case GST_MESSAGE_LATENCY:
      gst_bin_recalculate_latency(GST_BIN(player->pipeline_));
      break;
    case GST_MESSAGE_CLOCK_LOST:
      gst_element_set_state(player->pipeline_, GST_STATE_PAUSED);
      gst_element_set_state(player->pipeline_, GST_STATE_PLAYING);
      break;
    case GST_MESSAGE_ELEMENT:
      if (gst_navigation_message_get_type(message) == GST_NAVIGATION_MESSAGE_EVENT) {
        player->on_key(window_key(message));
      }
      break;
    default:
      break;
  }
  return G_SOURCE_CONTINUE;
}

void Player::on_key(char key) {
  for (const Key& candidate : all_keys()) {
    if (candidate.key != key) continue;
    switch (candidate.action) {
      case KeyAction::kQuit:
        end_stream();
        return;
      case KeyAction::kPause:
        paused_ = !paused_;
        gst_element_set_state(pipeline_, paused_ ? GST_STATE_PAUSED : GST_STATE_PLAYING);
        report_.note("key", paused_ ? "paused; space resumes" : "playing");
        return;
      case KeyAction::kHelp:
        report_.note("keys", "keys:\n" + keys_help(element_));
        return;
      case KeyAction::kBackground:
      case KeyAction::kModel:
      case KeyAction::kOverlay:
      case KeyAction::kHud:
        break;
    }
    const std::string changed = element_ == nullptr ? "" : apply(candidate.action, element_, models());
    if (!changed.empty()) report_.note("key", changed);
  }
}

// Ends the stream, so that files are completed.
void Player::end_stream() {
  if (std::exchange(ending_, true)) return;
  if (settings_.ends_at_once) return g_main_loop_quit(loop_);
  end_by_ = g_get_monotonic_time() + kDrainMicroseconds;
  if (paused_) gst_element_set_state(pipeline_, GST_STATE_PLAYING);
  if (camera_) camera_->end_stream();
  gst_element_send_event(pipeline_, gst_event_new_eos());
}

bool Player::starts_again() {
  return settings_.repeat && !ending_ &&
         gst_element_seek_simple(pipeline_, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, 0) != FALSE;
}

void Player::interrupt() {
  interrupted_ = true;
  if (settings_.ends_at_once || (!ending_ && !settings_.interrupted)) return end_stream();
  if (settings_.interrupted) settings_.interrupted();
  status_ = device_error("interrupted before the output was complete");
  g_main_loop_quit(loop_);
}

void Player::tick() {
  if (ending_ && g_get_monotonic_time() > end_by_) {
    if (status_.ok()) status_ = device_error("the pipeline does not end; the output is incomplete");
    g_main_loop_quit(loop_);
  }
  if (frames_ == 0 && element_ != nullptr) return;
  const auto seconds = [](gint64 microseconds) { return 1e-6 * static_cast<double>(microseconds); };
  const gint64 now = g_get_monotonic_time();
  PlaybackProgress progress;
  progress.frames = frames_;
  progress.seconds = seconds(now - first_);
  progress.rate = static_cast<double>(std::max<uint64_t>(frames_, 1) - 1) / std::max(seconds(last_ - first_), 1e-3);
  gint64 position = 0;
  if (gst_element_query_position(pipeline_, GST_FORMAT_TIME, &position)) {
    progress.position = static_cast<double>(position) / GST_SECOND;
  }
  progress.duration = settings_.duration;
  if (settings_.seconds > 0) {
    progress.position = progress.seconds;
    progress.duration = settings_.seconds;
  }
  if (!paused_) report_.progress(progress);
  if (settings_.seconds > 0 && progress.seconds >= settings_.seconds) end_stream();
}

Status Player::run() {
  count_frames();
  if (element_ == nullptr) first_ = last_ = g_get_monotonic_time();
  if (!settings_.camera_text.empty()) {
    camera_.emplace(
        pipeline_,
        CameraKeeper::Settings{settings_.camera_text, settings_.camera_available, [this](bool there) {
                                 report_.note(there ? "camera-back" : "camera-lost",
                                              settings_.input_name + (there ? ": the camera is back"
                                                                            : ": the camera is lost; waiting for it"));
                               }});
  }
  const ObjectPtr<GstBus> bus(gst_element_get_bus(pipeline_));
  const guint watch = gst_bus_add_watch(bus.get(), on_message, this);
  const auto interrupted = [](gpointer player) -> gboolean {
    static_cast<Player*>(player)->interrupt();
    return G_SOURCE_CONTINUE;
  };
  const auto ticked = [](gpointer player) -> gboolean {
    static_cast<Player*>(player)->tick();
    return G_SOURCE_CONTINUE;
  };
  const guint sources[] = {watch, g_unix_signal_add(SIGINT, interrupted, this),
                           g_unix_signal_add(SIGTERM, interrupted, this),
                           g_timeout_add(kTickMilliseconds, ticked, this)};
  if (settings_.ready) settings_.ready();
  {
    std::optional<TerminalKeys> keys;
    if (settings_.keys) keys.emplace([this](char key) { on_key(key); });
    if (keys && keys->active()) report_.note("keys", "press ? for a list of keys, q to quit");
    gst_element_set_state(pipeline_, GST_STATE_PLAYING);
    g_main_loop_run(loop_);
  }
  for (const guint source : sources) g_source_remove(source);
  if (interrupted_) {
    // The process is about to end. A repeated signal, such as to a group of processes, must not kill it before.
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGTERM, SIG_IGN);
  }
  return status_;
}

PlaybackResult Player::result() const {
  PlaybackResult result;
  result.frames = frames_;
  result.stopped = ending_;
  result.seconds = 1e-6 * static_cast<double>(last_ - first_);
  if (element_ == nullptr) return result;
  GstStructure* stats = nullptr;
  g_object_get(element_, "stats", &stats, nullptr);
  const auto milliseconds = [&](const char* field) {
    guint64 value = 0;
    gst_structure_get_uint64(stats, field, &value);
    return 1e-6 * static_cast<double>(value);
  };
  result.model_ms = milliseconds("model-time");
  result.gpu_ms = milliseconds("gpu-time");
  result.cpu_ms = milliseconds("cpu-time");
  result.start_ms = milliseconds("start-time");
  gst_structure_free(stats);
  const PadPtr pad(gst_element_get_static_pad(element_, "src"));
  const CapsPtr caps(gst_pad_get_current_caps(pad.get()));
  if (caps != nullptr) {
    const GstStructure* structure = gst_caps_get_structure(caps.get(), 0);
    gst_structure_get_int(structure, "width", &result.width);
    gst_structure_get_int(structure, "height", &result.height);
  }
  return result;
}

}  // namespace

Result<PlaybackResult> play(GstElement* pipeline, GstElement* element, const PlayerSettings& settings,
                            PlaybackReport& report) {
  Player player(pipeline, element, settings, report);
  const Status status = player.run();
  const PlaybackResult result = player.result();
  gst_element_set_state(pipeline, GST_STATE_NULL);
  if (!status.ok()) return status;
  if (settings.ends_at_once && player.ended_by_user()) return result;
  if (element != nullptr && result.frames == 0)
    return not_found(settings.input_name + ": ended before the first frame");
  return result;
}

}  // namespace sightglass::video
