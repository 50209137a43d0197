// How every element that runs a model handles a stream, between the pads of a harness: events and their order, metadata
// of frames, late and missing frames, queries, states, and threads.
#include <gst/video/navigation.h>
#include <gst/video/video.h>

#include <algorithm>
#include <cstdio>

#include "element_harness.h"
#include "model_elements.h"
#include "test_pipeline.h"

namespace sightglass::test {
namespace {

class HarnessStream : public EveryModelElement {};
INSTANTIATE_TEST_SUITE_P(Elements, HarnessStream, kModelElements, name_of_element);

const GstStructure* structure_of(const OwnEvent& event) { return gst_event_get_structure(event.get()); }

TEST_P(HarnessStream, EventsKeepTheirPositions) {
  ElementHarness harness(element());
  EXPECT_EQ(harness.take_log(), Log{}) << "nothing precedes a stream";
  harness.begin();
  const auto pass = [&harness] { EXPECT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << harness.error(); };
  const auto send = [&harness](GstEvent* event) { EXPECT_TRUE(gst_harness_push_event(harness.get(), event)); };
  pass();
  pass();
  EXPECT_EQ(harness.take_log(), (Log{"stream-start", "caps 64x48", "segment", "buffer 64x48", "buffer 64x48"}));
  send(gst_event_new_tag(gst_tag_list_new(GST_TAG_TITLE, "title", nullptr)));
  pass();
  send(gst_event_new_gap(GST_SECOND, GST_SECOND));
  send(gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty("own")));
  pass();
  send(gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM_OOB, gst_structure_new_empty("own")));
  ASSERT_TRUE(harness.send_segment(5 * GST_SECOND));
  pass();
  send(gst_event_new_segment_done(GST_FORMAT_TIME, 6 * GST_SECOND));
  send(gst_event_new_stream_start("another"));
  harness.send_caps(TextureSource::caps(64, 48, GST_GL_TEXTURE_TARGET_2D));
  ASSERT_TRUE(harness.send_segment());
  pass();
  send(gst_event_new_eos());
  EXPECT_EQ(harness.take_log(),
            (Log{"tag", "buffer 64x48", "gap", "custom-downstream", "buffer 64x48", "custom-downstream-oob", "segment",
                 "buffer 64x48", "segment-done", "stream-start", "segment", "buffer 64x48", "eos"}));
}

TEST_P(HarnessStream, AFlushRestartsTheStream) {
  ElementHarness harness(element());
  harness.begin();
  EXPECT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << harness.error();
  harness.take_log();
  ASSERT_TRUE(gst_harness_push_event(harness.get(), gst_event_new_flush_start()));
  EXPECT_EQ(harness.push(harness.frame()), GST_FLOW_FLUSHING);
  ASSERT_TRUE(gst_harness_push_event(harness.get(), gst_event_new_flush_stop(TRUE)));
  ASSERT_TRUE(harness.send_segment());
  EXPECT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << harness.error();
  EXPECT_EQ(harness.take_log(), (Log{"flush-start", "flush-stop", "segment", "buffer 64x48"}));
  EXPECT_EQ(harness.error(), "");
}

TEST_P(HarnessStream, NothingFollowsTheEnd) {
  ElementHarness harness(element());
  harness.begin();
  EXPECT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << harness.error();
  ASSERT_TRUE(gst_harness_push_event(harness.get(), gst_event_new_eos()));
  EXPECT_EQ(harness.push(harness.frame()), GST_FLOW_EOS);
  const Log log = harness.take_log();
  EXPECT_EQ(log.back(), "eos");
  EXPECT_EQ(std::count(log.begin(), log.end(), "buffer 64x48"), 1);
  // Unless there is a flush, as seeks send it.
  ASSERT_TRUE(gst_harness_push_event(harness.get(), gst_event_new_flush_start()));
  ASSERT_TRUE(gst_harness_push_event(harness.get(), gst_event_new_flush_stop(TRUE)));
  ASSERT_TRUE(harness.send_segment());
  EXPECT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << harness.error();
}

TEST_P(HarnessStream, AStreamMayBeEmpty) {
  ElementHarness harness(element());
  ASSERT_TRUE(gst_harness_push_event(harness.get(), gst_event_new_eos()));
  EXPECT_EQ(harness.take_log(), (Log{"stream-start", "eos"})) << "no caps arrived";
  ElementHarness another(element());
  another.begin();
  ASSERT_TRUE(gst_harness_push_event(another.get(), gst_event_new_eos()));
  EXPECT_EQ(another.take_log(), (Log{"stream-start", "caps 64x48", "segment", "eos"}));
}

