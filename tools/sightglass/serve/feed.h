// An endless HTTP reply for any number of clients, such as motion JPEG or server-sent events.
#pragma once

#include <libsoup/soup.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "serve/tap.h"

namespace sightglass::serve {

struct FeedFormat {
  const char* content_type;
  std::string greeting;               // sent first
  std::string (*part)(GBytes* data);  // what is sent for an output of the tap
  std::string heartbeat;              // sent after some silence; empty: the last part again
  size_t capacity;                    // parts that a slow client can be behind before it misses the oldest ones
};

// Not for several threads: lives on the main loop.
class Feed {
 public:
  explicit Feed(FeedFormat format);
  ~Feed();
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;

  // The tap is open while the feed has clients. Call it once, before the first client. `tap` outlives the clients.
  void watch(Tap& tap) { tap_ = &tap; }
  // Replies with the stream.
  void add(SoupServerMessage* message);
  void send(GBytes* data);
  int clients() const { return static_cast<int>(clients_.size()); }

 private:
  struct Client;
  void remove(Client* client);
  static void on_wrote_chunk(SoupServerMessage* message, gpointer client);
  static void on_finished(SoupServerMessage* message, gpointer client);
  static gboolean on_timer(gpointer feed);

  const FeedFormat format_;
  Tap* tap_ = nullptr;
  std::vector<std::unique_ptr<Client>> clients_;
  BytesPtr last_;
  guint timer_ = 0;
};

FeedFormat motion_jpeg();
FeedFormat server_sent_events();

}  // namespace sightglass::serve
