#define GST_USE_UNSTABLE_API  // tracers
#include <array>
#include <cstdio>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "gobject/guarded.h"
#include "tracer/stage_times.h"
#include "tracer/tracers.h"

namespace {

using sightglass::StageTimes;

struct Visit {
  GstClockTime pts = GST_CLOCK_TIME_NONE;
  int64_t arrived = 0;
};

struct Stage {
  std::string name;
  unsigned long long frames = 0;  // that have left; a source has no stays, and a frame before PLAYING is not late
  StageTimes stays, behind;
  std::deque<Visit> visits;  // of frames that have arrived
};

struct Tracer {
  std::mutex mutex;
  std::vector<std::unique_ptr<Stage>> stages;  // ordered by the first frame
  std::unordered_map<const void*, Stage*> by_element;
  std::unordered_map<const void*, GstClockTime> into_sinks;  // by pushing pad: the frame that the sink holds
};

struct GstStageLatencyTracer {
  GstTracer parent;
  Tracer* tracer;
};
struct GstStageLatencyTracerClass {
  GstTracerClass parent_class;
};

Tracer& tracer_of(gpointer object) { return *static_cast<GstStageLatencyTracer*>(object)->tracer; }

}  // namespace

G_DEFINE_TYPE(GstStageLatencyTracer, gst_stage_latency_tracer, GST_TYPE_TRACER)

namespace {

int64_t now() { return static_cast<int64_t>(gst_util_get_timestamp()); }

// Null for the internal pads of ghost pads.
GstElement* element_of(GstPad* pad) {
  GstObject* parent = GST_OBJECT_PARENT(pad);
  return parent != nullptr && GST_IS_ELEMENT(parent) && !GST_IS_BIN(parent) ? GST_ELEMENT(parent) : nullptr;
}

// The element that receives the buffers of a pad, through ghost pads of bins.
GstElement* receiver_of(GstPad* pad) {
  GstPad* peer = GST_PAD_PEER(pad);
  while (peer != nullptr && GST_IS_PROXY_PAD(peer)) {
    GstProxyPad* inner = gst_proxy_pad_get_internal(GST_PROXY_PAD(peer));
    if (inner == nullptr) return nullptr;
    peer = GST_PAD_PEER(inner);
    gst_object_unref(inner);
  }
  return peer == nullptr ? nullptr : element_of(peer);
}

// The caller holds the lock. Another element may reuse an address, but hardly with the same name.
Stage& stage_of(Tracer& tracer, GstElement* element) {
  Stage*& stage = tracer.by_element[element];
  if (stage == nullptr || stage->name != GST_OBJECT_NAME(element)) {
    tracer.stages.push_back(std::make_unique<Stage>());
    stage = tracer.stages.back().get();
    stage->name = GST_OBJECT_NAME(element);
  }
  return *stage;
}

// How late a frame is relative to its timestamp. Nothing before the element is PLAYING: it has no clock or base time.
std::optional<int64_t> behind(GstPad* pad, GstElement* element, GstClockTime pts) {
  if (GST_STATE(element) != GST_STATE_PLAYING) return std::nullopt;
  GstClock* clock = gst_element_get_clock(element);
  GstEvent* event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0);
  std::optional<int64_t> result;
  if (clock != nullptr && event != nullptr && GST_CLOCK_TIME_IS_VALID(gst_element_get_base_time(element))) {
    const GstSegment* segment = nullptr;
    gst_event_parse_segment(event, &segment);
    const bool timed = segment->format == GST_FORMAT_TIME;
    const GstClockTime frame = timed ? gst_segment_to_running_time(segment, GST_FORMAT_TIME, pts) : GST_CLOCK_TIME_NONE;
    if (GST_CLOCK_TIME_IS_VALID(frame)) {
      result = GST_CLOCK_DIFF(frame, gst_clock_get_time(clock) - gst_element_get_base_time(element));
    }
  }
  if (event != nullptr) gst_event_unref(event);
  if (clock != nullptr) gst_object_unref(clock);
  return result;
}

