// A branch of the pipeline whose output goes to HTTP clients. Frames enter it only while a client watches.
#pragma once

#include <gst/app/gstappsink.h>
#include <gst/gst.h>

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "video/gst_objects.h"

namespace sightglass::serve {

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

}  // namespace sightglass::serve
