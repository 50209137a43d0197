#include "segment/background_video.h"

#include <gst/base/gstaggregator.h>
#include <gst/gl/gl.h>
#include <gst/video/video.h>

#include <utility>

#include "gl/gl_bridge.h"
#include "gobject/guarded.h"
#include "gobject/log.h"
#include "meta/meta_types.h"

#define GST_CAT_DEFAULT sightglass::segment_log()

namespace {

// The current background frame, and the running time at which it ends, if known.
struct Shown {
  GstBuffer* frame;  // owned; null before the first one
  GstVideoInfo info;
  GstClockTime end;
};

struct GstGLBackgroundMatcher {
  GstAggregator parent;
  GstAggregatorPad* front;  // borrowed; as old as the element
  // For the next frames; used only by the source pad thread.
  GstCaps* front_caps;  // owned
  GQueue tags;          // owned events to send
  bool segment_sent;    // the foreground segment
  GstVideoInfo back_info;
  // Guarded by the object lock.
  GstAggregatorPad* back;  // borrowed
  Shown shown;             // from that pad
};
struct GstGLBackgroundMatcherClass {
  GstAggregatorClass parent_class;
};

GstGLBackgroundMatcher* self_of(gpointer object) { return static_cast<GstGLBackgroundMatcher*>(object); }

}  // namespace

G_DEFINE_TYPE(GstGLBackgroundMatcher, gst_gl_background_matcher, GST_TYPE_AGGREGATOR)

namespace {

GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
GstStaticPadTemplate background_template =
    GST_STATIC_PAD_TEMPLATE("background", GST_PAD_SINK, GST_PAD_REQUEST,
                            GST_STATIC_CAPS("video/x-raw(memory:GLMemory),format=RGBA,texture-target=2D"));

GstAggregatorPad* make_pad(GstPadTemplate* pad_template) {
  return static_cast<GstAggregatorPad*>(g_object_new(GST_TYPE_AGGREGATOR_PAD, "name",
                                                     GST_PAD_TEMPLATE_NAME_TEMPLATE(pad_template), "direction",
                                                     GST_PAD_SINK, "template", pad_template, nullptr));
}

constexpr Shown kNothing{nullptr, {}, GST_CLOCK_TIME_NONE};

void show(GstGLBackgroundMatcher* self, GstAggregatorPad* of, Shown shown) {
  GST_OBJECT_LOCK(self);
  // The pad may have been released since the frame was taken from it.
  if (self->back == of) std::swap(self->shown, shown);
  GST_OBJECT_UNLOCK(self);
  gst_clear_buffer(&shown.frame);
}

GstAggregatorPad* create_new_pad(GstAggregator* aggregator, GstPadTemplate* pad_template, const gchar* /*name*/,
                                 const GstCaps* /*caps*/) {
  GstGLBackgroundMatcher* self = self_of(aggregator);
  GST_OBJECT_LOCK(self);
  GstAggregatorPad* pad = self->back == nullptr ? self->back = make_pad(pad_template) : nullptr;
  GST_OBJECT_UNLOCK(self);
  return pad;
}

void release_pad(GstElement* element, GstPad* pad) {
  GstGLBackgroundMatcher* self = self_of(element);
  GST_OBJECT_LOCK(self);
  self->back = nullptr;
  Shown last = std::exchange(self->shown, kNothing);
  GST_OBJECT_UNLOCK(self);
  gst_clear_buffer(&last.frame);
  GST_ELEMENT_CLASS(gst_gl_background_matcher_parent_class)->release_pad(element, pad);
}

GstClockTime running_time(GstAggregatorPad* pad, GstClockTime pts) {
  GST_OBJECT_LOCK(pad);
  const GstSegment segment = pad->segment;
  GST_OBJECT_UNLOCK(pad);
  const bool timed = segment.format == GST_FORMAT_TIME && GST_CLOCK_TIME_IS_VALID(pts);
  return timed ? gst_segment_to_running_time(&segment, GST_FORMAT_TIME, pts) : GST_CLOCK_TIME_NONE;
}

bool is_gap(GstBuffer* buffer) {
  return GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_GAP) && gst_buffer_n_memory(buffer) == 0;
}

