#include "mask_pad.h"

#include <gst/gl/gl.h>
#include <gst/video/video.h>

#include "mask_meta.h"

namespace sightglass {

namespace {

// GL contexts, latency and times are the element's own; caps are this pad's.
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

// Through bins as well, whose pads are linked to what is inside whether anything is outside or not.
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

GstPad* MaskPad::request(GstElement* element, GstPadTemplate* pad_template) {
  if (reference() != nullptr) return nullptr;
  GstPad* pad = gst_pad_new_from_template(pad_template, "mask");
  gst_pad_use_fixed_caps(pad);
  gst_pad_set_query_function(pad, answer);
  gst_pad_set_active(pad, TRUE);
  gst_element_add_pad(element, pad);
  const std::lock_guard lock(mutex_);
  pad_ = pad;
  return pad;
}

void MaskPad::release(GstElement* element, GstPad* pad) {
  {
    const std::lock_guard lock(mutex_);
    if (pad != pad_) return;
    pad_ = nullptr;
  }
  // The streaming thread may be about to push to it, which is refused from now on.
  gst_pad_set_active(pad, FALSE);
  gst_element_remove_pad(element, pad);
}

MaskPad::PadReference MaskPad::reference() const {
  const std::lock_guard lock(mutex_);
  return PadReference(pad_ != nullptr ? GST_PAD(gst_object_ref(pad_)) : nullptr);
}

bool MaskPad::is_linked() const {
  const PadReference pad = reference();
  return pad != nullptr && leads_somewhere(pad.get());
}

void MaskPad::note_event(GstBaseTransform* element, GstEvent* event) {
  const PadReference pad = reference();
  switch (GST_EVENT_TYPE(event)) {
    case GST_EVENT_STREAM_START:
      begun_ = segment_sent_ = false;
      gst_clear_caps(&caps_);
      return;
    case GST_EVENT_SEGMENT:
      segment_sent_ = false;
      return;
    case GST_EVENT_FLUSH_STOP:
      segment_sent_ = false;
      [[fallthrough]];
    case GST_EVENT_FLUSH_START:
      if (pad != nullptr) gst_pad_push_event(pad.get(), gst_event_ref(event));
      return;
    case GST_EVENT_EOS:
      if (pad == nullptr || !leads_somewhere(pad.get())) return;
      // The pipeline ends when all of its sinks have, also after no frame at all.
      if (!begun_) begin(element, pad.get());
      gst_pad_push_event(pad.get(), gst_event_ref(event));
      return;
    default:
      return;
  }
}

void MaskPad::begin(GstBaseTransform* element, GstPad* pad) {
  gchar* id = gst_pad_create_stream_id(pad, GST_ELEMENT(element), "mask");
  GstEvent* start = gst_event_new_stream_start(id);
  g_free(id);
  guint group = 0;
  if (GstEvent* upstream = gst_pad_get_sticky_event(element->sinkpad, GST_EVENT_STREAM_START, 0)) {
    if (gst_event_parse_group_id(upstream, &group)) gst_event_set_group_id(start, group);
    gst_event_unref(upstream);
  }
  gst_pad_push_event(pad, start);
  begun_ = true;
}

bool MaskPad::send_caps(GstBaseTransform* element, GstPad* pad, GstBuffer* mask) {
  const GstVideoMeta* meta = gst_buffer_get_video_meta(mask);
  if (meta == nullptr) return false;
  GstCaps* caps = gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, "GRAY8", "width", G_TYPE_INT,
                                      static_cast<gint>(meta->width), "height", G_TYPE_INT,
                                      static_cast<gint>(meta->height), "texture-target", G_TYPE_STRING, "2D", nullptr);
  gst_caps_set_features(caps, 0, gst_caps_features_new(GST_CAPS_FEATURE_MEMORY_GL_MEMORY, nullptr));
  GstCaps* picture = gst_pad_get_current_caps(element->srcpad);
  GstVideoInfo info;
  if (picture != nullptr && gst_video_info_from_caps(&info, picture)) {
    gst_caps_set_simple(caps, "framerate", GST_TYPE_FRACTION, info.fps_n, info.fps_d, nullptr);
  }
  gst_clear_caps(&picture);
  if (caps_ == nullptr || !gst_caps_is_equal(caps, caps_)) {
    gst_caps_replace(&caps_, caps);
    gst_pad_push_event(pad, gst_event_new_caps(caps));
    // Nothing is taken from the answer, but gldownload looks for its GL context when it is asked.
    GstQuery* query = gst_query_new_allocation(caps, FALSE);
    gst_pad_peer_query(pad, query);
    gst_query_unref(query);
  }
  gst_caps_unref(caps);
  return true;
}

void MaskPad::push(GstBaseTransform* element, GstBuffer* frame) {
  const PadReference held = reference();
  GstPad* pad = held.get();
  if (pad == nullptr || !leads_somewhere(pad)) return;
  if (!begun_) begin(element, pad);
  const SightglassMaskMeta* meta = sightglass_buffer_get_mask_meta(frame);
  const bool has_mask = meta != nullptr && send_caps(element, pad, meta->mask);
  if (caps_ == nullptr) return;  // nothing can be told before the first mask
  if (!segment_sent_) {
    gst_pad_push_event(pad, gst_event_new_segment(&element->segment));
    segment_sent_ = true;
  }
  if (has_mask) {
    gst_pad_push(pad, gst_buffer_ref(meta->mask));
  } else if (GST_BUFFER_PTS_IS_VALID(frame)) {
    gst_pad_push_event(pad, gst_event_new_gap(GST_BUFFER_PTS(frame), GST_BUFFER_DURATION(frame)));
  }
}

}  // namespace sightglass
