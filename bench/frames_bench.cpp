// Measures elements on rendered frames in GL memory, with one or more streams in this process, and prints one line of
// JSON: frames per second, GPU time, latency, memory, and copies between CPU and GPU. While frames are counted, it
// waits for the GPU at the first and the last of each stream, and never in between.
#include <gst/gl/gl.h>
#include <gst/gl/gstglfuncs.h>
#include <gst/gst.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "copy_counter.h"
#include "standard_output.h"

namespace sightglass::bench {
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::ordered_json;

struct Options {
  std::string name, elements, source = "glfiguresrc";
  int width = 1280, height = 720, streams = 1, most_frames = 20000;
  double seconds = 2, limit = 360;
};

// Frames until pools are full and drivers have compiled.
constexpr int kUncounted = 10;
// Frames whose way from the source to the sink is measured one at a time.
constexpr size_t kLatencyFrames = 30;
// Shares of the limit. Devices that are slow have fewer frames before, while, and after frames are counted. The start
// has the largest one, because many streams compile programs.
constexpr double kStartShare = 0.4, kFirstFrameShare = 0.7, kCountingShare = 0.8;

double milliseconds(Clock::duration time) { return std::chrono::duration<double, std::milli>(time).count(); }

void finish(GstGLContext* context, gpointer) { context->gl_vtable->Finish(); }

GstGLContext* context_of(GstBuffer* buffer) {
  GstMemory* memory = buffer != nullptr ? gst_buffer_peek_memory(buffer, 0) : nullptr;
  return memory != nullptr && gst_is_gl_memory(memory) ? GST_GL_BASE_MEMORY_CAST(memory)->context : nullptr;
}

void wait_for_gpu(GstBuffer* buffer) {
  if (GstGLContext* context = context_of(buffer)) gst_gl_context_thread_add(context, finish, nullptr);
}

struct Facts {
  std::string renderer;
  // Kibibytes, from GL_NVX_gpu_memory_info; 0 if the driver has no such extension.
  GLint free_gpu_kib = 0;
};

void ask(GstGLContext* context, gpointer data) {
  constexpr GLenum kCurrentAvailable = 0x9049;  // GL_GPU_MEMORY_INFO_CURRENT_AVAILABLE_VIDMEM_NVX
  auto& facts = *static_cast<Facts*>(data);
  const GstGLFuncs& gl = *context->gl_vtable;
  if (const GLubyte* renderer = gl.GetString(GL_RENDERER)) facts.renderer = reinterpret_cast<const char*>(renderer);
  if (gst_gl_context_check_feature(context, "GL_NVX_gpu_memory_info")) {
    gl.GetIntegerv(kCurrentAvailable, &facts.free_gpu_kib);
  }
}

// One pipeline. Its source, and the sink, run in one streaming thread unless the elements contain a queue.
class Stream {
 public:
  Stream(const Options& options, GstGLDisplay* display) : options_(options) {
    const std::string text = options.source + " name=source ! video/x-raw(memory:GLMemory),format=RGBA,width=" +
                             std::to_string(options.width) + ",height=" + std::to_string(options.height) + " ! " +
                             (options.elements.empty() ? "" : options.elements + " ! ") +
                             "fakesink name=sink sync=false";
    GError* error = nullptr;
    pipeline_ = gst_parse_launch(text.c_str(), &error);
    if (error != nullptr) {
      error_ = error->message;
      g_error_free(error);
    }
    if (!error_.empty()) return;
    GstContext* context = gst_context_new(GST_GL_DISPLAY_CONTEXT_TYPE, TRUE);
    gst_context_set_gl_display(context, display);
    gst_element_set_context(pipeline_, context);
    gst_context_unref(context);
    probe("source", "src", leave_source);
    probe("sink", "sink", reach_sink);
  }
  ~Stream() {
    if (pipeline_ == nullptr) return;
    gst_element_set_state(pipeline_, GST_STATE_NULL);
    gst_object_unref(pipeline_);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  void play() {
    if (pipeline_ != nullptr) gst_element_set_state(pipeline_, GST_STATE_PLAYING);
  }
  // Empty while the stream is well.
  const std::string& error() {
    if (pipeline_ == nullptr || !error_.empty()) return error_;
    GstBus* bus = gst_element_get_bus(pipeline_);
    if (GstMessage* message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR)) {
      GError* error = nullptr;
      gst_message_parse_error(message, &error, nullptr);
      error_ = std::string(GST_MESSAGE_SRC_NAME(message)) + ": " + error->message;
      g_error_free(error);
      gst_message_unref(message);
    }
    gst_object_unref(bus);
    return error_;
  }
  bool counts() const { return first_ > 0; }
  // From the next frame on.
  void start_counting() { starting_ = true; }
  void stop_counting() { stopping_ = true; }
  bool counted() const { return counted_; }
  // Only after counted().
  int frames() const { return last_ - first_; }
  double frames_per_second() const { return 1000 * frames() / milliseconds(last_time_ - first_time_); }
  void measure_latency() { measures_latency_ = true; }
  bool has_latency() const { return latency_count_ == kLatencyFrames; }
  std::vector<double> latencies() const { return {latencies_.data(), latencies_.data() + latency_count_}; }
  const Facts& facts() const { return facts_; }

