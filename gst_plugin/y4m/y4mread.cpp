#include <gst/base/gstadapter.h>
#include <gst/video/video.h>

#include <algorithm>
#include <optional>
#include <string>

#include "gobject/guarded.h"
#include "y4m/y4m_format.h"

GST_DEBUG_CATEGORY_STATIC(y4m_read_debug);
#define GST_CAT_DEFAULT y4m_read_debug

namespace {

using sightglass::Result;
using sightglass::Status;

struct State {
  ~State() { g_object_unref(adapter); }
  GstAdapter* const adapter = gst_adapter_new();
  std::optional<GstVideoInfo> packed;       // set by the header
  GstVideoInfo plain{};                     // with the strides that elements without GstVideoMeta expect
  size_t header_bytes = 0, line_bytes = 0;  // of the header, and of the line before each frame; both with their ends
  guint64 frame = 0;                        // number of the next one
  GstSegment segment{};                     // in time
  GstFlowReturn flow = GST_FLOW_OK;         // of the last frame
  bool segment_pending = false;
};

struct GstY4mRead {
  GstElement parent;
  GstPad *sink, *src;
  State* state;
};
struct GstY4mReadClass {
  GstElementClass parent_class;
};

GstY4mRead* self_of(gpointer object) { return static_cast<GstY4mRead*>(object); }

}  // namespace

G_DEFINE_TYPE(GstY4mRead, gst_y4m_read, GST_TYPE_ELEMENT)
// Above y4mdec, which decodebin would choose otherwise.
GST_ELEMENT_REGISTER_DEFINE(y4mread, "y4mread", GST_RANK_PRIMARY, gst_y4m_read_get_type())

