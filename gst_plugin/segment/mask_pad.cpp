#include "segment/mask_pad.h"

#include <gst/gl/gl.h>
#include <gst/video/video.h>

#include "gobject/guarded.h"
#include "gobject/log.h"
#include "sightglass/gst/mask_meta.h"

#define GST_CAT_DEFAULT sightglass::segment_log()

namespace sightglass {

namespace {

// GL contexts, latency and times are those of the element; only caps differ.
gboolean answer(GstPad* pad, GstObject* parent, GstQuery* query) {
  switch (GST_QUERY_TYPE(query)) {
    case GST_QUERY_CONTEXT:
    case GST_QUERY_LATENCY:
    case GST_QUERY_POSITION:
    case GST_QUERY_DURATION:
      return GST_BASE_TRANSFORM_GET_CLASS(parent)->query(GST_BASE_TRANSFORM(parent), GST_PAD_SRC, query);
    default:
      return gst_pad_query_default(pad, parent, query);
  }
}

bool has_sticky(GstPad* pad, GstEvent* event) {
  bool found = false;
  for (guint i = 0; !found; ++i) {
    GstEvent* held = gst_pad_get_sticky_event(pad, GST_EVENT_TYPE(event), i);
    if (held == nullptr) break;
    found = held == event;
    gst_event_unref(held);
  }
  return found;
}

bool has_sticky(GstPad* pad, GstEventType type) {
  GstEvent* held = gst_pad_get_sticky_event(pad, type, 0);
  if (held == nullptr) return false;
  gst_event_unref(held);
  return true;
}

GstCaps* mask_caps(const MaskSize& size, GstCaps* picture) {
  GstCaps* caps =
      gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, "GRAY8", "width", G_TYPE_INT, size.width, "height",
                          G_TYPE_INT, size.height, "texture-target", G_TYPE_STRING, "2D", nullptr);
  gst_caps_set_features(caps, 0, gst_caps_features_new(GST_CAPS_FEATURE_MEMORY_GL_MEMORY, nullptr));
  GstVideoInfo info;
  if (gst_video_info_from_caps(&info, picture)) {
    gst_caps_set_simple(caps, "framerate", GST_TYPE_FRACTION, info.fps_n, info.fps_d, nullptr);
  }
  return caps;
}

void send_caps(GstPad* pad, const MaskSize& size, GstCaps* picture) {
  GstCaps* caps = mask_caps(size, picture);
  GstCaps* before = gst_pad_get_current_caps(pad);
  const bool relinked = gst_pad_check_reconfigure(pad) != FALSE;
  if (relinked || before == nullptr || !gst_caps_is_equal(caps, before)) {
    GST_INFO_OBJECT(pad, "caps: %" GST_PTR_FORMAT, caps);
    gst_pad_push_event(pad, gst_event_new_caps(caps));
    // The answer is ignored. The query makes gldownload look for its GL context.
    GstQuery* query = gst_query_new_allocation(caps, FALSE);
    gst_pad_peer_query(pad, query);
    gst_query_unref(query);
  }
  gst_clear_caps(&before);
  gst_caps_unref(caps);
}

// Looks through ghost pads: they are linked inside even if nothing is linked outside.
bool leads_somewhere(GstPad* pad) {
  GstPad* peer = gst_pad_get_peer(pad);
  if (peer == nullptr) return false;
  bool leads = true;
  if (GST_IS_PROXY_PAD(peer)) {
    GstProxyPad* outer = gst_proxy_pad_get_internal(GST_PROXY_PAD(peer));
    leads = outer != nullptr && leads_somewhere(GST_PAD(outer));
    if (outer != nullptr) gst_object_unref(outer);
  }
  gst_object_unref(peer);
  return leads;
}

}  // namespace