void leave(Tracer& tracer, GstElement* element, GstPad* pad, GstClockTime pts) {
  const std::optional<int64_t> late = behind(pad, element, pts);
  const int64_t time = now();
  const std::lock_guard lock(tracer.mutex);
  Stage& stage = stage_of(tracer, element);
  ++stage.frames;
  if (late) stage.behind.add(*late);
  // The visit stays, because a tee pushes the frame again.
  for (auto visit = stage.visits.rbegin(); visit != stage.visits.rend(); ++visit) {
    if (visit->pts != pts) continue;
    stage.stays.add(time - visit->arrived);
    break;
  }
}

void arrive(Tracer& tracer, GstElement* element, GstClockTime pts) {
  constexpr size_t kMost = 1024;  // in a queue
  const std::lock_guard lock(tracer.mutex);
  std::deque<Visit>& visits = stage_of(tracer, element).visits;
  visits.push_back({pts, now()});
  if (visits.size() > kMost) visits.pop_front();
}

bool is_sink(GstElement* element) { return GST_OBJECT_FLAG_IS_SET(element, GST_ELEMENT_FLAG_SINK); }

void on_push(GObject* self, GstClockTime, GstPad* pad, GstBuffer* buffer) {
  const GstClockTime pts = GST_BUFFER_PTS(buffer);
  if (!GST_CLOCK_TIME_IS_VALID(pts)) return;
  Tracer& tracer = tracer_of(self);
  if (GstElement* element = element_of(pad)) leave(tracer, element, pad, pts);
  GstElement* receiver = element_of(pad) != nullptr ? receiver_of(pad) : nullptr;
  if (receiver == nullptr) return;
  arrive(tracer, receiver, pts);
  if (!is_sink(receiver)) return;
  const std::lock_guard lock(tracer.mutex);
  tracer.into_sinks[pad] = pts;
}

// A sink returns once the frame is displayed or otherwise consumed.
void on_pushed(GObject* self, GstClockTime, GstPad* pad, GstFlowReturn) {
  Tracer& tracer = tracer_of(self);
  GstClockTime pts = GST_CLOCK_TIME_NONE;
  {
    const std::lock_guard lock(tracer.mutex);
    const auto found = tracer.into_sinks.find(pad);
    if (found == tracer.into_sinks.end()) return;
    pts = found->second;
    tracer.into_sinks.erase(found);
  }
  if (GstElement* sink = receiver_of(pad)) leave(tracer, sink, pad, pts);
}

std::string cell(std::optional<double> ms) {
  std::array<char, 32> text{};
  if (!ms) return "-";
  std::snprintf(text.data(), text.size(), "%.2f", *ms);
  return text.data();
}

void print(const Tracer& tracer) {
  if (tracer.stages.empty()) return;
  std::fprintf(stderr, "%-24s %8s | %-21s | %-21s\n%-24s %8s | %10s %10s | %10s %10s\n", "stagelatency", "",
               "in element, ms", "behind timestamp, ms", "element", "frames", "median", "p99", "median", "p99");
  for (const auto& stage : tracer.stages) {
    std::fprintf(stderr, "%-24s %8llu | %10s %10s | %10s %10s\n", stage->name.c_str(), stage->frames,
                 cell(stage->stays.percentile_ms(0.5)).c_str(), cell(stage->stays.percentile_ms(0.99)).c_str(),
                 cell(stage->behind.percentile_ms(0.5)).c_str(), cell(stage->behind.percentile_ms(0.99)).c_str());
  }
}

void finalize(GObject* object) {
  print(tracer_of(object));
  delete &tracer_of(object);
  G_OBJECT_CLASS(gst_stage_latency_tracer_parent_class)->finalize(object);
}

}  // namespace

static void gst_stage_latency_tracer_init(GstStageLatencyTracer* self) {
  self->tracer = new Tracer;
  gst_tracing_register_hook(GST_TRACER(self), "pad-push-pre", G_CALLBACK(sightglass::guarded<on_push>));
  gst_tracing_register_hook(GST_TRACER(self), "pad-push-post", G_CALLBACK(sightglass::guarded<on_pushed>));
}

static void gst_stage_latency_tracer_class_init(GstStageLatencyTracerClass* klass) {
  G_OBJECT_CLASS(klass)->finalize = sightglass::guarded<finalize>;
}

namespace sightglass {

bool register_stage_latency_tracer(GstPlugin* plugin) {
  return gst_tracer_register(plugin, "stagelatency", gst_stage_latency_tracer_get_type()) != FALSE;
}

}  // namespace sightglass
