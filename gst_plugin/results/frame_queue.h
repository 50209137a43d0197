// The output queue of an element that runs a model: pushes each frame with the results that it carries. Buffers, events
// and messages; no GL.
#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "results/delivery.h"
#include "results/readback.h"

namespace sightglass {

// Call on the streaming thread, except clear() and restart(): an element may start on another thread while data already
// flows.
class FrameQueue {
 public:
  // Maximum number of held frames: as many as can have pending results.
  static constexpr size_t kMostHeld = BufferReadback::kSlots;

  // `element` posts messages, and its pad `source` pushes events; both must outlive this.
  FrameQueue(GstElement* element, GstPad* source) : element_(element), source_(source) {}
  ~FrameQueue() { clear(); }
  FrameQueue(const FrameQueue&) = delete;
  FrameQueue& operator=(const FrameQueue&) = delete;

  // Sets the policy for frames from now on.
  void set_policy(ResultsPolicy policy);
  // From the caps; 0 if unknown, then buffer durations determine it.
  void set_frame_duration(GstClockTime duration);
  // Results that have arrived, oldest first.
  void arrive(std::vector<SharedResults> results);
  // Describe the frame that add() takes next, and whether it follows a discontinuity.
  void expect(const FrameTicket& ticket);
  void expect_discont(bool discont);
  // Appends a frame to those held, taking the caller's reference.
  void add(GstBuffer* frame);
  // Returns the next frame that may be pushed, with its results; null if there is none. Pushes the events ahead of it.
  GstBuffer* next() { return next(Patience::kAny); }
  // Queues a serialized event after the held frames, taking ownership; returns false if no frame is held.
  bool hold(GstEvent* event);
  // Pushes all frames that need not wait.
  void push_ready() { push_all(Patience::kAny); }
  // No more results arrive for now: pushes held frames with the results they have, and an event with results that no
  // frame will carry (results_meta.h).
  void drain();
  // Call after a flush.
  void clear();
  // Call when the element starts.
  void restart();

  // Whether results must arrive before another frame can be queued: the GPU is kMostHeld frames behind.
  bool is_full() const;
  bool is_empty() const;
  // How long frames are held, as far as known.
  GstClockTime held_time() const;

 private:
  // An owned frame or event; empty if neither is set.
  struct Held {
    GstBuffer* frame = nullptr;
    GstEvent* event = nullptr;
    FrameTicket ticket;  // of a frame
    uint64_t place = 0;  // number of frames added earlier
  };
  enum class Patience : uint8_t { kAny, kNone };  // kNone: no more results arrive
  GstBuffer* next(Patience patience);
  void push_all(Patience patience);
  // With mutex_ held.
  bool waits(const Held& held) const;
  Held take_front(Patience patience);
  GstBuffer* attach_arrived(GstBuffer* frame, const FrameTicket& ticket);
  GstBuffer* take_left_over();
  void forget();

  GstElement* const element_;
  GstPad* const source_;
  mutable std::mutex mutex_;  // guards the members below; never held while pushing
  ResultsPolicy policy_;
  FrameTicket expected_;
  bool discont_ = false;
  std::deque<Held> held_;
  size_t frames_held_ = 0;
  std::deque<SharedResults> arrived_;  // results waiting for a frame to carry them
  uint64_t frames_answered_ = 0;       // results of frames below this number have arrived or are lost
  uint64_t frames_added_ = 0;
  uint64_t frames_needed_ = 1;  // maximum number of frames for which a frame was held so far
  GstClockTime frame_duration_ = 0;
};

}  // namespace sightglass