// Takes the next frame or gap from that pad. It is shown until it ends, if its end is known.
void take(GstGLBackgroundMatcher* self, GstAggregatorPad* back, GstClockTime start) {
  GstBuffer* next = gst_aggregator_pad_pop_buffer(back);
  if (next == nullptr) return;  // flushed
  const bool timed = GST_CLOCK_TIME_IS_VALID(start);
  const GstClockTime end =
      timed && GST_BUFFER_DURATION_IS_VALID(next) ? start + GST_BUFFER_DURATION(next) : GST_CLOCK_TIME_NONE;
  if (!is_gap(next)) return show(self, back, {next, self->back_info, end});
  gst_buffer_unref(next);
  GST_OBJECT_LOCK(self);
  if (self->back == back) self->shown.end = end;  // the frame stays
  GST_OBJECT_UNLOCK(self);
}

// Advances the background video to `time`. Returns false if the frame for that time may not have arrived yet.
bool advance(GstGLBackgroundMatcher* self, GstAggregatorPad* back, GstClockTime time, bool last_chance) {
  while (GstBuffer* next = gst_aggregator_pad_peek_buffer(back)) {
    const bool has_time = GST_BUFFER_PTS_IS_VALID(next);
    const GstClockTime start = running_time(back, GST_BUFFER_PTS(next));
    gst_buffer_unref(next);
    if (has_time && !GST_CLOCK_TIME_IS_VALID(start)) {
      GST_LOG_OBJECT(back, "a background frame is outside of its segment and dropped");
      gst_aggregator_pad_drop_buffer(back);
      continue;
    }
    const bool timed = GST_CLOCK_TIME_IS_VALID(time) && GST_CLOCK_TIME_IS_VALID(start);
    if (timed && start > time) return true;
    take(self, back, start);
    if (!timed) return true;  // frames without timestamps are paired one to one
  }
  GST_OBJECT_LOCK(self);
  const bool lasts = GST_CLOCK_TIME_IS_VALID(self->shown.end) && self->shown.end > time;
  GST_OBJECT_UNLOCK(self);
  return last_chance || lasts || gst_aggregator_pad_is_eos(back) != FALSE;
}

// A reference, or null.
GstAggregatorPad* back_of(GstGLBackgroundMatcher* self) {
  GST_OBJECT_LOCK(self);
  auto* back = self->back != nullptr ? GST_AGGREGATOR_PAD(gst_object_ref(self->back)) : nullptr;
  GST_OBJECT_UNLOCK(self);
  return back;
}

// Whether the frame with that time need not wait any longer.
bool is_matched(GstGLBackgroundMatcher* self, GstClockTime time, bool last_chance) {
  GstAggregatorPad* back = back_of(self);
  if (back == nullptr) return true;
  const bool matched = advance(self, back, time, last_chance);
  gst_object_unref(back);
  return matched;
}

GstBuffer* with_background(GstGLBackgroundMatcher* self, GstBuffer* frame) {
  GST_OBJECT_LOCK(self);
  GstBuffer* behind = self->shown.frame != nullptr ? gst_buffer_ref(self->shown.frame) : nullptr;
  const GstVideoInfo info = self->shown.info;
  GST_OBJECT_UNLOCK(self);
  GST_LOG_OBJECT(self, "%" GST_PTR_FORMAT " is shown in front of %" GST_PTR_FORMAT, frame, behind);
  if (behind == nullptr) return frame;
  frame = gst_buffer_make_writable(frame);
  sightglass::add_background_meta(frame, behind, info);
  gst_buffer_unref(behind);
  return frame;
}

void push_tags(GstAggregator* aggregator) {
  while (gpointer event = g_queue_pop_head(&self_of(aggregator)->tags)) {
    gst_pad_push_event(aggregator->srcpad, static_cast<GstEvent*>(event));
  }
}

