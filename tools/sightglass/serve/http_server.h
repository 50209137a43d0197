// The HTTP server: which requests are answered at all, and their routes.
#pragma once

#include <libsoup/soup.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "serve/connections.h"
#include "serve/http_error.h"
#include "serve/listen_address.h"
#include "serve/request_guard.h"
#include "serve/routes.h"
#include "sightglass/status.h"
#include "video/gst_objects.h"

namespace sightglass::serve {

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