GstPadTemplate* MaskPad::make_template() {
  GstCaps* caps = gst_caps_from_string(
      GST_VIDEO_CAPS_MAKE_WITH_FEATURES(GST_CAPS_FEATURE_MEMORY_GL_MEMORY, "GRAY8") ", texture-target=(string)2D");
  GstPadTemplate* pad_template = gst_pad_template_new("mask", GST_PAD_SRC, GST_PAD_REQUEST, caps);
  gst_caps_unref(caps);
  return pad_template;
}

MaskPad::~MaskPad() { gst_clear_event(&begun_with_); }

GstPad* MaskPad::request(GstBaseTransform* element, GstPadTemplate* pad_template) {
  if (reference() != nullptr) return nullptr;
  GstPad* pad = gst_pad_new_from_template(pad_template, "mask");
  gst_pad_use_fixed_caps(pad);
  gst_pad_set_query_function(pad, sightglass::guarded<answer>);
  gst_pad_set_active(pad, TRUE);
  gst_element_add_pad(GST_ELEMENT(element), pad);
  const std::lock_guard lock(mutex_);
  pad_ = pad;
  combiner_.reset(gst_flow_combiner_new());
  gst_flow_combiner_add_pad(combiner_.get(), GST_BASE_TRANSFORM_SRC_PAD(element));
  gst_flow_combiner_add_pad(combiner_.get(), pad);
  return pad;
}

void MaskPad::release(GstElement* element, GstPad* pad) {
  {
    const std::lock_guard lock(mutex_);
    if (pad != pad_) return;
    pad_ = nullptr;
    combiner_.reset();
  }
  // The streaming thread may be about to push. From now on, the pad rejects that.
  gst_pad_set_active(pad, FALSE);
  gst_element_remove_pad(element, pad);
}

MaskPad::PadReference MaskPad::reference() const {
  const std::lock_guard lock(mutex_);
  return PadReference(pad_ != nullptr ? GST_PAD(gst_object_ref(pad_)) : nullptr);
}

MaskPad::PadReference MaskPad::linked() const {
  PadReference pad = reference();
  if (pad != nullptr && !leads_somewhere(pad.get())) pad.reset();
  return pad;
}

bool MaskPad::is_linked() const { return linked() != nullptr; }

void MaskPad::note_event(GstBaseTransform* element, GstEvent* event, const std::optional<MaskSize>& size) {
  switch (GST_EVENT_TYPE(event)) {
    case GST_EVENT_FLUSH_START:
    case GST_EVENT_FLUSH_STOP: {
      const PadReference pad = reference();
      if (pad == nullptr) return;
      gst_pad_push_event(pad.get(), gst_event_ref(event));
      const std::lock_guard lock(mutex_);
      if (combiner_ != nullptr) gst_flow_combiner_reset(combiner_.get());
      return;
    }
    case GST_EVENT_GAP:
    case GST_EVENT_SEGMENT_DONE:
    case GST_EVENT_EOS: {
      const PadReference pad = linked();
      if (pad == nullptr) return;
      const bool timed = follow(element, pad.get(), size);
      // The pipeline reaches EOS only when all sinks have, even without any frame.
      if (timed || GST_EVENT_TYPE(event) != GST_EVENT_GAP) gst_pad_push_event(pad.get(), gst_event_ref(event));
      return;
    }
    default:  // sticky events are updated before the next push
      return;
  }
}

bool MaskPad::follow(GstBaseTransform* element, GstPad* pad, const std::optional<MaskSize>& size) {
  struct Job {
    MaskPad* self;
    GstBaseTransform* element;
    GstPad* pad;
    const std::optional<MaskSize>& size;
  } job{this, element, pad, size};
  gst_pad_sticky_events_foreach(
      GST_BASE_TRANSFORM_SRC_PAD(element),
      [](GstPad*, GstEvent** event, gpointer data) -> gboolean {
        const Job& job = *static_cast<Job*>(data);
        job.self->follow_event(job.element, job.pad, *event, job.size);
        return TRUE;
      },
      &job);
  return has_sticky(pad, GST_EVENT_SEGMENT);
}