  // The field `stats` of each of our elements.
  ordered_json statistics() const {
    ordered_json all = ordered_json::array();
    GstIterator* iterator = gst_bin_iterate_recurse(GST_BIN(pipeline_));
    GValue item = G_VALUE_INIT;
    while (gst_iterator_next(iterator, &item) == GST_ITERATOR_OK) {
      auto* element = GST_ELEMENT(g_value_get_object(&item));
      const GParamSpec* property = g_object_class_find_property(G_OBJECT_GET_CLASS(element), "stats");
      GstStructure* stats = nullptr;
      if (property != nullptr && property->value_type == GST_TYPE_STRUCTURE) {
        g_object_get(element, "stats", &stats, nullptr);
      }
      if (stats != nullptr && gst_structure_has_field(stats, "gpu-time-p50")) all.push_back(numbers(element, stats));
      if (stats != nullptr) gst_structure_free(stats);
      g_value_reset(&item);
    }
    g_value_unset(&item);
    gst_iterator_free(iterator);
    return all;
  }

 private:
  static ordered_json numbers(GstElement* element, const GstStructure* stats) {
    ordered_json fields{{"element", GST_OBJECT_NAME(gst_element_get_factory(element))}};
    for (const char* field : {"frames", "inferences", "dropped", "failures"}) {
      guint64 value = 0;
      if (gst_structure_get_uint64(stats, field, &value) != FALSE) fields[field] = value;
    }
    for (const char* field : {"model-time", "gpu-time", "gpu-time-p50", "gpu-time-p95", "cpu-time", "start-time"}) {
      guint64 value = 0;
      if (gst_structure_get_uint64(stats, field, &value) == FALSE) continue;
      std::string key = field;
      std::ranges::replace(key, '-', '_');
      fields[key + "_ms"] = static_cast<double>(value) * 1e-6;
    }
    return fields;
  }

