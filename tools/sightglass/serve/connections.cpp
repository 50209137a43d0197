#include "serve/connections.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <string>

namespace sightglass::serve {

namespace {

constexpr gint64 kRequestTime = 15 * G_USEC_PER_SEC, kAnswerTime = 60 * G_USEC_PER_SEC;
constexpr gint64 kLeaveTime = 2 * G_USEC_PER_SEC;
// A client that takes no data for this long is disconnected by the kernel.
constexpr gint kStuckMilliseconds = 20'000;
// The kernel keeps as much for a client that does not read, and twice as much in all.
constexpr gint kSendBuffer = 64 * 1024;
constexpr const char* kEntry = "sightglass-connection";

std::string response_of(SoupServerMessage* message) {
  const guint status = soup_server_message_get_status(message);
  std::string text = "HTTP/1.1 " + std::to_string(status) + " " + soup_status_get_phrase(status) + "\r\n";
  SoupMessageHeadersIter all;
  soup_message_headers_iter_init(&all, soup_server_message_get_response_headers(message));
  const char *name = nullptr, *value = nullptr;
  while (soup_message_headers_iter_next(&all, &name, &value)) text += std::string(name) + ": " + value + "\r\n";
  GBytes* const body = soup_message_body_flatten(soup_server_message_get_response_body(message));
  gsize size = 0;
  const auto* data = static_cast<const char*>(g_bytes_get_data(body, &size));
  text += "Content-Length: " + std::to_string(size) + "\r\n\r\n";
  text.append(data, size);
  g_bytes_unref(body);
  return text;
}

}  // namespace

void disconnect(SoupServerMessage* message) {
  GSocket* const socket = soup_server_message_get_socket(message);
  if (socket != nullptr) g_socket_shutdown(socket, TRUE, TRUE, nullptr);
}

Connections::Connections()
    : timer_(g_timeout_add_seconds(
          1,
          [](gpointer self) -> gboolean {
            static_cast<Connections*>(self)->tick();
            return G_SOURCE_CONTINUE;
          },
          this)) {}

Connections::~Connections() {
  g_source_remove(timer_);
  // Messages can outlive this.
  for (const auto& entry : entries_) g_object_steal_data(G_OBJECT(entry->message), kEntry);
}

void Connections::add(SoupServerMessage* message) {
  if (GSocket* const socket = soup_server_message_get_socket(message)) {
    g_socket_set_option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, kStuckMilliseconds, nullptr);
    g_socket_set_option(socket, SOL_SOCKET, SO_SNDBUF, kSendBuffer, nullptr);
  }
  make_room();
  entries_.push_back(std::make_unique<Entry>(Entry{this, message, Phase::kRequest, g_get_monotonic_time()}));
  g_object_set_data_full(G_OBJECT(message), kEntry, entries_.back().get(), [](gpointer data) {
    auto* const entry = static_cast<Entry*>(data);
    std::erase_if(entry->connections->entries_, [entry](const auto& own) { return own.get() == entry; });
  });
}

void Connections::make_room() {
  if (entries_.size() < kMaxConnections) return;
  const auto find = [this](Phase phase) {
    return std::find_if(entries_.begin(), entries_.end(), [phase](const auto& entry) { return entry->phase == phase; });
  };
  auto victim = find(Phase::kLeaving);
  if (victim == entries_.end()) victim = find(Phase::kRequest);
  if (victim == entries_.end()) return;
  disconnect((*victim)->message);
  // The library closes it a little later. Until then, it is not chosen again.
  (*victim)->phase = Phase::kAnswer;
}

void Connections::begin_answer(SoupServerMessage* message, bool stream) {
  auto* const entry = static_cast<Entry*>(g_object_get_data(G_OBJECT(message), kEntry));
  if (entry == nullptr) return;
  entry->phase = stream ? Phase::kStream : Phase::kAnswer;
  entry->since = g_get_monotonic_time();
}

void Connections::answer_and_close(SoupServerMessage* message) {
  auto* const entry = static_cast<Entry*>(g_object_get_data(G_OBJECT(message), kEntry));
  GSocket* const socket = soup_server_message_get_socket(message);
  if (entry == nullptr || socket == nullptr) return;
  const std::string response = response_of(message);
  // A new connection has room for this.
  g_socket_send_with_blocking(socket, response.data(), response.size(), FALSE, nullptr, nullptr);
  g_socket_shutdown(socket, FALSE, TRUE, nullptr);
  // The library drops what it still reads.
  soup_message_body_set_accumulate(soup_server_message_get_request_body(message), FALSE);
  entry->phase = Phase::kLeaving;
  entry->since = g_get_monotonic_time();
}

gint64 Connections::time_of(Phase phase) {
  switch (phase) {
    case Phase::kRequest:
      return kRequestTime;
    case Phase::kAnswer:
      return kAnswerTime;
    case Phase::kStream:
      break;
    case Phase::kLeaving:
      return kLeaveTime;
  }
  return G_MAXINT64;
}

void Connections::tick() {
  const gint64 now = g_get_monotonic_time();
  for (const auto& entry : entries_) {
    if (now - entry->since > time_of(entry->phase)) disconnect(entry->message);
  }
}

}  // namespace sightglass::serve
