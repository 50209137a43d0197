// The way out of an element that runs a model: each frame leaves with the results that it is to carry. Buffers, events
// and messages; no GL.
#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "results/buffer_readback.h"
#include "results/delivery.h"

namespace sightglass {

// Calls are the streaming thread's, but for clear() and restart(): where data flows already, an element starts beside
// it.
class FrameQueue {
 public:
  // Frames that are held at most: as many as may have results on their way.
  static constexpr size_t kMostHeld = BufferReadback::kSlots;

  // Messages are posted by `element`, events leave by its pad `source`; both outlive this.
  FrameQueue(GstElement* element, GstPad* source) : element_(element), source_(source) {}
  ~FrameQueue() { clear(); }
  FrameQueue(const FrameQueue&) = delete;
  FrameQueue& operator=(const FrameQueue&) = delete;

  // As the frames from here on are to leave.
  void set_policy(ResultsPolicy policy);
  // From the caps; 0: unknown, which the buffers' durations then tell.
  void set_frame_duration(GstClockTime duration);
  // Results that have arrived, oldest first.
  void arrive(std::vector<SharedResults> results);
  // What the frame that add() takes next is, and whether something is missing before it.
  void expect(const FrameTicket& ticket);
  void expect_discont(bool discont);
  // A frame behind those that are held, and the caller's reference to it.
  void add(GstBuffer* frame);
  // The next frame that may leave, with what it is to carry; null when there is none. Events in front of it leave.
  GstBuffer* next() { return next(Patience::kAny); }
  // Has a serialised event keep its place behind frames that are held, and takes it; false where none is held.
  bool hold(GstEvent* event);
  // Pushes all frames that may leave.
  void push_ready() { push_all(Patience::kAny); }
  // Nothing more arrives for now: frames that are held leave with what they have, and results that no frame will carry
  // leave as an event (results_meta.h).
  void drain();
  // After a flush.
  void clear();
  // The element starts.
  void restart();

  // No frame more can be taken before results arrive: the GPU is kMostHeld frames behind.
  bool is_full() const;
  bool is_empty() const;
  // How long frames are held, as far as is known.
  GstClockTime held_time() const;

 private:
  // A frame or an event, owned; neither: there is none.
  struct Held {
    GstBuffer* frame = nullptr;
    GstEvent* event = nullptr;
    FrameTicket ticket;  // of a frame
    uint64_t place = 0;  // the number of frames that were added before
  };
  enum class Patience : uint8_t { kAny, kNone };  // kNone: nothing more arrives
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
  mutable std::mutex mutex_;  // guards what follows; never held while something leaves
  ResultsPolicy policy_;
  FrameTicket expected_;
  bool discont_ = false;
  std::deque<Held> held_;
  size_t frames_held_ = 0;
  std::deque<SharedResults> arrived_;  // and wait for a frame to carry them
  uint64_t frames_answered_ = 0;       // results of frames before this number have arrived, or were lost
  uint64_t frames_added_ = 0;
  uint64_t frames_needed_ = 1;  // that a frame was held for so far, the most of them
  GstClockTime frame_duration_ = 0;
};

}  // namespace sightglass
