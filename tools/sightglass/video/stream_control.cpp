#include "video/stream_control.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

#include "video/gst_setup.h"
#include "video/output.h"

namespace sightglass::video {

namespace {

void for_each(GstIterator* elements, const std::function<void(GstElement*)>& use) {
  const auto call = [](const GValue* item, gpointer data) {
    (*static_cast<const std::function<void(GstElement*)>*>(data))(GST_ELEMENT(g_value_get_object(item)));
  };
  while (gst_iterator_foreach(elements, call, const_cast<std::function<void(GstElement*)>*>(&use)) ==
         GST_ITERATOR_RESYNC) {
    gst_iterator_resync(elements);
  }
  gst_iterator_free(elements);
}

std::vector<PadPtr> pads_of(GstElement* element, GstPadDirection direction) {
  std::vector<PadPtr> pads;
  GST_OBJECT_LOCK(element);
  for (const GList* node = element->pads; node != nullptr; node = node->next) {
    auto* const pad = GST_PAD(node->data);
    if (GST_PAD_DIRECTION(pad) == direction) pads.emplace_back(GST_PAD(gst_object_ref(pad)));
  }
  GST_OBJECT_UNLOCK(element);
  return pads;
}

// Whether a thread is in the function that takes the data of this sink pad.
bool takes_data(GstPad* pad) {
  if (!GST_PAD_STREAM_TRYLOCK(pad)) return true;
  GST_PAD_STREAM_UNLOCK(pad);
  return false;
}

bool takes_data(GstElement* element) {
  const auto pads = pads_of(element, GST_PAD_SINK);
  return std::any_of(pads.begin(), pads.end(), [](const PadPtr& pad) { return takes_data(pad.get()); });
}

// Whether the data of the element is waiting further downstream.
bool waits_for_next(GstElement* element) {
  const auto pads = pads_of(element, GST_PAD_SRC);
  return std::any_of(pads.begin(), pads.end(), [](const PadPtr& pad) {
    const PadPtr peer(gst_pad_get_peer(pad.get()));
    return peer != nullptr && takes_data(peer.get());
  });
}

bool is_paced(GstElement* sink) {
  if (g_object_class_find_property(G_OBJECT_GET_CLASS(sink), "sync") == nullptr) return true;
  gboolean sync = TRUE;
  g_object_get(sink, "sync", &sync, nullptr);
  return sync != FALSE;
}

}  // namespace

StreamWatch::StreamWatch(GstElement* pipeline, GstElement* model)
    : pipeline_(pipeline), model_(model), last_(g_get_monotonic_time()) {
  if (model_ != nullptr) {
    watch_model("sink");
    watch_model("src");
  }
  for_each(gst_bin_iterate_sinks(GST_BIN(pipeline_)), [this](GstElement* element) {
    auto& sink = sinks_.emplace_back(std::make_unique<Sink>());
    sink->watch = this;
    sink->element = element;
    sink->paced = is_paced(element);
    constexpr auto kData = static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST |
                                                        GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM);
    for (const PadPtr& pad : pads_of(element, GST_PAD_SINK)) {
      gst_pad_add_probe(pad.get(), kData, on_sink_data, sink.get(), nullptr);
    }
  });
}

void StreamWatch::watch_model(const char* pad_name) {
  const PadPtr pad(gst_element_get_static_pad(model_, pad_name));
  if (pad != nullptr) gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, on_frame, this, nullptr);
}

void StreamWatch::note_data() { last_ = g_get_monotonic_time(); }

void StreamWatch::restart() { note_data(); }

double StreamWatch::idle() const { return 1e-6 * static_cast<double>(g_get_monotonic_time() - last_); }

GstPadProbeReturn StreamWatch::on_frame(GstPad* pad, GstPadProbeInfo*, gpointer data) {
  auto* watch = static_cast<StreamWatch*>(data);
  if (watch->dropping_ && GST_PAD_IS_SINK(pad)) return GST_PAD_PROBE_DROP;
  watch->note_data();
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn StreamWatch::on_sink_data(GstPad*, GstPadProbeInfo* info, gpointer data) {
  auto* sink = static_cast<Sink*>(data);
  sink->watch->note_data();
  const bool event = (GST_PAD_PROBE_INFO_TYPE(info) & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) != 0;
  if (!event) sink->started = true;
  if (event && GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_EOS) sink->ended = true;
  return GST_PAD_PROBE_OK;
}

bool StreamWatch::has_data(std::string_view sink_name) const {
  return std::any_of(sinks_.begin(), sinks_.end(), [sink_name](const auto& sink) {
    return sink->started && std::string_view(GST_OBJECT_NAME(sink->element)) == sink_name;
  });
}

bool StreamWatch::all_outputs_ended(GstObject* failed) const {
  const auto ended = [](const auto& sink) { return sink->ended && !sink->paced; };
  return std::any_of(sinks_.begin(), sinks_.end(), ended) &&
         std::all_of(sinks_.begin(), sinks_.end(),
                     [&](const auto& sink) { return ended(sink) || GST_OBJECT(sink->element) == failed; });
}

ElementPtr StreamWatch::stuck_element() const {
  ElementPtr stuck;
  for_each(gst_bin_iterate_recurse(GST_BIN(pipeline_)), [&stuck](GstElement* element) {
    if (stuck != nullptr || GST_IS_BIN(element) || !takes_data(element) || waits_for_next(element)) return;
    stuck.reset(GST_ELEMENT(gst_object_ref(element)));
  });
  return stuck;
}

namespace {

// Of a buffer, in nanoseconds; -1: it has none.
gint64 running_time_of(GstPad* pad, GstBuffer* buffer) {
  GstEvent* const event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0);
  if (event == nullptr) return -1;
  const GstSegment* segment = nullptr;
  gst_event_parse_segment(event, &segment);
  guint64 time = GST_CLOCK_TIME_NONE;
  if (segment->format == GST_FORMAT_TIME && GST_BUFFER_PTS_IS_VALID(buffer)) {
    time = gst_segment_to_running_time(segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
  }
  gst_event_unref(event);
  return GST_CLOCK_TIME_IS_VALID(time) ? static_cast<gint64>(time) : -1;
}

}  // namespace

TimeLimit::TimeLimit(GstElement* pipeline, GstElement* model, double seconds)
    : length_(static_cast<gint64>(seconds * GST_SECOND)) {
  video_.video = true;
  const PadPtr frames(gst_element_get_static_pad(model, "sink"));
  watch(frames.get(), video_);
  const ElementPtr muxer(gst_bin_get_by_name(GST_BIN(pipeline), kMuxerElement));
  const PadPtr sound(muxer == nullptr ? nullptr : gst_element_get_static_pad(muxer.get(), kMuxerAudioPad));
  if (sound != nullptr) watch(sound.get(), audio_);
}

void TimeLimit::watch(GstPad* pad, Stream& stream) {
  stream.limit = this;
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, on_buffer, &stream, nullptr);
}