// Times run backwards.
TEST_P(HarnessStream, StreamsMayBePlayedInReverse) {
  ElementHarness harness(element());
  harness.begin();
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.rate = -1;
  segment.stop = GST_SECOND;
  ASSERT_TRUE(gst_harness_push_event(harness.get(), gst_event_new_segment(&segment)));
  for (const GstClockTime time : {120 * GST_MSECOND, 80 * GST_MSECOND, 40 * GST_MSECOND, 0 * GST_MSECOND}) {
    GstBuffer* frame = harness.frame();
    GST_BUFFER_PTS(frame) = time;
    ASSERT_EQ(harness.push(frame), GST_FLOW_OK) << harness.error();
    const OwnBuffer out = harness.pull();
    ASSERT_NE(out, nullptr);
    EXPECT_EQ(GST_BUFFER_PTS(out.get()), time);
  }
}

TEST_P(HarnessStream, FramesKeepTheirMetadata) {
  ElementHarness harness(element());
  harness.begin();
  ASSERT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << harness.error();
  ASSERT_NE(harness.pull(), nullptr);
  GstBuffer* frame = harness.frame();
  GST_BUFFER_PTS(frame) = 40 * GST_MSECOND;
  GST_BUFFER_DTS(frame) = 30 * GST_MSECOND;
  GST_BUFFER_DURATION(frame) = 20 * GST_MSECOND;
  GST_BUFFER_OFFSET(frame) = 7;
  GST_BUFFER_OFFSET_END(frame) = 8;
  constexpr guint kFlags = GST_BUFFER_FLAG_DISCONT | GST_BUFFER_FLAG_CORRUPTED | GST_BUFFER_FLAG_MARKER |
                           GST_BUFFER_FLAG_DELTA_UNIT | GST_BUFFER_FLAG_RESYNC | GST_BUFFER_FLAG_DROPPABLE;
  GST_BUFFER_FLAG_SET(frame, kFlags);
  const OwnCaps clock = caps_of("timestamp/x-ntp");
  gst_buffer_add_reference_timestamp_meta(frame, clock.get(), 12 * GST_SECOND, 3 * GST_SECOND);
  gst_buffer_add_video_time_code_meta_full(frame, 30, 1, nullptr, GST_VIDEO_TIME_CODE_FLAGS_NONE, 1, 2, 3, 4, 0);
  const guint8 caption[] = {0x80, 0x80, 0x80};
  gst_buffer_add_video_caption_meta(frame, GST_VIDEO_CAPTION_TYPE_CEA608_S334_1A, caption, sizeof caption);
  ASSERT_EQ(harness.push(frame), GST_FLOW_OK) << harness.error();
  const OwnBuffer out = harness.pull();
  ASSERT_NE(out, nullptr);
  EXPECT_EQ(GST_BUFFER_PTS(out.get()), 40 * GST_MSECOND);
  EXPECT_EQ(GST_BUFFER_DTS(out.get()), 30 * GST_MSECOND);
  EXPECT_EQ(GST_BUFFER_DURATION(out.get()), 20 * GST_MSECOND);
  EXPECT_EQ(GST_BUFFER_OFFSET(out.get()), 7U);
  EXPECT_EQ(GST_BUFFER_OFFSET_END(out.get()), 8U);
  EXPECT_EQ(GST_BUFFER_FLAGS(out.get()) & kFlags, kFlags);
  const GstReferenceTimestampMeta* reference = gst_buffer_get_reference_timestamp_meta(out.get(), clock.get());
  ASSERT_NE(reference, nullptr);
  EXPECT_EQ(reference->timestamp, 12 * GST_SECOND);
  EXPECT_EQ(reference->duration, 3 * GST_SECOND);
  GstVideoTimeCodeMeta* code = gst_buffer_get_video_time_code_meta(out.get());
  ASSERT_NE(code, nullptr);
  EXPECT_EQ(code->tc.frames, 4U);
  const GstVideoCaptionMeta* captions = gst_buffer_get_video_caption_meta(out.get());
  ASSERT_NE(captions, nullptr);
  EXPECT_EQ(captions->size, sizeof caption);
  // Nothing of it remains, in pool buffers or elsewhere.
  for (int i = 0; i < 8; ++i) {
    ASSERT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << harness.error();
    const OwnBuffer next = harness.pull();
    ASSERT_NE(next, nullptr);
    EXPECT_EQ(GST_BUFFER_FLAGS(next.get()) & kFlags, 0U) << i;
    EXPECT_FALSE(GST_BUFFER_DTS_IS_VALID(next.get())) << i;
    EXPECT_EQ(gst_buffer_get_reference_timestamp_meta(next.get(), nullptr), nullptr) << i;
    EXPECT_EQ(gst_buffer_get_video_time_code_meta(next.get()), nullptr) << i;
  }
}