// Forwards a gap in the foreground, which arrives as a buffer without memory, as a gap event.
GstFlowReturn push_gap(GstAggregator* aggregator, GstBuffer* gap) {
  GstGLBackgroundMatcher* self = self_of(aggregator);
  // GstAggregator sends it only with the first frame, and then again.
  if (!self->segment_sent) gst_pad_push_event(aggregator->srcpad, gst_event_new_segment(&self->front->segment));
  self->segment_sent = true;
  gst_pad_push_event(aggregator->srcpad, gst_event_new_gap(GST_BUFFER_PTS(gap), GST_BUFFER_DURATION(gap)));
  gst_buffer_unref(gap);
  return GST_FLOW_OK;
}

GstFlowReturn aggregate(GstAggregator* aggregator, gboolean timeout) {
  GstGLBackgroundMatcher* self = self_of(aggregator);
  GstBuffer* frame = gst_aggregator_pad_peek_buffer(self->front);
  if (frame == nullptr) {
    return gst_aggregator_pad_is_eos(self->front) ? GST_FLOW_EOS : GST_AGGREGATOR_FLOW_NEED_DATA;
  }
  const GstClockTime time = running_time(self->front, GST_BUFFER_PTS(frame));
  gst_buffer_unref(frame);
  if (!is_matched(self, time, timeout != FALSE)) return GST_AGGREGATOR_FLOW_NEED_DATA;
  frame = gst_aggregator_pad_pop_buffer(self->front);
  if (frame == nullptr) return GST_AGGREGATOR_FLOW_NEED_DATA;  // flushed
  if (is_gap(frame)) return push_gap(aggregator, frame);
  push_tags(aggregator);
  self->segment_sent = true;
  return gst_aggregator_finish_buffer(aggregator, with_background(self, frame));
}

// How long a frame of a live foreground waits for the background video. Without one, no timeout is needed.
GstClockTime get_next_time(GstAggregator* aggregator) {
  GstAggregatorPad* front = self_of(aggregator)->front;
  GstBuffer* frame = gst_aggregator_pad_peek_buffer(front);
  if (frame == nullptr) return GST_CLOCK_TIME_NONE;
  const GstClockTime time = running_time(front, GST_BUFFER_PTS(frame));
  gst_buffer_unref(frame);
  return time;
}

gboolean sink_event(GstAggregator* aggregator, GstAggregatorPad* pad, GstEvent* event) {
  GstGLBackgroundMatcher* self = self_of(aggregator);
  const bool front = pad == self->front;
  GST_DEBUG_OBJECT(pad, "%" GST_PTR_FORMAT, event);
  switch (GST_EVENT_TYPE(event)) {
    case GST_EVENT_CAPS: {
      GstCaps* caps = nullptr;
      gst_event_parse_caps(event, &caps);
      if (front) {
        gst_caps_replace(&self->front_caps, caps);
        gst_pad_mark_reconfigure(aggregator->srcpad);
      } else {
        gst_video_info_from_caps(&self->back_info, caps);
      }
      gst_event_unref(event);
      return TRUE;
    }
    case GST_EVENT_SEGMENT:
      if (front) {
        const GstSegment* segment = nullptr;
        gst_event_parse_segment(event, &segment);
        gst_aggregator_update_segment(aggregator, segment);
        self->segment_sent = false;
      } else {
        // From now on, frames also wait for this video.
        gst_element_post_message(GST_ELEMENT(self), gst_message_new_latency(GST_OBJECT(self)));
      }
      break;
    case GST_EVENT_TAG:
      // They are sent with the next frame, after the caps.
      if (front) g_queue_push_tail(&self->tags, gst_event_ref(event));
      break;
    case GST_EVENT_FLUSH_STOP:
      if (!front) show(self, pad, kNothing);
      break;
    case GST_EVENT_FLUSH_START:
    case GST_EVENT_STREAM_START:
    case GST_EVENT_GAP:
    case GST_EVENT_EOS:
      break;
    default:
      if (front) break;
      gst_event_unref(event);
      return TRUE;
  }
  return GST_AGGREGATOR_CLASS(gst_gl_background_matcher_parent_class)->sink_event(aggregator, pad, event);
}

