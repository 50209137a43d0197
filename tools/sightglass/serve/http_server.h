// The HTTP server: which requests are answered at all, and their routes.
#pragma once

#include <libsoup/soup.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "serve/request_guard.h"
#include "serve/routes.h"
#include "sightglass/status.h"
#include "video/gst_setup.h"

namespace sightglass::serve {

// The open connections of the HTTP server: how many there are, and how long they may take.

constexpr size_t kMaxConnections = 64;

// Closes the connection of a message, at once.
void disconnect(SoupServerMessage* message);

// A connection serves one request. Lives on the main loop.
class Connections {
 public:
  Connections();
  ~Connections();
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;

  // A client has connected. If there are too many, the one that has taken longest to send its request is disconnected.
  void add(SoupServerMessage* message);
  // The request has arrived. The answer must be complete within a minute, unless it is a stream. A client that takes no
  // data is disconnected in any case.
  static void begin_answer(SoupServerMessage* message, bool stream);
  // Sends the answer of a message whose body has not been read, at once. The connection stays open until the client has
  // closed it, or for two seconds: the client might not get the answer if it was closed while the client still sends.
  static void answer_and_close(SoupServerMessage* message);

 private:
  enum class Phase { kRequest, kAnswer, kStream, kLeaving };
  struct Entry {
    Connections* connections;
    SoupServerMessage* message;
    Phase phase;
    gint64 since;  // monotonic time
  };
  static gint64 time_of(Phase phase);  // that a connection may spend in it, in microseconds
  void make_room();
  void tick();

  std::vector<std::unique_ptr<Entry>> entries_;  // the oldest one first
  const guint timer_;
};

void reply(SoupServerMessage* message, int status, std::string_view type, std::string_view body);
// {"error": "…"}
void reply_error(SoupServerMessage* message, const HttpError& error);

// Lives on the main loop.
class HttpServer {
 public:
  // `act` answers a request of a route, at once or, if it pauses the message, later. The request has a token, if one is
  // required, and at most kMaxBody bytes. Each connection serves one request.
  using Act = std::function<void(SoupServerMessage* message, const Route& route)>;
  HttpServer(RequestGuard guard, Act act);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Begins to listen. A port of 0 becomes the one in use.
  Status listen(ListenAddress& address);

 private:
  // Whether the request was refused or redirected.
  bool turn_away(SoupServerMessage* message, const char* path, GHashTable* query);
  static void on_started(SoupServer* server, SoupServerMessage* message, gpointer self);
  static void on_headers(SoupServer* server, SoupServerMessage* message, const char* path, GHashTable* query,
                         gpointer self);
  static void on_request(SoupServer* server, SoupServerMessage* message, const char* path, GHashTable* query,
                         gpointer self);

  const RequestGuard guard_;
  const Act act_;
  Connections connections_;
  const std::unique_ptr<SoupServer, video::UnrefGObject> server_;
};

}  // namespace sightglass::serve