TEST_P(HarnessStream, FramesNeedNoTimes) {
  ElementHarness harness(element());
  harness.begin();
  for (int i = 0; i < 3; ++i) {
    GstBuffer* frame = harness.frame();
    GST_BUFFER_PTS(frame) = GST_BUFFER_DURATION(frame) = GST_CLOCK_TIME_NONE;
    EXPECT_EQ(harness.push(frame), GST_FLOW_OK) << harness.error();
    const OwnBuffer out = harness.pull();
    ASSERT_NE(out, nullptr);
    EXPECT_FALSE(GST_BUFFER_PTS_IS_VALID(out.get()));
    EXPECT_FALSE(GST_BUFFER_DURATION_IS_VALID(out.get()));
  }
}

TEST_P(HarnessStream, LateFramesAreDropped) {
  ElementHarness harness(element());
  harness.begin();
  ASSERT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << harness.error();
  // Frames 1 and 2 are before 70 ms. Frame 3 is not, and follows two missing frames.
  const auto be_late = [&harness] {
    gst_harness_push_upstream_event(harness.get(), gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 0.5, 0, 70 * GST_MSECOND));
  };
  be_late();
  const OwnEvent qos = harness.upstream_event(GST_EVENT_QOS);
  ASSERT_NE(qos, nullptr) << "upstream also gets the event";
  GstClockTime time = 0;
  gst_event_parse_qos(qos.get(), nullptr, nullptr, nullptr, &time);
  EXPECT_EQ(time, 70 * GST_MSECOND);
  for (int i = 1; i < 5; ++i) EXPECT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << i << ": " << harness.error();
  EXPECT_EQ(harness.stat("dropped"), 2U);
  EXPECT_EQ(harness.stat("frames"), 3U);
  EXPECT_EQ(harness.stat("inferences"), 3U);
  int messages = 0;
  guint64 dropped = 0;
  while (const OwnMessage message = harness.message(GST_MESSAGE_QOS)) {
    gst_message_parse_qos_stats(message.get(), nullptr, nullptr, &dropped);
    ++messages;
  }
  EXPECT_EQ(messages, 2);
  EXPECT_EQ(dropped, 2U);
  for (const guint64 number : {0, 3, 4}) {
    const OwnBuffer out = harness.pull();
    ASSERT_NE(out, nullptr);
    EXPECT_EQ(GST_BUFFER_PTS(out.get()), number * (GST_SECOND / 30));
    EXPECT_EQ(GST_BUFFER_IS_DISCONT(out.get()), number == 3) << number;
  }
  EXPECT_EQ(harness.pull(), nullptr);
  // A flush begins another running time.
  gst_harness_push_event(harness.get(), gst_event_new_flush_start());
  gst_harness_push_event(harness.get(), gst_event_new_flush_stop(TRUE));
  ASSERT_TRUE(harness.send_segment());
  GstBuffer* first = harness.frame();
  GST_BUFFER_PTS(first) = 0;
  EXPECT_EQ(harness.push(first), GST_FLOW_OK);
  EXPECT_NE(harness.pull(), nullptr);
  // With QoS off, no frame is dropped.
  g_object_set(harness.element(), "qos", FALSE, nullptr);
  be_late();
  GstBuffer* late = harness.frame();
  GST_BUFFER_PTS(late) = GST_MSECOND;
  EXPECT_EQ(harness.push(late), GST_FLOW_OK);
  EXPECT_NE(harness.pull(), nullptr);
  EXPECT_EQ(harness.stat("dropped"), 2U);
}

