#include "serve/webrtc.h"

#include <gst/sdp/sdp.h>

#include <atomic>
#include <memory>
#include <string_view>
#include <utility>

#include "serve/webrtc_offer.h"
#include "video/gst_setup.h"

namespace sightglass::serve {

namespace {

constexpr const char *kName = "webrtc", *kViewersTee = "webrtc-viewers";
constexpr guint kTimerMilliseconds = 50;
constexpr gint64 kGatherTime = 5 * G_USEC_PER_SEC, kConnectTime = 30 * G_USEC_PER_SEC;
constexpr gint64 kViewerSilence = 15 * G_USEC_PER_SEC;  // after which a viewer has left

// Values of GstWebRTCICEGatheringState, GstWebRTCPeerConnectionState, and GstWebRTCSDPType. The headers of GStreamer's
// WebRTC library are in a package that requires 0.8 GB of others; these are part of its stable interface, and of the
// standard.
constexpr int kGathered = 2;
constexpr int kConnected = 2, kFailed = 4, kClosed = 5;
constexpr int kOffer = 1;

// GstWebRTCSessionDescription
struct SessionDescription {
  int type;
  GstSDPMessage* sdp;
};

struct Needed {
  const char* element;
  const char* package;
};
constexpr Needed kNeeded[] = {
    {"webrtcbin", "gstreamer1.0-plugins-bad"},   {"nicesink", "gstreamer1.0-nice"},
    {"dtlssrtpenc", "gstreamer1.0-plugins-bad"}, {"vp8enc", "gstreamer1.0-plugins-good"},
    {"rtpvp8pay", "gstreamer1.0-plugins-good"},
};

struct UnrefPromise {
  void operator()(GstPromise* promise) const { gst_promise_unref(promise); }
};
using PromisePtr = std::unique_ptr<GstPromise, UnrefPromise>;

// Emits a signal of webrtcbin that takes a promise, and waits for the reply: webrtcbin answers on a thread of its own.
// Null: it failed.
template <typename Argument>
PromisePtr ask(GstElement* peer, const char* signal, Argument* argument) {
  PromisePtr promise(gst_promise_new());
  g_signal_emit_by_name(peer, signal, argument, promise.get());
  if (gst_promise_wait(promise.get()) != GST_PROMISE_RESULT_REPLIED) return nullptr;
  const GstStructure* reply = gst_promise_get_reply(promise.get());
  if (reply != nullptr && gst_structure_has_field(reply, "error")) return nullptr;
  return promise;
}

// The answer to an offer becomes the local description.
HttpError negotiate(GstElement* peer, GstSDPMessage* offer) {
  SessionDescription description{kOffer, offer};
  if (ask(peer, "set-remote-description", &description) == nullptr) {  // copies it
    return {kBadRequest, "webrtcbin does not accept the offer"};
  }
  const PromisePtr created = ask<void>(peer, "create-answer", nullptr);
  const GValue* answer = nullptr;
  if (created != nullptr) answer = gst_structure_get_value(gst_promise_get_reply(created.get()), "answer");
  if (answer == nullptr || ask(peer, "set-local-description", g_value_get_boxed(answer)) == nullptr) {
    return {kInternal, "webrtcbin does not answer the offer"};
  }
  return {};
}

std::string local_description(GstElement* peer) {
  GValue value = G_VALUE_INIT;
  g_object_get_property(G_OBJECT(peer), "local-description", &value);
  std::string text;
  if (const auto* description = static_cast<const SessionDescription*>(g_value_get_boxed(&value))) {
    const video::TextPtr words(gst_sdp_message_as_text(description->sdp));
    text = words.get();
  }
  g_value_unset(&value);
  return text;
}

using Heard = std::shared_ptr<std::atomic<gint64>>;

// Notes when packets arrive. webrtcbin itself does not notice a browser that has left.
void watch_packets(GstElement* bin, const Heard& heard) {
  GstIterator* const sources = gst_bin_iterate_all_by_element_factory_name(GST_BIN(bin), "nicesrc");
  GValue item = G_VALUE_INIT;
  while (gst_iterator_next(sources, &item) == GST_ITERATOR_OK) {
    const video::PadPtr pad(gst_element_get_static_pad(GST_ELEMENT(g_value_get_object(&item)), "src"));
    const auto on_packet = +[](GstPad*, GstPadProbeInfo*, gpointer time) {
      **static_cast<Heard*>(time) = g_get_monotonic_time();
      return GST_PAD_PROBE_OK;
    };
    gst_pad_add_probe(pad.get(),
                      static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST),
                      on_packet, new Heard(heard), [](gpointer time) { delete static_cast<Heard*>(time); });
    g_value_reset(&item);
  }
  if (G_IS_VALUE(&item)) g_value_unset(&item);
  gst_iterator_free(sources);
}

int state_of(GstElement* peer, const char* property) {
  int state = 0;
  g_object_get(peer, property, &state, nullptr);
  return state;
}

}  // namespace

struct WebRtc::Viewer {
  GstElement* bin;  // in the pipeline
  video::ElementPtr peer;
  gint64 since;  // monotonic time of the offer
  Done done;     // empty: has been called
  // Monotonic time of the last packet of the browser: it sends reports about every second.
  std::shared_ptr<std::atomic<gint64>> heard;
};