namespace {

GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE(
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS("application/x-yuv4mpeg, y4mversion = (int) 2"));
GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE(
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(GST_VIDEO_CAPS_MAKE(SIGHTGLASS_Y4M_FORMATS)));

// Frames of an unknown rate have no times.
GstClockTime time_of(const GstVideoInfo& info, guint64 frame) {
  if (info.fps_n == 0) return GST_CLOCK_TIME_NONE;
  return gst_util_uint64_scale(frame, static_cast<guint64>(info.fps_d) * GST_SECOND, static_cast<guint64>(info.fps_n));
}

guint64 frame_at(const GstVideoInfo& info, GstClockTime time) {
  return gst_util_uint64_scale(time, static_cast<guint64>(info.fps_n), static_cast<guint64>(info.fps_d) * GST_SECOND);
}

guint64 bytes_of_frame(const State& state) { return state.line_bytes + state.packed->size; }

GstFlowReturn refuse(GstY4mRead* self, const Status& status) {
  GST_ELEMENT_ERROR(self, STREAM, DECODE, ("%s", status.message().c_str()), (nullptr));
  return GST_FLOW_ERROR;
}

// The next line without its end; unset if it is incomplete.
Result<std::optional<std::string>> next_line(const State& state, const char* what) {
  const gsize available = gst_adapter_available(state.adapter);
  const gsize looked = std::min<gsize>(available, sightglass::kMostY4mHeader);
  if (looked == 0) return std::optional<std::string>();
  std::string text(looked, '\0');
  gst_adapter_copy(state.adapter, text.data(), 0, looked);
  const size_t end = text.find('\n');
  if (end != text.npos) return std::optional<std::string>(text.substr(0, end));
  if (looked == sightglass::kMostY4mHeader) {
    return sightglass::invalid_argument(std::string("not a Y4M stream: ") + what + " does not end");
  }
  return std::optional<std::string>();
}

GstFlowReturn begin(GstY4mRead* self, const std::string& line) {
  State& state = *self->state;
  const Result<GstVideoInfo> info = sightglass::parse_y4m_header(line);
  if (!info.ok()) return refuse(self, info.status());
  state.packed = *info;
  state.header_bytes = line.size() + 1;
  gst_video_info_set_format(&state.plain, GST_VIDEO_INFO_FORMAT(&*info),
                            static_cast<guint>(GST_VIDEO_INFO_WIDTH(&*info)),
                            static_cast<guint>(GST_VIDEO_INFO_HEIGHT(&*info)));
  GstCaps* const caps = gst_video_info_to_caps(&*state.packed);
  GST_INFO_OBJECT(self, "caps: %" GST_PTR_FORMAT, caps);
  const bool accepted = gst_pad_push_event(self->src, gst_event_new_caps(caps)) != FALSE;
  gst_caps_unref(caps);
  return accepted ? GST_FLOW_OK : GST_FLOW_NOT_NEGOTIATED;
}

// The frame with the strides that elements assume. GstVideoMeta would describe others without a copy, but glupload of
// GStreamer 1.22 shows nothing of planes with rows of 427 bytes.
GstBuffer* with_plain_strides(const State& state, GstBuffer* buffer) {
  GstBuffer* const copy = gst_buffer_new_allocate(nullptr, state.plain.size, nullptr);
  GstVideoInfo packed = *state.packed, plain = state.plain;
  GstVideoFrame from, to;
  if (gst_video_frame_map(&from, &packed, buffer, GST_MAP_READ)) {
    if (gst_video_frame_map(&to, &plain, copy, GST_MAP_WRITE)) {
      gst_video_frame_copy(&to, &from);
      gst_video_frame_unmap(&to);
    }
    gst_video_frame_unmap(&from);
  }
  gst_buffer_unref(buffer);
  return copy;
}

// Without it, glupload of GStreamer 1.22 looks for the planes of frames with odd heights at wrong offsets.
void describe_planes(GstVideoInfo info, GstBuffer* buffer) {
  gst_buffer_add_video_meta_full(
      buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT(&info), static_cast<guint>(GST_VIDEO_INFO_WIDTH(&info)),
      static_cast<guint>(GST_VIDEO_INFO_HEIGHT(&info)), GST_VIDEO_INFO_N_PLANES(&info), info.offset, info.stride);
}

GstFlowReturn push_frame(GstY4mRead* self) {
  State& state = *self->state;
  GstBuffer* buffer = gst_buffer_make_writable(gst_adapter_take_buffer(state.adapter, state.packed->size));
  const GstVideoInfo& info = *state.packed;
  if (!sightglass::same_layout(info, state.plain)) buffer = with_plain_strides(state, buffer);
  describe_planes(state.plain, buffer);
  GST_BUFFER_PTS(buffer) = time_of(info, state.frame);
  GST_BUFFER_DTS(buffer) = GST_CLOCK_TIME_NONE;
  if (info.fps_n > 0) GST_BUFFER_DURATION(buffer) = time_of(info, state.frame + 1) - GST_BUFFER_PTS(buffer);
  GST_BUFFER_OFFSET(buffer) = state.frame++;
  GST_LOG_OBJECT(self, "frame: %" GST_PTR_FORMAT, buffer);
  state.flow = gst_pad_push(self->src, buffer);
  return state.flow;
}

// Pushes the next frame if it is complete; unset if it is not.
std::optional<GstFlowReturn> next_frame(GstY4mRead* self) {
  State& state = *self->state;
  const auto line = next_line(state, "the line of a frame");
  if (!line.ok()) return refuse(self, line.status());
  if (!line->has_value()) return std::nullopt;
  if (!(*line)->starts_with(sightglass::kY4mFrame)) {
    return refuse(self, sightglass::invalid_argument("frame " + std::to_string(state.frame) +
                                                     " of the Y4M stream does not begin with FRAME: the frame before "
                                                     "has another size than the header says"));
  }
  const size_t line_bytes = (*line)->size() + 1;
  if (gst_adapter_available(state.adapter) < line_bytes + state.packed->size) return std::nullopt;
  state.line_bytes = line_bytes;
  gst_adapter_flush(state.adapter, line_bytes);
  return push_frame(self);
}

void push_segment(GstY4mRead* self) {
  State& state = *self->state;
  if (!state.segment_pending) return;
  state.segment_pending = false;
  gst_pad_push_event(self->src, gst_event_new_segment(&state.segment));
}

GstFlowReturn chain(GstPad* /*pad*/, GstObject* parent, GstBuffer* buffer) {
  GstY4mRead* const self = self_of(parent);
  State& state = *self->state;
  gst_adapter_push(state.adapter, buffer);
  if (!state.packed) {
    const auto line = next_line(state, "the header");
    if (!line.ok()) return refuse(self, line.status());
    if (!line->has_value()) return GST_FLOW_OK;
    const GstFlowReturn flow = begin(self, **line);
    if (flow != GST_FLOW_OK) return flow;
    gst_adapter_flush(state.adapter, state.header_bytes);
  }
  push_segment(self);
  std::optional<GstFlowReturn> flow;
  do {
    flow = next_frame(self);
  } while (flow == GST_FLOW_OK);
  return flow.value_or(GST_FLOW_OK);
}

// A segment in bytes begins a stream or follows a seek.
void take_segment(State& state, const GstSegment& segment) {
  const bool in_time = segment.format == GST_FORMAT_TIME;
  if (in_time) state.segment = segment;
  state.segment_pending = true;
  if (in_time || !state.packed || state.line_bytes == 0 || segment.start <= state.header_bytes) {
    // A stream that begins again has its header again.
    if (!in_time && segment.start == 0) state.packed.reset();
    state.frame = 0;
    return;
  }
  state.frame = (segment.start - state.header_bytes) / bytes_of_frame(state);
}

void end_of_stream(GstY4mRead* self) {
  const State& state = *self->state;
  const gsize left = gst_adapter_available(state.adapter);
  if (!state.packed) {
    refuse(self, sightglass::invalid_argument("the Y4M stream ends in its header"));
  } else if (left > 0 && state.flow == GST_FLOW_OK) {  // nothing is missing if downstream needs no more
    GST_ELEMENT_WARNING(self, STREAM, DECODE,
                        ("the Y4M stream is cut: frame %" G_GUINT64_FORMAT " has %" G_GSIZE_FORMAT
                         " of %" G_GSIZE_FORMAT " bytes, and is left out",
                         state.frame, left, state.packed->size + sightglass::kY4mFrame.size() + 1),
                        (nullptr));
  }
}

gboolean sink_event(GstPad* pad, GstObject* parent, GstEvent* event) {
  GST_DEBUG_OBJECT(parent, "sink pad: %" GST_PTR_FORMAT, event);
  GstY4mRead* const self = self_of(parent);
  State& state = *self->state;
  switch (GST_EVENT_TYPE(event)) {
    case GST_EVENT_CAPS:  // ours come from the header
      gst_event_unref(event);
      return TRUE;
    case GST_EVENT_SEGMENT: {
      const GstSegment* segment = nullptr;
      gst_event_parse_segment(event, &segment);
      take_segment(state, *segment);
      gst_event_unref(event);
      return TRUE;
    }
    case GST_EVENT_FLUSH_STOP:
      gst_adapter_clear(state.adapter);
      state.flow = GST_FLOW_OK;
      return gst_pad_event_default(pad, parent, event);
    case GST_EVENT_EOS:
      end_of_stream(self);
      return gst_pad_event_default(pad, parent, event);
    default:
      return gst_pad_event_default(pad, parent, event);
  }
}

// Seeks in time become seeks in bytes.
gboolean seek(GstY4mRead* self, GstEvent* event) {
  State& state = *self->state;
  gdouble rate = 1;
  GstFormat format = GST_FORMAT_UNDEFINED;
  GstSeekFlags flags = GST_SEEK_FLAG_NONE;
  GstSeekType start_type = GST_SEEK_TYPE_NONE, stop_type = GST_SEEK_TYPE_NONE;
  gint64 start = 0, stop = -1;
  gst_event_parse_seek(event, &rate, &format, &flags, &start_type, &start, &stop_type, &stop);
  const bool possible = state.packed && state.packed->fps_n > 0 && state.line_bytes > 0 && rate > 0 &&
                        format == GST_FORMAT_TIME && start_type == GST_SEEK_TYPE_SET && start >= 0;
  const guint32 number = gst_event_get_seqnum(event);
  gst_event_unref(event);
  if (!possible) return FALSE;
  const guint64 frame = frame_at(*state.packed, static_cast<GstClockTime>(start));
  const guint64 byte = state.header_bytes + frame * bytes_of_frame(state);
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  gst_segment_do_seek(&segment, rate, GST_FORMAT_TIME, flags, start_type, static_cast<guint64>(start), stop_type,
                      static_cast<guint64>(stop), nullptr);
  state.segment = segment;
  GstEvent* const in_bytes = gst_event_new_seek(rate, GST_FORMAT_BYTES, flags, GST_SEEK_TYPE_SET,
                                                static_cast<gint64>(byte), GST_SEEK_TYPE_NONE, -1);
  gst_event_set_seqnum(in_bytes, number);
  return gst_pad_push_event(self->sink, in_bytes);
}

gboolean src_event(GstPad* pad, GstObject* parent, GstEvent* event) {
  if (GST_EVENT_TYPE(event) == GST_EVENT_SEEK) return seek(self_of(parent), event);
  return gst_pad_event_default(pad, parent, event);
}

gboolean src_query(GstPad* pad, GstObject* parent, GstQuery* query) {
  GstY4mRead* const self = self_of(parent);
  const State& state = *self->state;
  const bool timed = state.packed && state.packed->fps_n > 0 && state.line_bytes > 0;
  if (GST_QUERY_TYPE(query) == GST_QUERY_DURATION) {
    GstFormat format = GST_FORMAT_UNDEFINED;
    gst_query_parse_duration(query, &format, nullptr);
    gint64 bytes = 0;
    if (format != GST_FORMAT_TIME || !timed || !gst_pad_peer_query_duration(self->sink, GST_FORMAT_BYTES, &bytes) ||
        bytes < static_cast<gint64>(state.header_bytes)) {
      return FALSE;
    }
    const guint64 frames = (static_cast<guint64>(bytes) - state.header_bytes) / bytes_of_frame(state);
    gst_query_set_duration(query, format, static_cast<gint64>(time_of(*state.packed, frames)));
    return TRUE;
  }
  if (GST_QUERY_TYPE(query) == GST_QUERY_SEEKING) {
    GstFormat format = GST_FORMAT_UNDEFINED;
    gst_query_parse_seeking(query, &format, nullptr, nullptr, nullptr);
    GstQuery* const bytes = gst_query_new_seeking(GST_FORMAT_BYTES);
    gboolean seekable = FALSE;
    if (gst_pad_peer_query(self->sink, bytes)) gst_query_parse_seeking(bytes, nullptr, &seekable, nullptr, nullptr);
    gst_query_unref(bytes);
    gst_query_set_seeking(query, format, seekable && timed && format == GST_FORMAT_TIME, 0, -1);
    return TRUE;
  }
  return gst_pad_query_default(pad, parent, query);
}

GstStateChangeReturn change_state(GstElement* element, GstStateChange transition) {
  State& state = *self_of(element)->state;
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    gst_adapter_clear(state.adapter);
    state.packed.reset();
    state.header_bytes = state.line_bytes = 0;
    state.frame = 0;
    state.flow = GST_FLOW_OK;
    gst_segment_init(&state.segment, GST_FORMAT_TIME);
    state.segment_pending = true;
  }
  return GST_ELEMENT_CLASS(gst_y4m_read_parent_class)->change_state(element, transition);
}

}  // namespace