TEST_P(HarnessStream, LatencyAddsToUpstreamLatency) {
  ElementHarness harness(element());
  gst_harness_set_upstream_latency(harness.get(), 40 * GST_MSECOND);
  EXPECT_EQ(gst_harness_query_latency(harness.get()), 40 * GST_MSECOND) << "not measured yet";
  harness.begin();
  for (int i = 0; i < 8; ++i) ASSERT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << harness.error();
  const guint64 own = harness.stat("latency");
  std::printf("%s: %.0f ms\n", GetParam(), static_cast<double>(own) / GST_MSECOND);
  EXPECT_GT(own, 0U);
  EXPECT_EQ(gst_harness_query_latency(harness.get()), 40 * GST_MSECOND + own);
  EXPECT_NE(harness.message(GST_MESSAGE_LATENCY), nullptr) << "so that the pipeline queries the latency again";
  const OwnQuery query(gst_query_new_latency());
  ASSERT_TRUE(gst_pad_peer_query(harness.downstream(), query.get()));
  gboolean live = FALSE;
  GstClockTime most = 0;
  gst_query_parse_latency(query.get(), &live, nullptr, &most);
  EXPECT_TRUE(live);
  EXPECT_EQ(most, GST_CLOCK_TIME_NONE) << "upstream's";
  // The latency event of the pipeline is forwarded upstream.
  gst_harness_push_upstream_event(harness.get(), gst_event_new_latency(70 * GST_MSECOND));
  const OwnEvent event = harness.upstream_event(GST_EVENT_LATENCY);
  ASSERT_NE(event, nullptr);
  GstClockTime latency = 0;
  gst_event_parse_latency(event.get(), &latency);
  EXPECT_EQ(latency, 70 * GST_MSECOND);
}

TEST_P(HarnessStream, UpstreamAnswersPositionAndDuration) {
  ElementHarness harness(element());
  gst_pad_add_probe(
      harness.upstream(), static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_QUERY_UPSTREAM | GST_PAD_PROBE_TYPE_PUSH),
      [](GstPad*, GstPadProbeInfo* info, gpointer) {
        GstQuery* query = GST_PAD_PROBE_INFO_QUERY(info);
        if (GST_QUERY_TYPE(query) == GST_QUERY_POSITION) {
          gst_query_set_position(query, GST_FORMAT_TIME, 3 * GST_SECOND);
        } else if (GST_QUERY_TYPE(query) == GST_QUERY_DURATION) {
          gst_query_set_duration(query, GST_FORMAT_TIME, 9 * GST_SECOND);
        } else if (GST_QUERY_TYPE(query) == GST_QUERY_SEEKING) {
          gst_query_set_seeking(query, GST_FORMAT_TIME, TRUE, 0, 9 * GST_SECOND);
        } else {
          return GST_PAD_PROBE_OK;
        }
        return GST_PAD_PROBE_HANDLED;
      },
      nullptr, nullptr);
  gint64 position = 0, duration = 0, end = 0;
  gboolean seekable = FALSE;
  ASSERT_TRUE(gst_pad_peer_query_position(harness.downstream(), GST_FORMAT_TIME, &position));
  EXPECT_EQ(position, 3 * GST_SECOND) << "no frame has come";
  ASSERT_TRUE(gst_pad_peer_query_duration(harness.downstream(), GST_FORMAT_TIME, &duration));
  EXPECT_EQ(duration, 9 * GST_SECOND);
  const OwnQuery seeking(gst_query_new_seeking(GST_FORMAT_TIME));
  ASSERT_TRUE(gst_pad_peer_query(harness.downstream(), seeking.get()));
  gst_query_parse_seeking(seeking.get(), nullptr, &seekable, nullptr, &end);
  EXPECT_TRUE(seekable);
  EXPECT_EQ(end, 9 * GST_SECOND);
}