std::string WebRtc::missing() {
  for (const Needed& needed : kNeeded) {
    if (!video::installed(needed.element)) {
      return std::string(needed.element) + " is missing; install " + needed.package;
    }
  }
  return {};
}

std::string WebRtc::branch_text(const std::string& tee) {
  return gate_text(tee, kName) +
         " ! gldownload ! videoconvert ! video/x-raw,format=I420 ! vp8enc deadline=1 cpu-used=8 "
         "target-bitrate=2500000 keyframe-max-dist=60 ! tee name=" +
         kViewersTee + " allow-not-linked=true";
}

WebRtc::WebRtc(GstElement* pipeline)
    : pipeline_(pipeline), gate_(pipeline, kName), tee_(gst_bin_get_by_name(GST_BIN(pipeline), kViewersTee)) {}

WebRtc::~WebRtc() {
  if (timer_ != 0) g_source_remove(timer_);
  while (!viewers_.empty()) remove(viewers_.back().get());
}

void WebRtc::answer(const std::string& offer, Done done) {
  WebRtcOffer accepted;
  const HttpError refused = read_offer(offer, accepted);
  if (!refused.ok()) return done(refused, {});
  // A frame that is lost damages those that follow, up to the next key frame: the queue is long, whatever the frame
  // rate.
  const std::string text =
      "queue name=input leaky=downstream max-size-buffers=120 max-size-bytes=0 max-size-time=0 ! rtpvp8pay pt=" +
      accepted.payload +
      " picture-id-mode=15-bit ! application/x-rtp,media=video,encoding-name=VP8,clock-rate=90000,"
      "payload=" +
      accepted.payload + " ! webrtcbin name=peer bundle-policy=max-bundle";
  GError* error = nullptr;
  GstElement* const bin = gst_parse_bin_from_description(text.c_str(), FALSE, &error);
  if (bin == nullptr || error != nullptr) {
    const HttpError failure{kInternal, error != nullptr ? error->message : "webrtcbin cannot be created"};
    g_clear_error(&error);
    if (bin != nullptr) gst_object_unref(gst_object_ref_sink(bin));
    return done(failure, {});
  }
  const video::ElementPtr input(gst_bin_get_by_name(GST_BIN(bin), "input"));
  const video::PadPtr sink(gst_element_get_static_pad(input.get(), "sink"));
  gst_element_add_pad(bin, gst_ghost_pad_new("sink", sink.get()));
  gst_bin_add(GST_BIN(pipeline_), bin);
  gst_element_sync_state_with_parent(bin);
  gst_element_link(tee_.get(), bin);
  auto viewer = std::make_unique<Viewer>();
  viewer->bin = bin;
  viewer->peer.reset(gst_bin_get_by_name(GST_BIN(bin), "peer"));
  viewer->since = g_get_monotonic_time();
  gate_.set_open(true);
  viewers_.push_back(std::move(viewer));
  Viewer& added = *viewers_.back();
  const HttpError failure = negotiate(added.peer.get(), accepted.sdp.get());
  if (!failure.ok()) {
    remove(&added);
    return done(failure, {});
  }
  added.done = std::move(done);
  if (timer_ == 0) timer_ = g_timeout_add(kTimerMilliseconds, on_timer, this);
}

void WebRtc::check(Viewer* viewer) {
  const gint64 age = g_get_monotonic_time() - viewer->since;
  if (viewer->done) {
    // Without all candidates, those that are known may suffice.
    if (state_of(viewer->peer.get(), "ice-gathering-state") != kGathered && age < kGatherTime) return;
    std::exchange(viewer->done, nullptr)({}, local_description(viewer->peer.get()));
  }
  const int state = state_of(viewer->peer.get(), "connection-state");
  if (state == kConnected && viewer->heard == nullptr) {
    viewer->heard = std::make_shared<std::atomic<gint64>>(g_get_monotonic_time());
    watch_packets(viewer->bin, viewer->heard);
  }
  const bool silent = viewer->heard != nullptr && g_get_monotonic_time() - *viewer->heard > kViewerSilence;
  if (silent || state == kFailed || state == kClosed || (state < kConnected && age > kConnectTime)) remove(viewer);
}

gboolean WebRtc::on_timer(gpointer data) {
  auto* self = static_cast<WebRtc*>(data);
  std::vector<Viewer*> all;
  for (const auto& viewer : self->viewers_) all.push_back(viewer.get());
  for (Viewer* viewer : all) self->check(viewer);
  return self->viewers_.empty() ? (self->timer_ = 0, G_SOURCE_REMOVE) : G_SOURCE_CONTINUE;
}

void WebRtc::remove(Viewer* viewer) {
  if (viewer->done) viewer->done({kInternal, "the server ends"}, {});
  const video::PadPtr sink(gst_element_get_static_pad(viewer->bin, "sink"));
  const video::PadPtr source(gst_pad_get_peer(sink.get()));
  if (source != nullptr) {
    gst_pad_unlink(source.get(), sink.get());
    gst_element_release_request_pad(tee_.get(), source.get());
  }
  gst_element_set_state(viewer->bin, GST_STATE_NULL);
  gst_bin_remove(GST_BIN(pipeline_), viewer->bin);
  std::erase_if(viewers_, [viewer](const auto& own) { return own.get() == viewer; });
  gate_.set_open(!viewers_.empty());
}

}  // namespace sightglass::serve