  void probe(const char* element_name, const char* pad_name, GstPadProbeCallback callback) {
    GstElement* element = gst_bin_get_by_name(GST_BIN(pipeline_), element_name);
    GstPad* pad = gst_element_get_static_pad(element, pad_name);
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, callback, this, nullptr);
    gst_object_unref(pad);
    gst_object_unref(element);
  }
  static GstPadProbeReturn leave_source(GstPad*, GstPadProbeInfo* info, gpointer data) {
    auto& stream = *static_cast<Stream*>(data);
    if (!stream.measures_latency_ || stream.has_latency()) return GST_PAD_PROBE_OK;
    wait_for_gpu(GST_PAD_PROBE_INFO_BUFFER(info));
    stream.left_ = Clock::now();
    return GST_PAD_PROBE_OK;
  }
  static GstPadProbeReturn reach_sink(GstPad*, GstPadProbeInfo* info, gpointer data) {
    static_cast<Stream*>(data)->reach_sink(GST_PAD_PROBE_INFO_BUFFER(info));
    return GST_PAD_PROBE_OK;
  }
  void reach_sink(GstBuffer* buffer) {
    const int frame = ++frames_;
    if (!counts()) {
      if (frame < kUncounted && !starting_) return;
      wait_for_gpu(buffer);
      first_time_ = Clock::now();
      first_ = frame;
    } else if (!counted_ && (stopping_ || frame == first_ + options_.most_frames)) {
      wait_for_gpu(buffer);
      last_time_ = Clock::now();
      last_ = frame;
      if (GstGLContext* context = context_of(buffer)) gst_gl_context_thread_add(context, ask, &facts_);
      counted_ = true;
    } else if (measures_latency_ && !has_latency() && left_ != Clock::time_point()) {
      wait_for_gpu(buffer);
      latencies_[latency_count_] = milliseconds(Clock::now() - left_);
      ++latency_count_;
    }
  }

  const Options& options_;
  GstElement* pipeline_ = nullptr;
  std::string error_;
  Facts facts_;
  int frames_ = 0, last_ = 0;
  std::atomic<int> first_{0};
  Clock::time_point first_time_, last_time_, left_;
  std::atomic<bool> starting_{false}, stopping_{false}, counted_{false}, measures_latency_{false};
  std::array<double, kLatencyFrames> latencies_{};
  std::atomic<size_t> latency_count_{0};
};

double percentile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[static_cast<size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
}

double resident_mib(const std::string& key) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key)) return std::strtod(line.c_str() + key.size(), nullptr) / 1024;
  }
  return 0;
}

using Streams = std::vector<std::unique_ptr<Stream>>;

// Waits until the condition holds for all streams, an error, or `end`. Returns the first error; empty without one.
template <typename Condition>
std::string wait_until(const Streams& streams, Clock::time_point end, Condition condition) {
  while (Clock::now() < end && !std::ranges::all_of(streams, [&](const auto& one) { return condition(*one); })) {
    for (const auto& stream : streams) {
      if (!stream->error().empty()) return stream->error();
    }
    g_usleep(1000);
  }
  return "";
}

Clock::duration seconds(double number) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(number));
}

// Counts frames of all streams. Returns what went wrong; empty if nothing did. Clears `in_time` if time was over.
std::string count_frames(const Options& options, const Streams& streams, Clock::time_point begin, bool& in_time) {
  const auto share_of_limit = [&](double share) { return begin + seconds(share * options.limit); };
  const auto counts = [](const Stream& one) { return one.counts(); };
  const auto counted = [](const Stream& one) { return one.counted(); };
  const auto missing = [&](const char* what, auto condition) -> std::string {
    const auto without = std::ranges::count_if(streams, [&](const auto& one) { return !condition(*one); });
    in_time = without == 0;
    if (in_time) return "";
    return std::to_string(without) + " of " + std::to_string(streams.size()) + " streams had no " + what +
           " frame in time, with a limit of " + std::to_string(std::lround(options.limit)) + " s";
  };
  for (const auto& stream : streams) stream->play();
  std::string error = wait_until(streams, share_of_limit(kStartShare), counts);
  for (const auto& stream : streams) stream->start_counting();
  if (error.empty()) error = wait_until(streams, share_of_limit(kFirstFrameShare), counts);
  if (error.empty()) error = missing("first", counts);
  if (!error.empty()) return error;
  const Clock::time_point end = std::min(Clock::now() + seconds(options.seconds), share_of_limit(kCountingShare));
  error = wait_until(streams, end, counted);
  for (const auto& stream : streams) stream->stop_counting();
  if (error.empty()) error = wait_until(streams, share_of_limit(1), counted);
  return error.empty() ? missing("second", counted) : error;
}

