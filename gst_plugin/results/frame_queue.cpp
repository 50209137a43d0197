#include "results/frame_queue.h"

#include <algorithm>
#include <utility>

#include "gobject/log.h"
#include "meta/meta_types.h"

#define GST_CAT_DEFAULT sightglass::results_log()

namespace sightglass {

void FrameQueue::set_policy(ResultsPolicy policy) {
  const std::lock_guard lock(mutex_);
  policy_ = policy;
}

void FrameQueue::set_frame_duration(GstClockTime duration) {
  const std::lock_guard lock(mutex_);
  frame_duration_ = duration;
}

void FrameQueue::expect(const FrameTicket& ticket) {
  const std::lock_guard lock(mutex_);
  expected_ = ticket;
}

void FrameQueue::expect_discont(bool discont) {
  const std::lock_guard lock(mutex_);
  discont_ = discont;
}

bool FrameQueue::is_full() const {
  const std::lock_guard lock(mutex_);
  return frames_held_ >= kMostHeld;
}

bool FrameQueue::is_empty() const {
  const std::lock_guard lock(mutex_);
  return held_.empty();
}

GstClockTime FrameQueue::held_time() const {
  const std::lock_guard lock(mutex_);
  return policy_.holds_frames() ? frames_needed_ * frame_duration_ : 0;
}

void FrameQueue::arrive(std::vector<SharedResults> results) {
  std::unique_lock lock(mutex_);
  const ResultsMode mode = policy_.mode;
  for (const SharedResults& one : results) {
    frames_answered_ = std::max(frames_answered_, one->frame.number + 1);
    if (wants_meta(mode)) arrived_.push_back(one);
  }
  lock.unlock();
  if (!wants_messages(mode)) return;
  for (const SharedResults& one : results) post_results(element_, *one);
}

void FrameQueue::add(GstBuffer* frame) {
  const std::lock_guard lock(mutex_);
  // The base class would flag the next pushed frame instead.
  if (discont_ && frames_held_ > 0) GST_BUFFER_FLAG_SET(frame, GST_BUFFER_FLAG_DISCONT);
  if (frame_duration_ == 0 && GST_BUFFER_DURATION_IS_VALID(frame)) frame_duration_ = GST_BUFFER_DURATION(frame);
  held_.push_back({frame, nullptr, expected_, frames_added_++});
  ++frames_held_;
  GST_TRACE_OBJECT(element_, "holding %" G_GSIZE_FORMAT " frames", frames_held_);
}

bool FrameQueue::hold(GstEvent* event) {
  const std::lock_guard lock(mutex_);
  if (held_.empty()) return false;
  GST_DEBUG_OBJECT(element_, "queuing after held frames: %" GST_PTR_FORMAT, event);
  held_.push_back({nullptr, event, {}, frames_added_});
  return true;
}

bool FrameQueue::waits(const Held& held) const {
  return policy_.holds_frames() && held.ticket.awaits_results && held.ticket.number >= frames_answered_ &&
         frames_held_ <= kMostHeld;
}

FrameQueue::Held FrameQueue::take_front(Patience patience) {
  if (held_.empty()) return {};
  Held front = held_.front();
  if (front.frame != nullptr && patience == Patience::kAny && waits(front)) return {};
  held_.pop_front();
  if (front.frame == nullptr) return front;
  --frames_held_;
  if (patience == Patience::kAny && policy_.holds_frames() && front.ticket.awaits_results) {
    frames_needed_ = std::max(frames_needed_, frames_added_ - 1 - front.place);
  }
  front.frame = attach_arrived(front.frame, front.ticket);
  return front;
}

// Only the newest results that the frame carries are also attached as standard metadata. With exact results, these are
// the frame's own or none.
GstBuffer* FrameQueue::attach_arrived(GstBuffer* frame, const FrameTicket& ticket) {
  if (!wants_meta(policy_.mode)) arrived_.clear();
  const bool exact = policy_.holds_frames();
  bool attached = true;
  while (!arrived_.empty() && (!exact || arrived_.front()->frame.number <= ticket.number)) {
    const SharedResults results = std::move(arrived_.front());
    arrived_.pop_front();
    frame = gst_buffer_make_writable(frame);
    const bool seen = exact ? results->frame.number == ticket.number : arrived_.empty();
    GST_LOG_OBJECT(element_, "attaching results of frame %" G_GUINT64_FORMAT " to frame %" G_GUINT64_FORMAT,
                   results->frame.number, ticket.number);
    attached = (seen ? attach_results(frame, results, ticket.width, ticket.height)
                     : add_results_meta(frame, results) != nullptr) &&
               attached;
  }
  if (!attached) GST_WARNING_OBJECT(element_, "cannot attach results to a buffer: out of memory");
  return frame;
}

GstBuffer* FrameQueue::next(Patience patience) {
  while (true) {
    std::unique_lock lock(mutex_);
    const Held front = take_front(patience);
    lock.unlock();
    if (front.event == nullptr) return front.frame;
    gst_pad_push_event(source_, front.event);
  }
}

void FrameQueue::push_all(Patience patience) {
  while (GstBuffer* frame = next(patience)) {
    const GstFlowReturn flow = gst_pad_push(source_, frame);
    // Downstream returns an error again for the next frame or event.
    if (flow != GST_FLOW_OK) GST_DEBUG_OBJECT(element_, "pushing a held frame: %s", gst_flow_get_name(flow));
  }
}

GstBuffer* FrameQueue::take_left_over() {
  GstBuffer* carrier = nullptr;
  if (wants_meta(policy_.mode) && !arrived_.empty()) {
    const FrameStamp stamp = arrived_.back()->frame;
    carrier = gst_buffer_new();
    GST_BUFFER_FLAG_SET(carrier, GST_BUFFER_FLAG_GAP);
    GST_BUFFER_PTS(carrier) = stamp.timestamp;
    carrier = attach_arrived(carrier, {stamp.number, stamp.width, stamp.height, false});
  }
  arrived_.clear();
  return carrier;
}

void FrameQueue::drain() {
  push_all(Patience::kNone);
  std::unique_lock lock(mutex_);
  GstBuffer* carrier = take_left_over();
  lock.unlock();
  if (carrier == nullptr) return;
  gst_pad_push_event(source_, gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM,
                                                   gst_structure_new(SIGHTGLASS_RESULTS_EVENT_NAME, "buffer",
                                                                     GST_TYPE_BUFFER, carrier, nullptr)));
  gst_buffer_unref(carrier);
}

void FrameQueue::forget() {
  for (const Held& held : held_) {
    if (held.frame != nullptr) gst_buffer_unref(held.frame);
    if (held.event != nullptr) gst_event_unref(held.event);
  }
  held_.clear();
  frames_held_ = 0;
  arrived_.clear();
}

void FrameQueue::clear() {
  const std::lock_guard lock(mutex_);
  forget();
}

void FrameQueue::restart() {
  const std::lock_guard lock(mutex_);
  forget();
  policy_ = {};
  frames_answered_ = 0;
  frames_needed_ = 1;
  frame_duration_ = 0;
}

}  // namespace sightglass
