#include "serve/frame_statistics.h"

#include <cmath>
#include <cstdio>
#include <memory>

namespace sightglass::serve {

namespace {

using nlohmann::ordered_json;

constexpr gint64 kWindow = G_USEC_PER_SEC;
constexpr double kStalledSeconds = 5;

struct FreeStructure {
  void operator()(GstStructure* structure) const { gst_structure_free(structure); }
};
using StructurePtr = std::unique_ptr<GstStructure, FreeStructure>;

StructurePtr stats_of(GstElement* element) {
  GstStructure* stats = nullptr;
  g_object_get(element, "stats", &stats, nullptr);
  return StructurePtr(stats);
}

uint64_t number_of(const GstStructure* stats, const char* field) {
  guint64 value = 0;
  gst_structure_get_uint64(stats, field, &value);
  return value;
}

double rounded(double value) { return std::round(value * 1000) / 1000; }

// Fields of `stats` in nanoseconds, their names in JSON, and their metrics.
struct Time {
  const char* field;
  const char* key;
  const char* metric;
  const char* help;
};
constexpr Time kTimes[] = {
    {"gpu-time", "gpu_ms", "gpu_seconds", "Mean GPU time of a frame"},
    {"gpu-time-p50", "gpu_ms_p50", "gpu_seconds_median", "Median GPU time of a frame"},
    {"gpu-time-p95", "gpu_ms_p95", "gpu_seconds_p95", "95th percentile of the GPU time of a frame"},
    {"model-time", "model_ms", "model_seconds", "GPU time of one run of the model"},
    {"cpu-time", "cpu_ms", "cpu_seconds", "CPU time of a frame"},
    {"latency", "latency_ms", "latency_seconds", "Reported latency"},
    {"start-time", "start_ms", "start_seconds", "Start time of the model"},
};

struct Count {
  const char* field;
  const char* metric;
  const char* help;
};
constexpr Count kCounts[] = {
    {"inferences", "inferences", "Inferences, including skipped ones"},
    {"skipped", "inferences_skipped", "Inferences skipped because the image did not change"},
    {"dropped", "frames_dropped", "Frames dropped by QoS"},
    {"failures", "frames_failed", "Frames that the model failed on"},
};

std::string line(const char* name, const char* kind, const char* help, double value) {
  char text[400];
  std::snprintf(text, sizeof(text), "# HELP sightglass_%s %s\n# TYPE sightglass_%s %s\nsightglass_%s %.9g\n", name,
                help, name, kind, name, value);
  return text;
}

}  // namespace

FrameStatistics::FrameStatistics(GstElement* element)
    : element_(element), pad_(gst_element_get_static_pad(element, "src")), start_(g_get_monotonic_time()) {
  probe_ = gst_pad_add_probe(pad_.get(), GST_PAD_PROBE_TYPE_BUFFER, on_frame, this, nullptr);
}

FrameStatistics::~FrameStatistics() { gst_pad_remove_probe(pad_.get(), probe_); }

GstPadProbeReturn FrameStatistics::on_frame(GstPad*, GstPadProbeInfo*, gpointer data) {
  auto* self = static_cast<FrameStatistics*>(data);
  const gint64 now = g_get_monotonic_time();
  const std::lock_guard lock(self->mutex_);
  ++self->frames_;
  self->recent_.push_back(now);
  while (self->recent_.size() > 2 && now - self->recent_.front() > kWindow) self->recent_.pop_front();
  return GST_PAD_PROBE_OK;
}

FrameStatistics::Flow FrameStatistics::flow() const {
  const gint64 now = g_get_monotonic_time();
  const std::lock_guard lock(mutex_);
  Flow flow;
  flow.frames = frames_;
  flow.idle_s = 1e-6 * static_cast<double>(now - (recent_.empty() ? start_ : recent_.back()));
  if (recent_.size() < 2) return flow;
  const double span_ms = 1e-3 * static_cast<double>(recent_.back() - recent_.front());
  flow.frame_ms = span_ms / static_cast<double>(recent_.size() - 1);
  if (flow.idle_s < kStalledSeconds && flow.frame_ms > 0) flow.rate = 1000 / flow.frame_ms;
  return flow;
}

ordered_json FrameStatistics::report() const {
  const Flow now = flow();
  const StructurePtr stats = stats_of(element_);
  ordered_json report;
  if (const char* model = gst_structure_get_string(stats.get(), "model")) report["model"] = model;
  const video::CapsPtr caps(gst_pad_get_current_caps(pad_.get()));
  int width = 0, height = 0;
  if (caps != nullptr) {
    gst_structure_get_int(gst_caps_get_structure(caps.get(), 0), "width", &width);
    gst_structure_get_int(gst_caps_get_structure(caps.get(), 0), "height", &height);
  }
  report["width"] = width;
  report["height"] = height;
  report["frames"] = now.frames;
  report["rate"] = rounded(now.rate);
  if (now.frame_ms > 0) report["frame_ms"] = rounded(now.frame_ms);
  for (const Time& time : kTimes) {
    const uint64_t ns = number_of(stats.get(), time.field);
    if (ns > 0) report[time.key] = rounded(1e-6 * static_cast<double>(ns));
  }
  for (const Count& count : kCounts) report[count.field] = number_of(stats.get(), count.field);
  return report;
}

std::string FrameStatistics::obstacle() const {
  const Flow now = flow();
  if (now.frames == 0) return "no frame yet: the pipeline is starting";
  if (now.idle_s < kStalledSeconds) return {};
  char text[80];
  std::snprintf(text, sizeof(text), "no frame for %.0f seconds", now.idle_s);
  return text;
}

std::string FrameStatistics::metrics(const Viewers& viewers) const {
  const Flow now = flow();
  const StructurePtr stats = stats_of(element_);
  std::string text = line("ready", "gauge", "Whether frames flow", obstacle().empty() ? 1 : 0) +
                     line("frames_total", "counter", "Frames pushed", static_cast<double>(now.frames)) +
                     line("frame_seconds", "gauge", "Mean time between frames in the last second", 1e-3 * now.frame_ms);
  for (const Time& time : kTimes) {
    const uint64_t ns = number_of(stats.get(), time.field);
    if (ns > 0) text += line(time.metric, "gauge", time.help, 1e-9 * static_cast<double>(ns));
  }
  for (const Count& count : kCounts) {
    text += line((std::string(count.metric) + "_total").c_str(), "counter", count.help,
                 static_cast<double>(number_of(stats.get(), count.field)));
  }
  char streams[256];
  std::snprintf(streams, sizeof(streams),
                "# HELP sightglass_streams Open streams\n# TYPE sightglass_streams gauge\n"
                "sightglass_streams{kind=\"mjpeg\"} %d\nsightglass_streams{kind=\"results\"} %d\n"
                "sightglass_streams{kind=\"webrtc\"} %d\n",
                viewers.mjpeg, viewers.results, viewers.webrtc);
  return text + streams;
}

}  // namespace sightglass::serve
