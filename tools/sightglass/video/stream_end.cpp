#include "video/stream_end.h"

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

#include "video/gst_objects.h"

namespace sightglass::video {

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
