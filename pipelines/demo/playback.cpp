#include "playback.h"

#include <glib-unix.h>
#include <gst/video/video.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <mutex>

namespace sightglass::demo {

namespace {

// Copies a frame to system memory, so that the original can return to its pool (perhaps of the camera), and its GL
// context can end with the pipeline. Returns null if the frame cannot be mapped.
Sample to_system_memory(GstBuffer* buffer, const GstCaps* caps) {
  GstVideoInfo info, plain;
  GstVideoFrame from, to;
  if (!gst_video_info_from_caps(&info, caps) || !gst_video_frame_map(&from, &info, buffer, GST_MAP_READ))
    return nullptr;
  gst_video_info_set_format(&plain, GST_VIDEO_INFO_FORMAT(&info), static_cast<guint>(GST_VIDEO_INFO_WIDTH(&info)),
                            static_cast<guint>(GST_VIDEO_INFO_HEIGHT(&info)));
  plain.par_n = info.par_n;
  plain.par_d = info.par_d;
  plain.fps_n = info.fps_n;
  plain.fps_d = info.fps_d;
  plain.colorimetry = info.colorimetry;
  plain.chroma_site = info.chroma_site;
  GstBuffer* copy = gst_buffer_new_allocate(nullptr, plain.size, nullptr);
  Sample sample;
  if (gst_video_frame_map(&to, &plain, copy, GST_MAP_WRITE)) {
    const gboolean copied = gst_video_frame_copy(&to, &from);
    gst_video_frame_unmap(&to);
    GstCaps* plain_caps = gst_video_info_to_caps(&plain);
    if (copied) sample.reset(gst_sample_new(copy, plain_caps, nullptr, nullptr));
    gst_caps_unref(plain_caps);
  }
  gst_buffer_unref(copy);
  gst_video_frame_unmap(&from);
  return sample;
}

// Frames for the contact sheet: at first every frame, then every second one, and so on. Few frames are held at any
// time, and they are spread evenly, however long the stream is.
class Reservoir {
 public:
  void offer(uint64_t index, GstBuffer* buffer, GstCaps* caps) {
    if (caps == nullptr || index % stride_ != 0) return;
    if (samples_.size() == kMost) {
      stride_ *= 2;
      for (size_t i = 0; i < kMost / 2; ++i) samples_[i] = std::move(samples_[2 * i]);
      samples_.resize(kMost / 2);
      if (index % stride_ != 0) return;
    }
    if (Sample sample = to_system_memory(buffer, caps)) samples_.push_back(std::move(sample));
  }
  std::vector<Sample> take(size_t wanted) {
    std::vector<Sample> chosen;
    const size_t count = std::min(wanted, samples_.size());
    for (size_t i = 0; i < count; ++i)
      chosen.push_back(std::move(samples_[(2 * i + 1) * samples_.size() / (2 * count)]));
    return chosen;
  }

 private:
  static constexpr size_t kMost = 16;
  uint64_t stride_ = 1;
  std::vector<Sample> samples_;
};

// Ends the stream, so that the file is completed.
gboolean end_stream(gpointer pipeline) {
  gst_element_send_event(GST_ELEMENT(pipeline), gst_event_new_eos());
  return G_SOURCE_REMOVE;
}

struct Recorder {
  GstElement* pipeline = nullptr;
  guint limit = 0;  // seconds from the first frame to the end; 0: no limit
  std::mutex mutex;
  Reservoir reservoir;
  uint64_t frames_in = 0, frames_out = 0;
  gint64 first = 0, last = 0;
  guint timer = 0;  // main loop source that ends the stream
};

GstPadProbeReturn on_frame_in(GstPad* pad, GstPadProbeInfo* info, gpointer data) {
  auto* recorder = static_cast<Recorder*>(data);
  GstCaps* caps = gst_pad_get_current_caps(pad);
  const std::lock_guard lock(recorder->mutex);
  recorder->reservoir.offer(recorder->frames_in++, GST_PAD_PROBE_INFO_BUFFER(info), caps);
  if (caps != nullptr) gst_caps_unref(caps);
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn on_frame_out(GstPad*, GstPadProbeInfo*, gpointer data) {
  auto* recorder = static_cast<Recorder*>(data);
  const std::lock_guard lock(recorder->mutex);
  recorder->last = g_get_monotonic_time();
  if (recorder->frames_out++ == 0) {
    recorder->first = recorder->last;
    std::printf("first frame out\n");
    // The limit counts from the first frame, however long the start took.
    if (recorder->limit > 0) recorder->timer = g_timeout_add_seconds(recorder->limit, end_stream, recorder->pipeline);
  } else if (recorder->frames_out % 100 == 0) {
    std::printf("%llu frames, %.1f per second\n", static_cast<unsigned long long>(recorder->frames_out),
                1e6 * static_cast<double>(recorder->frames_out - 1) /
                    static_cast<double>(std::max<gint64>(recorder->last - recorder->first, 1)));
  }
  std::fflush(stdout);
  return GST_PAD_PROBE_OK;
}

void add_probe(GstElement* pipeline, const char* element, const char* pad_name, GstPadProbeCallback callback,
               Recorder* recorder) {
  GstElement* found = gst_bin_get_by_name(GST_BIN(pipeline), element);
  GstPad* pad = gst_element_get_static_pad(found, pad_name);
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, callback, recorder, nullptr);
  gst_object_unref(pad);
  gst_object_unref(found);
}

// The video while it is written. It gets its name once it is complete, so a file of that name is always playable.
class UnfinishedFile {
 public:
  UnfinishedFile(GstElement* pipeline, const std::string& name) : name_(name), path_(name + ".part") {
    if (name_.empty()) return;
    GstElement* sink = gst_bin_get_by_name(GST_BIN(pipeline), kFileSink);
    g_object_set(sink, "location", path_.c_str(), nullptr);
    gst_object_unref(sink);
  }
  ~UnfinishedFile() {
    std::error_code ignored;
    if (!name_.empty()) std::filesystem::remove(path_, ignored);
  }
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  Status finish() const {
    std::error_code error;
    if (!name_.empty()) std::filesystem::rename(path_, name_, error);
    return error ? device_error(name_ + ": cannot rename " + path_ + " to it: " + error.message()) : Status();
  }