TEST_P(HarnessStream, SeeksGoUpstreamAndSegmentsDownstream) {
  ElementHarness harness(element());
  harness.begin();
  ASSERT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << harness.error();
  const auto flags = static_cast<GstSeekFlags>(GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE);
  OwnEvent seek(gst_event_new_seek(2.0, GST_FORMAT_TIME, flags, GST_SEEK_TYPE_SET, 5 * GST_SECOND, GST_SEEK_TYPE_SET,
                                   8 * GST_SECOND));
  const guint32 number = gst_event_get_seqnum(seek.get());
  ASSERT_TRUE(gst_harness_push_upstream_event(harness.get(), gst_event_ref(seek.get())));
  const OwnEvent arrived = harness.upstream_event(GST_EVENT_SEEK);
  ASSERT_NE(arrived, nullptr);
  EXPECT_EQ(gst_event_get_seqnum(arrived.get()), number);
  EXPECT_TRUE(gst_structure_is_equal(structure_of(arrived), structure_of(seek)));
  // As a seekable upstream element answers.
  gst_harness_push_event(harness.get(), gst_event_new_flush_start());
  gst_harness_push_event(harness.get(), gst_event_new_flush_stop(TRUE));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.rate = 2;
  segment.start = segment.time = segment.position = 5 * GST_SECOND;
  segment.stop = 8 * GST_SECOND;
  GstEvent* sent = gst_event_new_segment(&segment);
  gst_event_set_seqnum(sent, number);
  ASSERT_TRUE(gst_harness_push_event(harness.get(), sent));
  GstBuffer* frame = harness.frame();
  GST_BUFFER_PTS(frame) = 6 * GST_SECOND;
  EXPECT_EQ(harness.push(frame), GST_FLOW_OK) << harness.error();
  const OwnEvent sticky(gst_pad_get_sticky_event(harness.downstream(), GST_EVENT_SEGMENT, 0));
  ASSERT_NE(sticky, nullptr);
  EXPECT_EQ(gst_event_get_seqnum(sticky.get()), number);
  const GstSegment* received = nullptr;
  gst_event_parse_segment(sticky.get(), &received);
  EXPECT_TRUE(gst_segment_is_equal(received, &segment));
  // Half a second of running time: late for a sink at one second, in time for a sink at 0.4 seconds.
  gst_harness_push_upstream_event(harness.get(), gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 1, 0, 400 * GST_MSECOND));
  frame = harness.frame();
  GST_BUFFER_PTS(frame) = 6 * GST_SECOND;
  EXPECT_EQ(harness.push(frame), GST_FLOW_OK);
  EXPECT_EQ(harness.stat("dropped"), 0U);
  gst_harness_push_upstream_event(harness.get(), gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 1, 0, GST_SECOND));
  frame = harness.frame();
  GST_BUFFER_PTS(frame) = 6 * GST_SECOND;
  EXPECT_EQ(harness.push(frame), GST_FLOW_OK);
  EXPECT_EQ(harness.stat("dropped"), 1U);
}

// Positions are those in the upstream frames.
TEST_P(HarnessStream, NavigationEventsAreMappedBack) {
  struct Case {
    GstVideoOrientationMethod direction;
    double x, y;  // of (10, 5) in the output frame
  };
  ElementHarness harness(element());
  harness.begin();
  for (const Case& c : {Case{GST_VIDEO_ORIENTATION_IDENTITY, 10, 5}, Case{GST_VIDEO_ORIENTATION_90R, 5, 38},
                        Case{GST_VIDEO_ORIENTATION_180, 54, 43}, Case{GST_VIDEO_ORIENTATION_90L, 59, 10},
                        Case{GST_VIDEO_ORIENTATION_HORIZ, 54, 5}, Case{GST_VIDEO_ORIENTATION_VERT, 10, 43}}) {
    g_object_set(harness.element(), "video-direction", c.direction, nullptr);
    ASSERT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << harness.error();
    // Other holders of the event see no change.
    const OwnEvent sent(gst_navigation_event_new_mouse_button_press(1, 10, 5, GST_NAVIGATION_MODIFIER_NONE));
    gst_harness_push_upstream_event(harness.get(), gst_event_ref(sent.get()));
    const OwnEvent arrived = harness.upstream_event(GST_EVENT_NAVIGATION);
    ASSERT_NE(arrived, nullptr) << c.direction;
    double x = 0, y = 0;
    ASSERT_TRUE(gst_navigation_event_get_coordinates(arrived.get(), &x, &y));
    EXPECT_NEAR(x, c.x, 1e-4) << c.direction;
    EXPECT_NEAR(y, c.y, 1e-4) << c.direction;
    ASSERT_TRUE(gst_navigation_event_get_coordinates(sent.get(), &x, &y));
    EXPECT_EQ(x, 10);
    EXPECT_EQ(y, 5);
  }
  gst_harness_push_upstream_event(harness.get(), gst_navigation_event_new_key_press("a", GST_NAVIGATION_MODIFIER_NONE));
  EXPECT_NE(harness.upstream_event(GST_EVENT_NAVIGATION), nullptr) << "a key event has no position";
}

}  // namespace
}  // namespace sightglass::test
