#include "serve/http_server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/secrets.h"
#include "serve/request_guard.h"

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

namespace {

std::string header_of(SoupServerMessage* message, const char* name) {
  const char* text = soup_message_headers_get_list(soup_server_message_get_request_headers(message), name);
  return text != nullptr ? text : "";
}

std::string local_address_of(SoupServerMessage* message) {
  GSocketAddress* const address = soup_server_message_get_local_address(message);
  if (!G_IS_INET_SOCKET_ADDRESS(address)) return {};
  const video::TextPtr text(
      g_inet_address_to_string(g_inet_socket_address_get_address(G_INET_SOCKET_ADDRESS(address))));
  return text.get();
}

RequestFacts facts_of(SoupServerMessage* message) {
  return {header_of(message, "Host"),          header_of(message, "Origin"), header_of(message, "Sec-Fetch-Site"),
          header_of(message, "Authorization"), header_of(message, "Cookie"), local_address_of(message)};
}

void set_header(SoupServerMessage* message, const char* name, const char* value) {
  soup_message_headers_replace(soup_server_message_get_response_headers(message), name, value);
}

// The page loads nothing from elsewhere, and cannot be shown within another page.
void add_security_headers(SoupServerMessage* message) {
  set_header(message, "Content-Security-Policy",
             "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  set_header(message, "X-Content-Type-Options", "nosniff");
  set_header(message, "Referrer-Policy", "no-referrer");
  set_header(message, "Cross-Origin-Resource-Policy", "same-origin");
  set_header(message, "Cross-Origin-Opener-Policy", "same-origin");
  set_header(message, "Cache-Control", "no-store");
}

// Each value that the client has sent, also of headers that it has repeated.
std::vector<Header> headers_of(SoupServerMessage* message) {
  std::vector<Header> headers;
  SoupMessageHeadersIter all;
  soup_message_headers_iter_init(&all, soup_server_message_get_request_headers(message));
  const char *name = nullptr, *value = nullptr;
  while (soup_message_headers_iter_next(&all, &name, &value)) headers.push_back({name, value});
  return headers;
}

std::string allowed_methods(std::string_view path) {
  std::string methods;
  for (const Route& route : all_routes()) {
    if (route.path == path) methods += (methods.empty() ? "" : ", ") + std::string(route.method);
  }
  return methods;
}

}  // namespace

void reply(SoupServerMessage* message, int status, std::string_view type, std::string_view body) {
  soup_server_message_set_status(message, static_cast<guint>(status), nullptr);
  soup_server_message_set_response(message, std::string(type).c_str(), SOUP_MEMORY_COPY, body.data(), body.size());
}

void reply_error(SoupServerMessage* message, const HttpError& error) {
  const nlohmann::ordered_json body = {{"error", without_secrets(error.message)}};
  reply(message, error.status, "application/json",
        body.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

HttpServer::HttpServer(RequestGuard guard, Act act)
    : guard_(std::move(guard)),
      act_(std::move(act)),
      server_(soup_server_new("server-header", "sightglass", "raw-paths", TRUE, nullptr)) {
  g_signal_connect(server_.get(), "request-started", G_CALLBACK(on_started), this);
  soup_server_add_early_handler(server_.get(), nullptr, on_headers, this, nullptr);
  soup_server_add_handler(server_.get(), nullptr, on_request, this, nullptr);
}

HttpServer::~HttpServer() { soup_server_disconnect(server_.get()); }

Status HttpServer::listen(ListenAddress& address) {
  const std::unique_ptr<GSocketAddress, video::UnrefGObject> socket(
      g_inet_socket_address_new_from_string(address.address.c_str(), address.port));
  GError* error = nullptr;
  if (!soup_server_listen(server_.get(), socket.get(), static_cast<SoupServerListenOptions>(0), &error)) {
    const bool taken = g_error_matches(error, G_IO_ERROR, G_IO_ERROR_ADDRESS_IN_USE);
    const std::string reason = taken ? "port " + std::to_string(address.port) + " is in use" : error->message;
    g_clear_error(&error);
    return device_error(address.url() + ": cannot listen there: " + reason + "; use --listen " + address.address +
                        ":PORT with another " + (taken ? "port" : "address or port"));
  }
  GSList* const uris = soup_server_get_uris(server_.get());
  if (uris != nullptr) address.port = static_cast<uint16_t>(g_uri_get_port(static_cast<GUri*>(uris->data)));
  g_slist_free_full(uris, reinterpret_cast<GDestroyNotify>(g_uri_unref));
  return {};
}

void HttpServer::on_started(SoupServer*, SoupServerMessage* message, gpointer data) {
  // libsoup 3.2 keeps the socket of a client that leaves between two requests, so there is only one.
  set_header(message, "Connection", "close");
  static_cast<HttpServer*>(data)->connections_.add(message);
}

bool HttpServer::turn_away(SoupServerMessage* message, const char* path, GHashTable* query) {
  const auto refuse = [message](int status, const std::string& text) {
    reply_error(message, {status, text});
    return true;
  };
  const HttpError invalid = check_head(headers_of(message));
  if (!invalid.ok()) return refuse(invalid.status, invalid.message);
  const RequestFacts facts = facts_of(message);
  const std::string foreign = guard_.foreign(facts);
  if (!foreign.empty()) return refuse(kForbidden, foreign);
  bool path_known = false;
  const char* const method = soup_server_message_get_method(message);
  const Route* route = find_route(path, method, path_known);
  const auto* token = query != nullptr ? static_cast<const char*>(g_hash_table_lookup(query, kTokenField)) : nullptr;
  if (std::string_view(path) == "/" && token != nullptr && guard_.is_token(token)) {
    set_header(message, "Set-Cookie", guard_.cookie().c_str());
    set_header(message, "Location", "/");  // without the token, which would stay in the history
    soup_server_message_set_status(message, kSeeOther, nullptr);
    return true;
  }
  const bool anyone = route != nullptr && route->access == Access::kAnyone;
  if (!anyone && !guard_.authorized(facts)) {
    set_header(message, "WWW-Authenticate", "Bearer");
    return refuse(kUnauthorized,
                  "a token is needed: open the address that `sightglass serve` has printed, or send "
                  "\"Authorization: Bearer TOKEN\"");
  }
  if (!path_known) return refuse(kNotFound, std::string(path) + ": no such page");
  if (route == nullptr) {
    const std::string methods = allowed_methods(path);
    set_header(message, "Allow", methods.c_str());
    return refuse(kNotAllowed, std::string(method) + ": use " + methods);
  }
  return false;
}

void HttpServer::on_headers(SoupServer*, SoupServerMessage* message, const char* path, GHashTable* query,
                            gpointer data) {
  // No answer has parts worth asking for, and libsoup before 3.6.5 sends as many copies as ranges overlap.
  soup_message_headers_remove(soup_server_message_get_request_headers(message), "Range");
  add_security_headers(message);
  auto* const self = static_cast<HttpServer*>(data);
  if (self->turn_away(message, path, query) && announces_body(headers_of(message))) {
    Connections::answer_and_close(message);
  }
}

void HttpServer::on_request(SoupServer*, SoupServerMessage* message, const char* path, GHashTable*, gpointer data) {
  if (soup_server_message_get_status(message) != 0) return;
  bool path_known = false;
  const Route* route = find_route(path, soup_server_message_get_method(message), path_known);
  if (route == nullptr) return;
  Connections::begin_answer(message, is_stream(route->action));
  static_cast<HttpServer*>(data)->act_(message, *route);
}

}  // namespace sightglass::serve
