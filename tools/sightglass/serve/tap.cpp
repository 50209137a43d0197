#include "serve/tap.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "serve/http_server.h"

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

namespace {

constexpr guint kTimerSeconds = 5;
constexpr gint64 kClientSilence = 10 * G_USEC_PER_SEC;
constexpr gint64 kStuck = 25 * G_USEC_PER_SEC;  // for a client to take one part

std::string_view text_of(GBytes* bytes) {
  gsize size = 0;
  const auto* data = static_cast<const char*>(g_bytes_get_data(bytes, &size));
  return {data, size};
}

std::string jpeg_part(GBytes* data) {
  const std::string_view jpeg = text_of(data);
  std::string part = "Content-Type: image/jpeg\r\nContent-Length: " + std::to_string(jpeg.size()) + "\r\n\r\n";
  part.append(jpeg);
  // Browsers show a frame when they have read the boundary that ends it.
  return part + "\r\n--frame\r\n";
}

std::string event_part(GBytes* data) {
  std::string_view line = text_of(data);
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  return "data: " + std::string(line) + "\n\n";
}

}  // namespace

struct Feed::Client {
  Feed* feed;
  SoupServerMessage* message;
  gulong signals[2];
  bool writing = false;
  gint64 since = 0;  // monotonic time of the last change of `writing`
  std::deque<BytesPtr> waiting;

  void write(GBytes* part) {
    writing = true;
    since = g_get_monotonic_time();
    soup_message_body_append_bytes(soup_server_message_get_response_body(message), part);
  }
};

FeedFormat motion_jpeg() { return {"multipart/x-mixed-replace; boundary=frame", "--frame\r\n", jpeg_part, "", 1}; }

FeedFormat server_sent_events() { return {"text/event-stream", ": results as JSON\n\n", event_part, ":\n\n", 64}; }

Feed::Feed(FeedFormat format) : format_(std::move(format)) {
  timer_ = g_timeout_add_seconds(kTimerSeconds, on_timer, this);
}

Feed::~Feed() {
  g_source_remove(timer_);
  while (!clients_.empty()) {
    disconnect(clients_.back()->message);
    remove(clients_.back().get());
  }
}

void Feed::add(SoupServerMessage* message) {
  soup_server_message_set_status(message, SOUP_STATUS_OK, nullptr);
  SoupMessageHeaders* const headers = soup_server_message_get_response_headers(message);
  soup_message_headers_replace(headers, "Content-Type", format_.content_type);
  soup_message_headers_set_encoding(headers, SOUP_ENCODING_CHUNKED);
  soup_message_body_set_accumulate(soup_server_message_get_response_body(message), FALSE);
  auto client = std::make_unique<Client>();
  client->feed = this;
  client->message = SOUP_SERVER_MESSAGE(g_object_ref(message));
  client->signals[0] = g_signal_connect(message, "wrote-chunk", G_CALLBACK(on_wrote_chunk), client.get());
  client->signals[1] = g_signal_connect(message, "finished", G_CALLBACK(on_finished), client.get());
  client->write(BytesPtr(g_bytes_new(format_.greeting.data(), format_.greeting.size())).get());
  clients_.push_back(std::move(client));
  if (tap_ != nullptr) tap_->begin_watch();
}

void Feed::send(GBytes* data) {
  const std::string part = format_.part(data);
  last_.reset(g_bytes_new(part.data(), part.size()));
  for (const auto& client : clients_) {
    if (!client->writing) {
      client->write(last_.get());
      soup_server_message_unpause(client->message);
      continue;
    }
    client->waiting.emplace_back(g_bytes_ref(last_.get()));
    if (client->waiting.size() > format_.capacity) client->waiting.pop_front();
  }
}

void Feed::on_wrote_chunk(SoupServerMessage*, gpointer data) {
  auto* client = static_cast<Client*>(data);
  client->writing = false;
  client->since = g_get_monotonic_time();
  if (client->waiting.empty()) return;  // the server pauses the message
  client->write(client->waiting.front().get());
  client->waiting.pop_front();
}

void Feed::on_finished(SoupServerMessage*, gpointer data) {
  auto* client = static_cast<Client*>(data);
  client->feed->remove(client);
}

void Feed::remove(Client* client) {
  for (const gulong signal : client->signals) g_signal_handler_disconnect(client->message, signal);
  g_object_unref(client->message);
  std::erase_if(clients_, [client](const auto& own) { return own.get() == client; });
  if (tap_ != nullptr) tap_->end_watch();
}

gboolean Feed::on_timer(gpointer data) {
  auto* self = static_cast<Feed*>(data);
  const gint64 now = g_get_monotonic_time();
  for (const auto& client : self->clients_) {
    if (client->writing && now - client->since > kStuck) disconnect(client->message);
    if (client->writing || now - client->since < kClientSilence) continue;
    // A client that has left is noticed only by writing.
    const std::string& heartbeat = self->format_.heartbeat;
    const BytesPtr part(heartbeat.empty() ? (self->last_ != nullptr ? g_bytes_ref(self->last_.get()) : nullptr)
                                          : g_bytes_new(heartbeat.data(), heartbeat.size()));
    if (part == nullptr) continue;
    client->write(part.get());
    soup_server_message_unpause(client->message);
  }
  return G_SOURCE_CONTINUE;
}

}  // namespace sightglass::serve