bool is_seekable(GstAggregatorPad* pad) {
  GstQuery* query = gst_query_new_seeking(GST_FORMAT_TIME);
  gboolean seekable = FALSE;
  if (gst_pad_peer_query(GST_PAD(pad), query)) gst_query_parse_seeking(query, nullptr, &seekable, nullptr, nullptr);
  gst_query_unref(query);
  return seekable != FALSE;
}

// GstAggregator waits for a flush on every pad: if one of them ignored a seek, the element would hang.
bool follows_seeks(GstGLBackgroundMatcher* self) {
  GstAggregatorPad* back = back_of(self);
  const bool follows = back == nullptr || is_seekable(back);
  if (back != nullptr) gst_object_unref(back);
  return follows;
}

gboolean answer_seeking(GstGLBackgroundMatcher* self, GstQuery* query) {
  if (!gst_pad_peer_query(GST_PAD(self->front), query)) return FALSE;
  GstFormat format = GST_FORMAT_UNDEFINED;
  gst_query_parse_seeking(query, &format, nullptr, nullptr, nullptr);
  if (!follows_seeks(self)) gst_query_set_seeking(query, format, FALSE, 0, -1);
  return TRUE;
}

// Queries and events of the source pad concern the foreground.
gboolean sink_query(GstAggregator* aggregator, GstAggregatorPad* pad, GstQuery* query) {
  if (GST_QUERY_TYPE(query) == GST_QUERY_ALLOCATION) {
    return sightglass::propose_gl_allocation(nullptr, query, false) ? TRUE : FALSE;
  }
  if (pad == self_of(aggregator)->front) return gst_pad_peer_query(aggregator->srcpad, query);
  return GST_AGGREGATOR_CLASS(gst_gl_background_matcher_parent_class)->sink_query(aggregator, pad, query);
}

gboolean src_query(GstAggregator* aggregator, GstQuery* query) {
  switch (GST_QUERY_TYPE(query)) {
    case GST_QUERY_LATENCY:
    case GST_QUERY_CONTEXT:
      return GST_AGGREGATOR_CLASS(gst_gl_background_matcher_parent_class)->src_query(aggregator, query);
    case GST_QUERY_SEEKING:
      return answer_seeking(self_of(aggregator), query);
    default:
      return gst_pad_peer_query(GST_PAD(self_of(aggregator)->front), query);
  }
}

gboolean src_event(GstAggregator* aggregator, GstEvent* event) {
  switch (GST_EVENT_TYPE(event)) {
    case GST_EVENT_QOS:
    case GST_EVENT_NAVIGATION:
    case GST_EVENT_RECONFIGURE:
      return gst_pad_push_event(GST_PAD(self_of(aggregator)->front), event);
    case GST_EVENT_SEEK:
      if (!follows_seeks(self_of(aggregator))) {
        GST_WARNING_OBJECT(aggregator, "the seek is refused: the video at the pad \"background\" cannot be sought in");
        gst_event_unref(event);
        return FALSE;
      }
      [[fallthrough]];
    default:
      return GST_AGGREGATOR_CLASS(gst_gl_background_matcher_parent_class)->src_event(aggregator, event);
  }
}

gboolean negotiate(GstAggregator* aggregator) {
  GstCaps* caps = self_of(aggregator)->front_caps;
  GST_INFO_OBJECT(aggregator, "caps: %" GST_PTR_FORMAT, caps);
  if (caps != nullptr) gst_aggregator_set_src_caps(aggregator, caps);
  return TRUE;
}

gboolean stop(GstAggregator* aggregator) {
  GstGLBackgroundMatcher* self = self_of(aggregator);
  gst_caps_replace(&self->front_caps, nullptr);
  g_queue_clear_full(&self->tags, [](gpointer event) { gst_event_unref(static_cast<GstEvent*>(event)); });
  show(self, self->back, kNothing);
  return TRUE;
}

}  // namespace

