#include "video/stream_watch.h"

#include <algorithm>
#include <functional>

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

}  // namespace sightglass::video
