#include "video/player.h"

#include <glib-unix.h>
#include <gst/video/navigation.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "common/process.h"
#include "video/cameras.h"
#include "video/input.h"
#include "video/keys.h"
#include "video/output.h"
#include "video/stream_control.h"

namespace sightglass::video {

namespace {

constexpr guint kTickMilliseconds = 250;
constexpr int kTicksPerReport = 2;
// Seconds without data until users read about it.
constexpr double kNoteworthy = 10;
// Compiling the programs of a model, or of rendered figures, takes minutes on slow machines.
constexpr double kPatienceForStart = 600;

// How long a pipeline may take to end, in seconds without data.
struct EndTimes {
  double help;  // until the outputs are ended directly, if data is waiting in an element
  double drop;  // until the end is given up
};
constexpr EndTimes kPatientEnd = {15, 60};
// Within the five seconds that a signal leaves (common/process.h).
constexpr EndTimes kEndAfterSignal = {1, 3};
// In all, as long as data flows.
constexpr double kMostSecondsAfterSignal = 18;
// For the outputs to be ended directly, if data is waiting in no element: the input does not forward the end.
constexpr double kForward = 2;
// For the elements to stop, after the end.
constexpr double kStop = 10, kStopAfterSignal = 4.4, kLeastStop = 0.8;

double seconds_since(gint64 time) { return 1e-6 * static_cast<double>(g_get_monotonic_time() - time); }

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
        watch_(pipeline, element),
        loop_(g_main_loop_new(nullptr, FALSE)) {}
  ~Player() { g_main_loop_unref(loop_); }
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;

  Playback run();

 private:
  void play_to_end();
  PlaybackResult result() const;
  void on_error(GstMessage* message);
  void on_key(char key);
  void pause();
  void end_stream();
  bool starts_again();
  void interrupt();
  void tick();
  void check_flow();
  void check_end();
  void report_progress();
  void count_frames();
  std::string text_of_error(GstMessage* message) const;
  std::vector<std::string> models() const { return settings_.models ? settings_.models() : std::vector<std::string>(); }
  const EndTimes& end_times() const { return interrupted_ ? kEndAfterSignal : kPatientEnd; }
  static gboolean on_message(GstBus* bus, GstMessage* message, gpointer player);
  static GstPadProbeReturn on_frame(GstPad* pad, GstPadProbeInfo* info, gpointer player);

