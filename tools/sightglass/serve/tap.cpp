#include "serve/tap.h"

#include <utility>

namespace sightglass::serve {

namespace {

std::string gate_name(const std::string& name) { return name + "-gate"; }

BytesPtr bytes_of(GstSample* sample) {
  GstBuffer* const buffer = gst_sample_get_buffer(sample);
  GstMapInfo map;
  if (buffer == nullptr || !gst_buffer_map(buffer, &map, GST_MAP_READ)) return nullptr;
  BytesPtr bytes(g_bytes_new(map.data, map.size));
  gst_buffer_unmap(buffer, &map);
  return bytes;
}

}  // namespace

std::string gate_text(const std::string& tee, const std::string& name) {
  return " " + tee + ". ! queue name=" + gate_name(name) +
         " leaky=downstream max-size-buffers=2 max-size-bytes=0 max-size-time=0";
}

Gate::Gate(GstElement* pipeline, const std::string& name) {
  const video::ElementPtr queue(gst_bin_get_by_name(GST_BIN(pipeline), gate_name(name).c_str()));
  pad_.reset(gst_element_get_static_pad(queue.get(), "sink"));
  const auto on_frame = +[](GstPad*, GstPadProbeInfo*, gpointer gate) {
    return static_cast<Gate*>(gate)->open_ ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
  };
  probe_ = gst_pad_add_probe(pad_.get(), GST_PAD_PROBE_TYPE_BUFFER, on_frame, this, nullptr);
}

Gate::~Gate() { gst_pad_remove_probe(pad_.get(), probe_); }

std::string tap_text(const std::string& tee, const std::string& name, const std::string& elements) {
  return gate_text(tee, name) + " ! " + elements + " ! appsink name=" + name +
         " async=false sync=false max-buffers=64 drop=true enable-last-sample=false wait-on-eos=false";
}

Tap::Tap(GstElement* pipeline, const std::string& name, size_t capacity, std::function<void(GBytes*)> deliver)
    : gate_(pipeline, name),
      sink_(gst_bin_get_by_name(GST_BIN(pipeline), name.c_str())),
      capacity_(capacity),
      deliver_(std::move(deliver)) {
  GstAppSinkCallbacks callbacks = {};
  callbacks.new_sample = on_sample;
  gst_app_sink_set_callbacks(GST_APP_SINK(sink_.get()), &callbacks, this, nullptr);
}

Tap::~Tap() {
  if (idle_ != 0) g_source_remove(idle_);
}

void Tap::begin_watch() {
  if (watchers_++ == 0) gate_.set_open(true);
}

void Tap::end_watch() {
  if (--watchers_ == 0) gate_.set_open(false);
}

GstFlowReturn Tap::on_sample(GstAppSink* sink, gpointer data) {
  auto* self = static_cast<Tap*>(data);
  GstSample* const sample = gst_app_sink_pull_sample(sink);
  if (sample == nullptr) return GST_FLOW_OK;
  BytesPtr bytes = bytes_of(sample);
  gst_sample_unref(sample);
  if (bytes == nullptr) return GST_FLOW_OK;
  const std::lock_guard lock(self->mutex_);
  self->waiting_.push_back(std::move(bytes));
  if (self->waiting_.size() > self->capacity_) self->waiting_.pop_front();
  if (self->idle_ == 0) self->idle_ = g_idle_add_full(G_PRIORITY_DEFAULT, on_idle, self, nullptr);
  return GST_FLOW_OK;
}

gboolean Tap::on_idle(gpointer data) {
  auto* self = static_cast<Tap*>(data);
  std::deque<BytesPtr> ready;
  {
    const std::lock_guard lock(self->mutex_);
    ready.swap(self->waiting_);
    self->idle_ = 0;
  }
  for (const BytesPtr& bytes : ready) self->deliver_(bytes.get());
  return G_SOURCE_REMOVE;
}

}  // namespace sightglass::serve
