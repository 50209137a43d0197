#include <gst/video/video.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "gobject/guarded.h"
#include "y4m/y4m_format.h"

GST_DEBUG_CATEGORY_STATIC(y4m_write_debug);
#define GST_CAT_DEFAULT y4m_write_debug

namespace {

struct State {
  GstVideoInfo info{}, packed{};  // of the frames that arrive, and of those that leave
  bool negotiated = false, begun = false;
};

struct GstY4mWrite {
  GstElement parent;
  GstPad *sink, *src;
  State* state;
};
struct GstY4mWriteClass {
  GstElementClass parent_class;
};

GstY4mWrite* self_of(gpointer object) { return static_cast<GstY4mWrite*>(object); }

}  // namespace

G_DEFINE_TYPE(GstY4mWrite, gst_y4m_write, GST_TYPE_ELEMENT)
GST_ELEMENT_REGISTER_DEFINE(y4mwrite, "y4mwrite", GST_RANK_NONE, gst_y4m_write_get_type())

namespace {

GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE(
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS(GST_VIDEO_CAPS_MAKE(SIGHTGLASS_Y4M_FORMATS)));
GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE(
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS("application/x-yuv4mpeg, y4mversion = (int) 2"));

// Copies the planes without the padding of their rows.
void copy_planes(const GstVideoFrame& frame, const GstVideoInfo& packed, guint8* to) {
  for (guint plane = 0; plane < GST_VIDEO_FRAME_N_PLANES(&frame); ++plane) {
    const auto bytes = static_cast<size_t>(packed.stride[plane]);
    const auto stride = static_cast<size_t>(GST_VIDEO_FRAME_PLANE_STRIDE(&frame, plane));
    const auto rows =
        static_cast<size_t>(GST_VIDEO_FORMAT_INFO_SCALE_HEIGHT(packed.finfo, plane, GST_VIDEO_FRAME_HEIGHT(&frame)));
    const auto* from = static_cast<const guint8*>(GST_VIDEO_FRAME_PLANE_DATA(&frame, plane));
    for (size_t row = 0; row < rows; ++row) {
      std::memcpy(to + packed.offset[plane] + row * bytes, from + row * stride, bytes);
    }
  }
}

GstFlowReturn chain(GstPad* /*pad*/, GstObject* parent, GstBuffer* buffer) {
  GstY4mWrite* const self = self_of(parent);
  State& state = *self->state;
  if (!state.negotiated) {
    gst_buffer_unref(buffer);
    return GST_FLOW_NOT_NEGOTIATED;
  }
  GstVideoFrame frame;
  if (!gst_video_frame_map(&frame, &state.info, buffer, GST_MAP_READ)) {
    GST_ELEMENT_ERROR(self, STREAM, ENCODE, ("cannot map a frame for reading"), (nullptr));
    gst_buffer_unref(buffer);
    return GST_FLOW_ERROR;
  }
  std::string text = state.begun ? "" : sightglass::y4m_header(state.packed);
  state.begun = true;
  text += std::string(sightglass::kY4mFrame) + "\n";
  GstBuffer* const out = gst_buffer_new_allocate(nullptr, text.size() + state.packed.size, nullptr);
  GstMapInfo map;
  if (gst_buffer_map(out, &map, GST_MAP_WRITE)) {
    std::copy(text.begin(), text.end(), map.data);
    copy_planes(frame, state.packed, map.data + text.size());
    gst_buffer_unmap(out, &map);
  }
  gst_video_frame_unmap(&frame);
  gst_buffer_copy_into(out, buffer, GST_BUFFER_COPY_TIMESTAMPS, 0, G_MAXSIZE);
  GST_LOG_OBJECT(self, "frame: %" GST_PTR_FORMAT, buffer);
  gst_buffer_unref(buffer);
  return gst_pad_push(self->src, out);
}

gboolean take_caps(GstY4mWrite* self, GstCaps* caps) {
  State& state = *self->state;
  GstVideoInfo info;
  if (!gst_video_info_from_caps(&info, caps)) return FALSE;
  const GstVideoInfo packed = sightglass::y4m_layout(info);
  const bool changed = state.begun && sightglass::y4m_header(packed) != sightglass::y4m_header(state.packed);
  if (changed) {
    GST_ELEMENT_ERROR(
        self, STREAM, FORMAT, ("the frames of a Y4M stream cannot change their size or format"),
        ("from %s to %s", sightglass::y4m_header(state.packed).c_str(), sightglass::y4m_header(packed).c_str()));
    return FALSE;
  }
  state.info = info;
  state.packed = packed;
  state.negotiated = true;
  GstCaps* const ours = gst_static_pad_template_get_caps(&src_template);
  const gboolean accepted = gst_pad_push_event(self->src, gst_event_new_caps(ours));
  gst_caps_unref(ours);
  return accepted;
}

gboolean sink_event(GstPad* pad, GstObject* parent, GstEvent* event) {
  GST_DEBUG_OBJECT(parent, "sink pad: %" GST_PTR_FORMAT, event);
  if (GST_EVENT_TYPE(event) != GST_EVENT_CAPS) return gst_pad_event_default(pad, parent, event);
  GstCaps* caps = nullptr;
  gst_event_parse_caps(event, &caps);
  const gboolean accepted = take_caps(self_of(parent), caps);
  gst_event_unref(event);
  return accepted;
}

// Frames may have any strides.
gboolean sink_query(GstPad* pad, GstObject* parent, GstQuery* query) {
  if (GST_QUERY_TYPE(query) != GST_QUERY_ALLOCATION) return gst_pad_query_default(pad, parent, query);
  gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr);
  return TRUE;
}

GstStateChangeReturn change_state(GstElement* element, GstStateChange transition) {
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) *self_of(element)->state = State();
  return GST_ELEMENT_CLASS(gst_y4m_write_parent_class)->change_state(element, transition);
}

}  // namespace

static void gst_y4m_write_init(GstY4mWrite* self) {
  self->state = new State;
  self->sink = gst_pad_new_from_static_template(&sink_template, "sink");
  gst_pad_set_event_function(self->sink, sightglass::guarded<sink_event>);
  gst_pad_set_query_function(self->sink, sightglass::guarded<sink_query>);
  gst_pad_set_chain_function(self->sink, sightglass::guarded<chain>);
  gst_element_add_pad(GST_ELEMENT(self), self->sink);
  self->src = gst_pad_new_from_static_template(&src_template, "src");
  gst_pad_use_fixed_caps(self->src);
  gst_element_add_pad(GST_ELEMENT(self), self->src);
}

static void gst_y4m_write_class_init(GstY4mWriteClass* klass) {
  GST_DEBUG_CATEGORY_INIT(y4m_write_debug, "y4mwrite", 0, "frames to Y4M streams");
  sightglass::own<&GstY4mWrite::state>(G_OBJECT_CLASS(klass));
  GstElementClass* element_class = GST_ELEMENT_CLASS(klass);
  element_class->change_state = sightglass::guarded<change_state>;
  gst_element_class_add_static_pad_template(element_class, &sink_template);
  gst_element_class_add_static_pad_template(element_class, &src_template);
  gst_element_class_set_static_metadata(element_class, "Y4M writer", "Codec/Muxer",
                                        "Writes raw frames of any size as a Y4M (YUV4MPEG2) stream", SIGHTGLASS_AUTHOR);
}