  GstElement* const pipeline_;
  GstElement* const element_;
  const PlayerSettings& settings_;
  PlaybackReport& report_;
  StreamWatch watch_;
  GMainLoop* const loop_;
  std::optional<CameraKeeper> camera_;
  std::optional<TimeLimit> limit_;
  std::optional<GifInput> gif_;
  Status status_;
  bool complete_ = false;
  bool ending_ = false, helped_ = false, paused_ = false, interrupted_ = false, waiting_ = false;
  int ticks_ = 0;
  gint64 interrupted_at_ = 0;    // monotonic time, in microseconds
  GstObject* failed_ = nullptr;  // the part of the pipeline that failed, which outputs do not wait for
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
  GstObject* const failed = top_of(GST_MESSAGE_SRC(message), pipeline_);
  const bool file_fails = has_class(failed, "Mux") || has_class(failed, "Encoder") ||
                          (has_class(failed, "Sink") && std::string_view(GST_OBJECT_NAME(failed)) == kFileElement);
  if (!settings_.completes || file_fails || frames_ == 0) {
    complete_ = closed;
    return g_main_loop_quit(loop_);
  }
  // A file gets its end, and is complete up to the failure.
  failed_ = failed;
  end_stream();
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
      player->complete_ = true;
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
        return pause();
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

void Player::pause() {
  if (ending_) return;
  paused_ = !paused_;
  gst_element_set_state(pipeline_, paused_ ? GST_STATE_PAUSED : GST_STATE_PLAYING);
  watch_.restart();
  report_.note("key", paused_ ? "paused; space resumes" : "playing");
}

// Ends the stream, so that files are completed.
void Player::end_stream() {
  if (std::exchange(ending_, true)) return;
  if (settings_.ends_at_once) return g_main_loop_quit(loop_);
  watch_.restart();
  if (paused_) gst_element_set_state(pipeline_, GST_STATE_PLAYING);
  if (camera_) camera_->end_stream();
  send_end(pipeline_);
}

bool Player::starts_again() {
  return settings_.repeat && !ending_ &&
         gst_element_seek_simple(pipeline_, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, 0) != FALSE;
}

void Player::interrupt() {
  interrupted_ = true;
  interrupted_at_ = g_get_monotonic_time();
  if (settings_.interrupted) {
    settings_.interrupted();
    status_ = device_error("interrupted before the output was complete");
    return g_main_loop_quit(loop_);
  }
  // Frames that wait for the model may take longer than a signal leaves.
  watch_.drop_frames();
  if (ending_) watch_.restart();
  end_stream();
}

void Player::tick() {
  ++ticks_;
  if (ending_) {
    check_end();
  } else if (limit_ ? limit_->reached()
                    : settings_.seconds > 0 && first_ > 0 && seconds_since(first_) >= settings_.seconds) {
    end_stream();
  } else if (settings_.first_frame_only && watch_.has_data(kFileElement)) {
    // The encoder takes no more frames, and upstream elements do not learn of it.
    end_stream();
    helped_ = true;
    send_end_to_outputs(pipeline_, element_);
  } else if (!settings_.repeat && watch_.all_outputs_ended(nullptr)) {
    complete_ = true;
    g_main_loop_quit(loop_);
  } else {
    check_flow();
  }
  if (ticks_ % kTicksPerReport == 0) report_progress();
}

// Data that does not flow becomes a note, and later a failure.
void Player::check_flow() {
  const double idle = watch_.idle();
  if (idle < kNoteworthy) waiting_ = false;
  if (paused_ || idle < 1 || (camera_ && camera_->lost())) return;
  const ElementPtr stuck = watch_.stuck_element();
  if (gif_ && gif_->ended(stuck.get(), idle) && frames_ > 0) return starts_again() ? watch_.restart() : end_stream();
  const bool fails = settings_.patience > 0 && idle >= settings_.patience;
  if (idle < kNoteworthy && !fails) return;
  if (stuck == nullptr && !settings_.steady) return;
  const bool input =
      stuck == nullptr || has_class(GST_OBJECT(stuck.get()), "Demux") || has_class(GST_OBJECT(stuck.get()), "Source");
  const bool model =
      stuck != nullptr && element_ != nullptr &&
      (stuck.get() == element_ || gst_object_has_as_ancestor(GST_OBJECT(stuck.get()), GST_OBJECT(element_)));
  const std::string seconds = std::to_string(static_cast<int>(idle)) + " seconds";
  const std::string text = input   ? settings_.input_name + ": no frame for " + seconds
                           : model ? "the model has been busy with a frame for " + seconds
                                   : std::string(GST_OBJECT_NAME(stuck.get())) + ": takes no data for " + seconds;
  const bool starts = (model || (input && settings_.renders)) && frames_ == 0;
  if (!fails || (starts && idle < kPatienceForStart)) {
    if (!starts && !std::exchange(waiting_, true)) report_.note("stalled", text + "; waiting");
    return;
  }
  status_ = device_error(text + "; --patience sets how long to wait");
  if (!settings_.completes || frames_ == 0) return g_main_loop_quit(loop_);
  end_stream();
}

void Player::check_end() {
  const double idle = watch_.idle();
  if (watch_.all_outputs_ended(failed_)) {
    complete_ = true;
    return g_main_loop_quit(loop_);
  }
  if (interrupted_ && idle < 1) extend_interrupt();
  const ElementPtr stuck = watch_.stuck_element();
  if (idle > (stuck == nullptr ? std::min(kForward, end_times().help) : end_times().help) &&
      !std::exchange(helped_, true)) {
    send_end_to_outputs(pipeline_, element_);
  }
  if (idle < end_times().drop && (!interrupted_ || seconds_since(interrupted_at_) < kMostSecondsAfterSignal)) return;
  if (status_.ok()) {
    status_ = device_error(stuck == nullptr ? "the pipeline does not end; the output is incomplete"
                                            : std::string(GST_OBJECT_NAME(stuck.get())) +
                                                  ": does not end; the output is incomplete");
  }
  g_main_loop_quit(loop_);
}

void Player::report_progress() {
  if (paused_ || (frames_ == 0 && element_ != nullptr)) return;
  const auto seconds = [](gint64 microseconds) { return 1e-6 * static_cast<double>(microseconds); };
  PlaybackProgress progress;
  progress.frames = frames_;
  progress.seconds = seconds_since(first_);
  progress.rate = static_cast<double>(std::max<uint64_t>(frames_, 1) - 1) / std::max(seconds(last_ - first_), 1e-3);
  gint64 position = 0;
  if (gst_element_query_position(pipeline_, GST_FORMAT_TIME, &position)) {
    progress.position = static_cast<double>(position) / GST_SECOND;
  }
  progress.duration = settings_.duration;
  if (settings_.seconds > 0) {
    progress.position = limit_ ? limit_->position() : progress.seconds;
    const bool shorter = limit_ && settings_.duration > 0 && settings_.duration < settings_.seconds;
    progress.duration = shorter ? settings_.duration : settings_.seconds;
  }
  report_.progress(progress);
}

void Player::play_to_end() {
  count_frames();
  if (element_ == nullptr) first_ = last_ = g_get_monotonic_time();
  // Times of frames are corrected before they are compared with the limit.
  if (settings_.input_time && element_ != nullptr) gif_.emplace(pipeline_, element_);
  if (settings_.input_time && settings_.seconds > 0 && element_ != nullptr) {
    limit_.emplace(pipeline_, element_, settings_.seconds);
  }
  if (!settings_.camera_text.empty()) {
    camera_.emplace(
        pipeline_,
        CameraKeeper::Settings{settings_.camera_text, settings_.camera_available, [this](bool there) {
                                 watch_.restart();
                                 report_.note(there ? "camera-back" : "camera-lost",
                                              settings_.input_name + (there ? ": the camera is back"
                                                                            : ": the camera is lost; waiting for it"));
                               }});
  }
  catch_interrupts();
  const ObjectPtr<GstBus> bus(gst_element_get_bus(pipeline_));
  const guint watch = gst_bus_add_watch(bus.get(), on_message, this);
  const auto interrupted = [](gint, GIOCondition, gpointer player) -> gboolean {
    static_cast<Player*>(player)->interrupt();
    return G_SOURCE_REMOVE;
  };
  const auto ticked = [](gpointer player) -> gboolean {
    static_cast<Player*>(player)->tick();
    return G_SOURCE_CONTINUE;
  };
  const guint interrupt = g_unix_fd_add(interrupt_descriptor(), G_IO_IN, interrupted, this);
  const guint ticks = g_timeout_add(kTickMilliseconds, ticked, this);
  if (settings_.ready) settings_.ready();
  {
    std::optional<TerminalKeys> keys;
    if (settings_.keys) keys.emplace([this](char key) { on_key(key); });
    if (keys && keys->active()) report_.note("keys", "press ? for a list of keys, q to quit");
    gst_element_set_state(pipeline_, GST_STATE_PLAYING);
    g_main_loop_run(loop_);
  }
  g_source_remove(watch);
  g_source_remove(ticks);
  if (!interrupted_) g_source_remove(interrupt);
}

Playback Player::run() {
  play_to_end();
  Playback playback{result(), status_, complete_ || (settings_.ends_at_once && ending_)};
  if (element_ != nullptr && frames_ == 0 && status_.ok() && !(settings_.ends_at_once && ending_)) {
    playback.status = not_found(settings_.input_name + ": ended before the first frame");
  }
  playback.complete = playback.complete && (playback.status.ok() || frames_ > 0);
  const ElementPtr stuck = watch_.stuck_element();
  const double stop = interrupted_ ? std::max(kStopAfterSignal - seconds_since(interrupted_at_), kLeastStop) : kStop;
  if (stop_within(pipeline_, stop)) return playback;
  if (playback.status.ok()) {
    playback.status = device_error((stuck != nullptr ? GST_OBJECT_NAME(stuck.get()) : settings_.input_name) +
                                   std::string(": does not stop"));
  }
  return playback;
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

Playback play(GstElement* pipeline, GstElement* element, const PlayerSettings& settings, PlaybackReport& report) {
  auto player = std::make_unique<Player>(pipeline, element, settings, report);
  Playback playback = player->run();
  // Threads that hang may still call it.
  if (has_hung_pipeline()) static_cast<void>(player.release());
  return playback;
}

}  // namespace sightglass::video