 private:
  const std::string name_, path_;
};

struct Waiter {
  GMainLoop* loop;
  Status status;
};

gboolean on_message(GstBus*, GstMessage* message, gpointer data) {
  auto* waiter = static_cast<Waiter*>(data);
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
    GError* error = nullptr;
    gchar* debug = nullptr;
    gst_message_parse_error(message, &error, &debug);
    if (waiter->status.ok()) {
      waiter->status = device_error(std::string(GST_MESSAGE_SRC_NAME(message)) + ": " + error->message);
    }
    g_error_free(error);
    g_free(debug);
  }
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR || GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS) {
    g_main_loop_quit(waiter->loop);
  }
  return G_SOURCE_CONTINUE;
}

}  // namespace

Result<GstElement*> parse(const std::string& text) {
  GError* error = nullptr;
  GstElement* pipeline = gst_parse_launch(text.c_str(), &error);
  if (error == nullptr) return pipeline;
  Status status = invalid_argument(text + ": " + error->message);
  g_error_free(error);
  if (pipeline != nullptr) gst_object_unref(pipeline);
  return status;
}

Status wait_for_end(GstElement* pipeline) {
  Waiter waiter{g_main_loop_new(nullptr, FALSE), {}};
  GstBus* bus = gst_element_get_bus(pipeline);
  const guint watch = gst_bus_add_watch(bus, on_message, &waiter);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  g_main_loop_run(waiter.loop);
  g_source_remove(watch);
  gst_object_unref(bus);
  g_main_loop_unref(waiter.loop);
  return waiter.status;
}

Result<PlaybackResult> play(const Options& options) {
  const std::string sink = sink_text(options);
  if (sink.empty()) {
    return invalid_argument(options.output + ": no encoder for this kind of file is installed; use .mp4 (x264enc or " +
                            "openh264enc) or .webm (vp8enc)");
  }
  const std::string text =
      source_text(options) + " ! glupload name=upload ! glcolorconvert ! " + segment_text(options) + " ! " + sink;
  std::printf("gst-launch-1.0 -e %s\n", text.c_str());
  std::fflush(stdout);
  SIGHTGLASS_ASSIGN_OR_RETURN(GstElement* const pipeline, parse(text));
  // The source limits the number of rendered figures.
  const int limit = options.input == kFigures ? 0 : options.limit();
  Recorder recorder;
  recorder.pipeline = pipeline;
  recorder.limit = static_cast<guint>(limit);
  const UnfinishedFile file(pipeline, options.output);
  // A window has no contact sheet.
  if (!options.output.empty()) add_probe(pipeline, "upload", "sink", on_frame_in, &recorder);
  add_probe(pipeline, "segment", "src", on_frame_out, &recorder);
  const guint interrupt = g_unix_signal_add(SIGINT, end_stream, pipeline);
  const guint terminate = g_unix_signal_add(SIGTERM, end_stream, pipeline);

  const Status status = wait_for_end(pipeline);
  PlaybackResult result;
  GstElement* segment = gst_bin_get_by_name(GST_BIN(pipeline), "segment");
  GstStructure* stats = nullptr;
  g_object_get(segment, "stats", &stats, nullptr);
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
  GstPad* pad = gst_element_get_static_pad(segment, "src");
  if (GstCaps* caps = gst_pad_get_current_caps(pad)) {
    const GstStructure* structure = gst_caps_get_structure(caps, 0);
    gst_structure_get_int(structure, "width", &result.width);
    gst_structure_get_int(structure, "height", &result.height);
    gst_caps_unref(caps);
  }
  gst_object_unref(pad);
  gst_object_unref(segment);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  // No more frames arrive, so nothing starts the timer again.
  for (const guint source : {interrupt, terminate, recorder.timer}) {
    if (source != 0 && g_main_context_find_source_by_id(nullptr, source) != nullptr) g_source_remove(source);
  }
  gst_object_unref(pipeline);
  if (!status.ok()) return status;
  if (recorder.frames_out == 0) return not_found(options.input + ": ended before the first frame");
  SIGHTGLASS_RETURN_IF_ERROR(file.finish());

  result.frames = recorder.frames_out;
  result.seconds = 1e-6 * static_cast<double>(recorder.last - recorder.first);
  constexpr size_t kSamples = 4;
  result.samples = recorder.reservoir.take(kSamples);
  return result;
}

}  // namespace sightglass::demo