static void gst_y4m_read_init(GstY4mRead* self) {
  self->state = new State;
  self->sink = gst_pad_new_from_static_template(&sink_template, "sink");
  gst_pad_set_event_function(self->sink, sightglass::guarded<sink_event>);
  gst_pad_set_chain_function(self->sink, sightglass::guarded<chain>);
  gst_element_add_pad(GST_ELEMENT(self), self->sink);
  self->src = gst_pad_new_from_static_template(&src_template, "src");
  gst_pad_set_event_function(self->src, sightglass::guarded<src_event>);
  gst_pad_set_query_function(self->src, sightglass::guarded<src_query>);
  gst_pad_use_fixed_caps(self->src);
  gst_element_add_pad(GST_ELEMENT(self), self->src);
}

static void gst_y4m_read_class_init(GstY4mReadClass* klass) {
  GST_DEBUG_CATEGORY_INIT(y4m_read_debug, "y4mread", 0, "Y4M streams to frames");
  sightglass::own<&GstY4mRead::state>(G_OBJECT_CLASS(klass));
  GstElementClass* element_class = GST_ELEMENT_CLASS(klass);
  element_class->change_state = sightglass::guarded<change_state>;
  gst_element_class_add_static_pad_template(element_class, &sink_template);
  gst_element_class_add_static_pad_template(element_class, &src_template);
  gst_element_class_set_static_metadata(element_class, "Y4M reader", "Codec/Demuxer",
                                        "Reads raw frames of any size from Y4M (YUV4MPEG2) streams", SIGHTGLASS_AUTHOR);
}