GstPadProbeReturn TimeLimit::on_buffer(GstPad* pad, GstPadProbeInfo* info, gpointer data) {
  auto* stream = static_cast<Stream*>(data);
  return stream->limit->check(pad, GST_PAD_PROBE_INFO_BUFFER(info), *stream);
}

GstPadProbeReturn TimeLimit::check(GstPad* pad, GstBuffer* buffer, Stream& stream) {
  const gint64 time = running_time_of(pad, buffer);
  if (time < 0) return GST_PAD_PROBE_OK;
  if (stream.video && first_ < 0) first_ = time;
  if (first_ < 0 || time - first_ < length_) {
    if (stream.video) last_ = time;
    return GST_PAD_PROBE_OK;
  }
  if (stream.reached_at == 0) stream.reached_at = g_get_monotonic_time();
  return GST_PAD_PROBE_DROP;
}

bool TimeLimit::reached() const {
  if (video_.reached_at == 0) return false;
  // Audio can end before the limit.
  constexpr gint64 kWaitForAudio = G_USEC_PER_SEC;
  return audio_.limit == nullptr || audio_.reached_at != 0 ||
         g_get_monotonic_time() - video_.reached_at > kWaitForAudio;
}

double TimeLimit::position() const { return first_ < 0 ? 0 : 1e-9 * static_cast<double>(last_ - first_); }

namespace {

std::atomic<bool> hung_pipeline = false;

bool is_queue(GstElement* element) {
  GstElementFactory* const factory = gst_element_get_factory(element);
  return factory != nullptr && std::string_view(GST_OBJECT_NAME(factory)) == "queue";
}

// The pads of an output's branch that take the end of the stream.
struct BranchStarts {
  GstElement* model;
  std::set<PadPtr> pads;

  // `pad`: a sink pad of the branch.
  void find(GstPad* pad) {
    const PadPtr peer(gst_pad_get_peer(pad));
    if (peer == nullptr) return;
    const ElementPtr element(GST_ELEMENT(gst_pad_get_parent_element(peer.get())));
    if (element != nullptr && is_queue(element.get())) {
      pads.emplace(gst_element_get_static_pad(element.get(), "sink"));
      return;
    }
    if (element == nullptr || element.get() == model || element->numsinkpads == 0) {
      pads.emplace(GST_PAD(gst_object_ref(pad)));
      return;
    }
    find_upstream_of(element.get());
  }

  void find_upstream_of(GstElement* element) {
    const auto visit = [](GstElement*, GstPad* pad, gpointer starts) -> gboolean {
      static_cast<BranchStarts*>(starts)->find(pad);
      return TRUE;
    };
    gst_element_foreach_sink_pad(element, visit, this);
  }
};

}  // namespace

void send_end(GstElement* pipeline) {
  std::thread([pipeline = ElementPtr(GST_ELEMENT(gst_object_ref(pipeline)))] {
    gst_element_send_event(pipeline.get(), gst_event_new_eos());
  }).detach();
}

void send_end_to_outputs(GstElement* pipeline, GstElement* model) {
  BranchStarts starts{model, {}};
  GstIterator* const sinks = gst_bin_iterate_sinks(GST_BIN(pipeline));
  GValue item = G_VALUE_INIT;
  while (gst_iterator_next(sinks, &item) == GST_ITERATOR_OK) {
    starts.find_upstream_of(GST_ELEMENT(g_value_get_object(&item)));
    g_value_reset(&item);
  }
  g_value_unset(&item);
  gst_iterator_free(sinks);
  // A pad whose element is busy takes the event later, or never.
  for (const PadPtr& pad : starts.pads) {
    std::thread([own = PadPtr(GST_PAD(gst_object_ref(pad.get())))] {
      gst_pad_send_event(own.get(), gst_event_new_eos());
    }).detach();
  }
}

bool stop_within(GstElement* pipeline, double seconds) {
  const auto stopped = std::make_shared<std::promise<void>>();
  std::future<void> stop = stopped->get_future();
  std::thread([stopped, own = ElementPtr(GST_ELEMENT(gst_object_ref(pipeline)))]() mutable {
    gst_element_set_state(own.get(), GST_STATE_NULL);
    own.reset();
    stopped->set_value();
  }).detach();
  const bool done = stop.wait_for(std::chrono::duration<double>(seconds)) == std::future_status::ready;
  if (!done) hung_pipeline = true;
  return done;
}

bool has_hung_pipeline() { return hung_pipeline; }

}  // namespace sightglass::video