static void gst_gl_background_matcher_init(GstGLBackgroundMatcher* self) {
  GstPadTemplate* pad_template = gst_element_class_get_pad_template(GST_ELEMENT_GET_CLASS(self), "sink");
  self->front = make_pad(pad_template);
  gst_element_add_pad(GST_ELEMENT(self), GST_PAD(self->front));
  gst_video_info_init(&self->back_info);
  g_queue_init(&self->tags);
  self->shown = kNothing;
}

static void gst_gl_background_matcher_class_init(GstGLBackgroundMatcherClass* klass) {
  sightglass::background_meta_info();
  GstElementClass* element_class = GST_ELEMENT_CLASS(klass);
  element_class->release_pad = sightglass::guarded<release_pad>;
  gst_element_class_add_static_pad_template_with_gtype(element_class, &sink_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_add_static_pad_template_with_gtype(element_class, &src_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_add_static_pad_template_with_gtype(element_class, &background_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_set_static_metadata(element_class, "Background matcher", "Video",
                                        "Attaches to each frame the frame of another video that is shown at its time",
                                        SIGHTGLASS_AUTHOR);
  GstAggregatorClass* aggregator_class = GST_AGGREGATOR_CLASS(klass);
  aggregator_class->create_new_pad = sightglass::guarded<create_new_pad>;
  aggregator_class->sink_event = sightglass::guarded<sink_event>;
  aggregator_class->sink_query = sightglass::guarded<sink_query>;
  aggregator_class->src_query = sightglass::guarded<src_query>;
  aggregator_class->src_event = sightglass::guarded<src_event>;
  aggregator_class->negotiate = sightglass::guarded<negotiate>;
  aggregator_class->get_next_time = sightglass::guarded<get_next_time>;
  aggregator_class->aggregate = sightglass::guarded<aggregate>;
  aggregator_class->stop = sightglass::guarded<stop>;
}

namespace sightglass {

void BackgroundVideo::insert() {
  const std::lock_guard lock(mutex_);
  if (matcher_ != nullptr) return;
  upload_ = gst_element_factory_make("glupload", "background-upload");
  convert_ = gst_element_factory_make("glcolorconvert", "background-convert");
  matcher_ = GST_ELEMENT(g_object_new(gst_gl_background_matcher_get_type(), "name", "background-matcher", nullptr));
  gst_bin_add_many(bin_, upload_, convert_, matcher_, nullptr);
  gst_element_unlink(before_, segment_);
  gst_element_link(upload_, convert_);
  gst_element_link_pads(before_, "src", matcher_, "sink");
  gst_element_link_pads(matcher_, "src", segment_, "sink");
}

void BackgroundVideo::remove() {
  const std::lock_guard lock(mutex_);
  if (matcher_ == nullptr || back_ != nullptr) return;
  for (GstElement* element : {upload_, convert_, matcher_}) {
    gst_element_set_state(element, GST_STATE_NULL);
    gst_bin_remove(bin_, element);
  }
  upload_ = convert_ = matcher_ = nullptr;
  gst_element_link(before_, segment_);
}

GstPad* BackgroundVideo::enter() {
  const std::lock_guard lock(mutex_);
  if (matcher_ == nullptr || back_ != nullptr) return nullptr;
  back_ = gst_element_request_pad_simple(matcher_, "background");
  gst_element_link_pads(convert_, "src", matcher_, "background");
  GstPad* entrance = gst_element_get_static_pad(upload_, "sink");
  gst_object_unref(entrance);  // the element keeps it alive
  return entrance;
}

void BackgroundVideo::leave(GstPad* entrance) {
  GstPad* back = nullptr;
  GstElement* matcher = nullptr;
  {
    const std::lock_guard lock(mutex_);
    back = back_;
    matcher = matcher_;
  }
  if (back == nullptr) return;
  // Without the lock: these calls wait for a push in progress.
  gst_pad_set_active(back, FALSE);
  gst_pad_set_active(entrance, FALSE);
  gst_element_release_request_pad(matcher, back);
  gst_object_unref(back);
  gst_element_post_message(GST_ELEMENT(bin_), gst_message_new_latency(GST_OBJECT(bin_)));
  const std::lock_guard lock(mutex_);
  back_ = nullptr;
}

}  // namespace sightglass
