// Branches of the pipeline whose output goes to HTTP clients, and the endless replies that carry it.
#pragma once

#include <gst/app/gstappsink.h>
#include <gst/gst.h>
#include <libsoup/soup.h>

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "video/gst_setup.h"

namespace sightglass::serve {

// A branch of the pipeline whose output goes to HTTP clients. Frames enter it only while a client watches.
struct UnrefBytes {
  void operator()(GBytes* bytes) const { g_bytes_unref(bytes); }
};
using BytesPtr = std::unique_ptr<GBytes, UnrefBytes>;

// In gst-launch syntax: from the tee `tee` through `elements` to the tap with this name. If the branch is slower than
// the pipeline, frames are dropped.
std::string tap_text(const std::string& tee, const std::string& name, const std::string& elements);
// The begin of a branch, with a gate.
std::string gate_text(const std::string& tee, const std::string& name);

// Drops the frames of a branch while closed, as it is at first. Events always pass: a branch that misses a flush or an
// end of stream stays at the end when a file starts again.
class Gate {
 public:
  // `pipeline` has gate_text().
  Gate(GstElement* pipeline, const std::string& name);
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  void set_open(bool open) { open_ = open; }

 private:
  video::PadPtr pad_;
  gulong probe_ = 0;
  std::atomic<bool> open_ = false;
};

class Tap {
 public:
  // `pipeline` has tap_text(). `deliver` gets each output, on the main loop. If the main loop is behind, the oldest
  // ones of more than `capacity` are dropped.
  Tap(GstElement* pipeline, const std::string& name, size_t capacity, std::function<void(GBytes*)> deliver);
  // The pipeline must have stopped.
  ~Tap();
  Tap(const Tap&) = delete;
  Tap& operator=(const Tap&) = delete;

  // Opens the branch until end_watch() was called as often.
  void begin_watch();
  void end_watch();

 private:
  static GstFlowReturn on_sample(GstAppSink* sink, gpointer tap);
  static gboolean on_idle(gpointer tap);

  Gate gate_;
  const video::ElementPtr sink_;
  const size_t capacity_;
  const std::function<void(GBytes*)> deliver_;
  int watchers_ = 0;
  std::mutex mutex_;
  std::deque<BytesPtr> waiting_;  // guarded by mutex_
  guint idle_ = 0;                // guarded by mutex_
};

// An endless HTTP reply for any number of clients, such as motion JPEG or server-sent events.
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
