// The open connections of the HTTP server: how many there are, and how long they may take.
#pragma once

#include <libsoup/soup.h>

#include <memory>
#include <vector>

namespace sightglass::serve {

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

}  // namespace sightglass::serve