void MaskPad::follow_event(GstBaseTransform* element, GstPad* pad, GstEvent* event,
                           const std::optional<MaskSize>& size) {
  switch (GST_EVENT_TYPE(event)) {
    case GST_EVENT_STREAM_START:
      if (event != begun_with_ || !has_sticky(pad, GST_EVENT_STREAM_START)) begin(element, pad, event);
      return;
    case GST_EVENT_CAPS: {
      GstCaps* picture = nullptr;
      gst_event_parse_caps(event, &picture);
      if (size) send_caps(pad, *size, picture);
      return;
    }
    case GST_EVENT_SEGMENT:
    case GST_EVENT_TAG:
    case GST_EVENT_INSTANT_RATE_CHANGE:
      if (has_sticky(pad, GST_EVENT_CAPS) && !has_sticky(pad, event)) gst_pad_push_event(pad, gst_event_ref(event));
      return;
    default:
      return;
  }
}

void MaskPad::begin(GstBaseTransform* element, GstPad* pad, GstEvent* upstream) {
  gchar* id = gst_pad_create_stream_id(pad, GST_ELEMENT(element), "mask");
  GstEvent* start = gst_event_new_stream_start(id);
  g_free(id);
  gst_event_set_seqnum(start, gst_event_get_seqnum(upstream));
  guint group = 0;
  if (gst_event_parse_group_id(upstream, &group)) gst_event_set_group_id(start, group);
  GstStreamFlags flags = GST_STREAM_FLAG_NONE;
  gst_event_parse_stream_flags(upstream, &flags);
  gst_event_set_stream_flags(start, flags);
  gst_pad_push_event(pad, start);
  gst_event_replace(&begun_with_, upstream);
}

void MaskPad::push(GstBaseTransform* element, GstBuffer* frame, const std::optional<MaskSize>& size) {
  const SightglassMaskMeta* meta = sightglass_buffer_get_mask_meta(frame);
  const GstVideoMeta* video = meta != nullptr ? gst_buffer_get_video_meta(meta->mask) : nullptr;
  if (video == nullptr) return push_gap(element, GST_BUFFER_PTS(frame), GST_BUFFER_DURATION(frame), size);
  const PadReference pad = linked();
  if (pad == nullptr) return;
  follow(element, pad.get(), MaskSize{static_cast<int32_t>(video->width), static_cast<int32_t>(video->height)});
  GST_LOG_OBJECT(pad.get(), "mask: %" GST_PTR_FORMAT, meta->mask);
  const GstFlowReturn flow = gst_pad_push(pad.get(), gst_buffer_ref(meta->mask));
  const std::lock_guard lock(mutex_);
  // A pad that was released in the meantime returns GST_FLOW_FLUSHING.
  if (pad.get() == pad_) gst_flow_combiner_update_pad_flow(combiner_.get(), pad_, flow);
}

void MaskPad::push_gap(GstBaseTransform* element, GstClockTime time, GstClockTime duration,
                       const std::optional<MaskSize>& size) {
  if (!GST_CLOCK_TIME_IS_VALID(time)) return;
  const PadReference pad = linked();
  if (pad != nullptr && follow(element, pad.get(), size)) {
    GST_LOG_OBJECT(pad.get(), "no mask: a gap from %" GST_TIME_FORMAT, GST_TIME_ARGS(time));
    gst_pad_push_event(pad.get(), gst_event_new_gap(time, duration));
  }
}

GstFlowReturn MaskPad::combine(GstBaseTransform* element, GstFlowReturn flow) const {
  const std::lock_guard lock(mutex_);
  if (pad_ == nullptr) return flow;
  if (!leads_somewhere(pad_)) gst_flow_combiner_update_pad_flow(combiner_.get(), pad_, GST_FLOW_NOT_LINKED);
  return gst_flow_combiner_update_pad_flow(combiner_.get(), GST_BASE_TRANSFORM_SRC_PAD(element), flow);
}

}  // namespace sightglass