void add_latency(Stream& stream, const std::string& error, ordered_json& result) {
  const std::vector<double> latencies = stream.latencies();
  if (!error.empty() || latencies.empty()) return;
  result["latency_ms"] = {
      {"frames", latencies.size()}, {"p50", percentile(latencies, 0.5)}, {"p95", percentile(latencies, 0.95)}};
}

// Fills `result`. Returns what went wrong; empty if nothing did. `streams` end later: that can take long.
std::string measure(const Options& options, Streams& streams, ordered_json& result, bool& in_time) {
  GstGLDisplay* display = gst_gl_display_new();
  if (display == nullptr) return "GStreamer has no GL display";
  const std::unique_ptr<GstGLDisplay, decltype(&gst_object_unref)> owner(display, gst_object_unref);
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < options.streams; ++i) streams.push_back(std::make_unique<Stream>(options, display));
  std::string error = count_frames(options, streams, begin, in_time);
  if (!error.empty()) return error;

  double together = 0, slowest = 0;
  int frames = 0;
  for (const auto& stream : streams) {
    const double rate = stream->frames_per_second();
    together += rate;
    slowest = slowest == 0 ? rate : std::min(slowest, rate);
    frames += stream->frames();
  }
  Stream& first = *streams.front();
  result["renderer"] = first.facts().renderer;
  result["frames"] = frames;
  result["frames_per_second"] = together;
  result["slowest_stream_frames_per_second"] = slowest;
  result["elements"] = first.statistics();
  result["resident_mib"] = resident_mib("VmRSS:");
  if (first.facts().free_gpu_kib > 0) result["free_gpu_mib"] = first.facts().free_gpu_kib / 1024.0;
  if (streams.size() == 1) {
    first.measure_latency();
    error = wait_until(streams, begin + seconds(options.limit), [](const Stream& one) { return one.has_latency(); });
    add_latency(first, error, result);
  }
  return error;
}

}  // namespace
}  // namespace sightglass::bench

int main(int argc, char** argv) {
  CLI::App app("Measures elements on rendered frames, and prints one line of JSON.", "frames_bench");
  sightglass::bench::Options options;
  app.add_option("--name", options.name, "Name of the measurement in the output")->required();
  app.add_option("--elements", options.elements, "Elements between source and sink; none: measure the source");
  app.add_option("--source", options.source, "Source of the frames, an element with its properties (glfiguresrc)");
  app.add_option("--width", options.width, "Frame width (1280)")->check(CLI::Range(16, 16384));
  app.add_option("--height", options.height, "Frame height (720)")->check(CLI::Range(16, 16384));
  app.add_option("--streams", options.streams, "Streams in this process (1)")->check(CLI::Range(1, 256));
  app.add_option("--seconds", options.seconds, "Time in which frames are counted (2)")->check(CLI::Range(0.01, 3600.0));
  app.add_option("--frames", options.most_frames, "Maximum number of frames of a stream (20000)")
      ->check(CLI::Range(1, 100000000));
  app.add_option("--limit", options.limit,
                 "Time in which all is measured, in seconds, with fewer frames if need be (360)")
      ->check(CLI::Range(0.1, 36000.0));
  CLI11_PARSE(app, argc, argv);

  setenv("GST_TRACERS", "zerocopy", 1);
  gst_init(nullptr, nullptr);
  const sightglass::bench::CopyCounter copies;
  nlohmann::ordered_json result{{"name", options.name},
                                {"pipeline", options.elements},
                                {"width", options.width},
                                {"height", options.height},
                                {"streams", options.streams}};
  sightglass::bench::Streams streams;
  bool in_time = true;
  const std::string error = sightglass::bench::measure(options, streams, result, in_time);
  if (!error.empty()) result["error"] = error;
  result["copies"] = {{"count", copies.count()}, {"bytes", copies.bytes()}};
  std::printf("%s\n", result.dump().c_str());
  std::fflush(stdout);
  constexpr int kTimedOut = 124;  // as timeout(1) of coreutils
  return sightglass::finish_output("frames_bench", error.empty() ? 0 : in_time ? 1 : kTimedOut);
}
