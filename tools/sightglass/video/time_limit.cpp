#include "video/time_limit.h"

#include "video/gst_objects.h"
#include "video/output.h"

namespace sightglass::video {

namespace {

// Of a buffer, in nanoseconds; -1: it has none.
gint64 running_time_of(GstPad* pad, GstBuffer* buffer) {
  GstEvent* const event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0);
  if (event == nullptr) return -1;
  const GstSegment* segment = nullptr;
  gst_event_parse_segment(event, &segment);
  guint64 time = GST_CLOCK_TIME_NONE;
  if (segment->format == GST_FORMAT_TIME && GST_BUFFER_PTS_IS_VALID(buffer)) {
    time = gst_segment_to_running_time(segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
  }
  gst_event_unref(event);
  return GST_CLOCK_TIME_IS_VALID(time) ? static_cast<gint64>(time) : -1;
}

}  // namespace

TimeLimit::TimeLimit(GstElement* pipeline, GstElement* model, double seconds)
    : length_(static_cast<gint64>(seconds * GST_SECOND)) {
  video_.video = true;
  const PadPtr frames(gst_element_get_static_pad(model, "sink"));
  watch(frames.get(), video_);
  const ElementPtr muxer(gst_bin_get_by_name(GST_BIN(pipeline), kMuxerElement));
  const PadPtr sound(muxer == nullptr ? nullptr : gst_element_get_static_pad(muxer.get(), kMuxerAudioPad));
  if (sound != nullptr) watch(sound.get(), audio_);
}

void TimeLimit::watch(GstPad* pad, Stream& stream) {
  stream.limit = this;
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, on_buffer, &stream, nullptr);
}

GstPadProbeReturn TimeLimit::on_buffer(GstPad* pad, GstPadProbeInfo* info, gpointer data) {
  auto* stream = static_cast<Stream*>(data);
  return stream->limit->check(pad, GST_PAD_PROBE_INFO_BUFFER(info), *stream);
}

GstPadProbeReturn TimeLimit::check(GstPad* pad, GstBuffer* buffer, Stream& stream) {
  const gint64 time = running_time_of(pad, buffer);
  if (time < 0) return GST_PAD_PROBE_OK;
  if (stream.video && first_ < 0) first_ = time;
  if (first_ < 0 || time - first_ < length_) {
    if (stream.video) last_ = time;
    return GST_PAD_PROBE_OK;
  }
  if (stream.reached_at == 0) stream.reached_at = g_get_monotonic_time();
  return GST_PAD_PROBE_DROP;
}

bool TimeLimit::reached() const {
  if (video_.reached_at == 0) return false;
  // Audio can end before the limit.
  constexpr gint64 kWaitForAudio = G_USEC_PER_SEC;
  return audio_.limit == nullptr || audio_.reached_at != 0 ||
         g_get_monotonic_time() - video_.reached_at > kWaitForAudio;
}

double TimeLimit::position() const { return first_ < 0 ? 0 : 1e-9 * static_cast<double>(last_ - first_); }

}  // namespace sightglass::video
