// The element that matches two videos by time, by itself: no frame here is a texture.
#include <gst/check/gstharness.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "element_harness.h"
#include "meta/meta_types.h"
#include "segment/background_video.h"
#include "test_pipeline.h"

namespace sightglass::test {
namespace {

constexpr GstClockTime kStep = 40 * GST_MSECOND;

class BackgroundMatcherTest : public testing::Test {
 protected:
  void SetUp() override { init_gstreamer(); }
  void TearDown() override {
    if (back_ != nullptr) gst_harness_teardown(back_);
    if (front_ != nullptr) gst_harness_teardown(front_);
    gst_clear_object(&element_);
  }
  void start(bool live) {
    element_ = GST_ELEMENT(
        gst_object_ref_sink(g_object_new(gst_gl_background_matcher_get_type(), "name", "matcher", nullptr)));
    front_ = gst_harness_new_with_element(element_, "sink", "src");
    back_ = gst_harness_new_with_element(element_, "background", nullptr);
    for (GstHarness* harness : {front_, back_}) {
      gst_harness_set_live(harness, live ? TRUE : FALSE);
      gst_harness_set_upstream_latency(harness, kStep);
    }
    gst_harness_set_src_caps_str(front_, "video/x-raw,format=I420,width=4,height=6,framerate=25/1");
    gst_harness_set_src_caps_str(back_, "video/x-raw(memory:GLMemory),format=RGBA,width=8,height=2,texture-target=2D");
  }
  static GstBuffer* frame(GstClockTime pts, GstClockTime duration = GST_CLOCK_TIME_NONE) {
    GstBuffer* buffer = gst_buffer_new_allocate(nullptr, 4, nullptr);
    GST_BUFFER_PTS(buffer) = pts;
    GST_BUFFER_DURATION(buffer) = duration;
    return buffer;
  }
  // Returns the next frame as "its step:the step of its background", in steps from 0; "-" if there is none.
  std::string next() {
    GstBuffer* out = gst_harness_pull(front_);
    if (out == nullptr) return "nothing came";
    const BackgroundMeta* behind = background_meta_of(out);
    std::string text = std::to_string(GST_BUFFER_PTS(out) / kStep) + ":" +
                       (behind != nullptr ? std::to_string(GST_BUFFER_PTS(behind->frame) / kStep) : "-");
    if (behind != nullptr) {
      EXPECT_EQ(GST_VIDEO_INFO_WIDTH(&behind->info), 8);
      EXPECT_EQ(GST_VIDEO_INFO_HEIGHT(&behind->info), 2);
    }
    gst_buffer_unref(out);
    return text;
  }
  // Returns the next downstream event of that type, skipping all others; null if none arrives.
  OwnEvent next_event(GstEventType type) {
    for (int patience = 0; patience < 1000; ++patience) {
      while (GstEvent* event = gst_harness_try_pull_event(front_)) {
        OwnEvent own(event);
        if (GST_EVENT_TYPE(event) == type) return own;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return nullptr;
  }
  // Advances the clock to the time that the element waits for.
  GstClockTime wait_until() {
    EXPECT_TRUE(gst_harness_crank_single_clock_wait(front_));
    GstTestClock* clock = gst_harness_get_testclock(front_);
    const GstClockTime time = gst_clock_get_time(GST_CLOCK(clock));
    gst_object_unref(clock);
    return time;
  }
  void segment(GstHarness* harness, GstClockTime first) {
    GstSegment segment;
    gst_segment_init(&segment, GST_FORMAT_TIME);
    segment.start = segment.time = first;
    gst_harness_push_event(harness, gst_event_new_segment(&segment));
  }

  GstElement* element_ = nullptr;
  GstHarness *front_ = nullptr, *back_ = nullptr;
};

// With and without durations, with a slower or faster background that ends first.
TEST_F(BackgroundMatcherTest, MatchesByTime) {
  struct Case {
    GstClockTime every;
    bool durations;
    std::vector<std::string> expected;
  };
  const Case cases[] = {{kStep, true, {"0:0", "1:1", "2:2", "3:3", "4:4", "5:5", "6:5"}},
                        {kStep, false, {"0:0", "1:1", "2:2", "3:3", "4:4", "5:5", "6:5"}},
                        {2 * kStep, true, {"0:0", "1:0", "2:2", "3:2", "4:4", "5:4", "6:6"}},
                        {2 * kStep, false, {"0:0", "1:0", "2:2", "3:2", "4:4", "5:4", "6:6"}},
                        {kStep / 2, false, {"0:0", "1:1", "2:2", "3:2", "4:2", "5:2", "6:2"}}};
  for (const Case& tried : cases) {
    start(false);
    std::thread other([&] {
      for (GstClockTime i = 0; i < 6; ++i) {
        gst_harness_push(back_, frame(i * tried.every, tried.durations ? tried.every : GST_CLOCK_TIME_NONE));
      }
      gst_harness_push_event(back_, gst_event_new_eos());
    });
    std::vector<std::string> seen;
    for (GstClockTime i = 0; i < 7; ++i) {
      gst_harness_push(front_, frame(i * kStep, kStep));
      seen.push_back(next());
    }
    EXPECT_EQ(seen, tried.expected) << tried.every << ' ' << tried.durations;
    gst_harness_push_event(front_, gst_event_new_eos());
    EXPECT_NE(next_event(GST_EVENT_EOS), nullptr) << "the stream ends with the foreground";
    // The other video also gets EOS then or, from GStreamer 1.26 on, waits for another stream.
    GstPad* sink = gst_pad_get_peer(back_->srcpad);
    gst_pad_set_active(sink, FALSE);
    gst_object_unref(sink);
    other.join();
    TearDown();
    front_ = back_ = nullptr;
  }
}

// Frames are matched by running time, whatever the first timestamps of the videos.
TEST_F(BackgroundMatcherTest, FollowsSegments) {
  start(false);
  segment(front_, 10 * kStep);
  std::thread other([&] {
    for (GstClockTime i = 0; i < 4; ++i) gst_harness_push(back_, frame(i * kStep, kStep));
  });
  for (GstClockTime i = 0; i < 3; ++i) {
    gst_harness_push(front_, frame((10 + i) * kStep, kStep));
    EXPECT_EQ(next(), std::to_string(10 + i) + ":" + std::to_string(i));
  }
  other.join();
  const OwnEvent first = next_event(GST_EVENT_SEGMENT);
  ASSERT_NE(first, nullptr);
  const GstSegment* passed = nullptr;
  gst_event_parse_segment(first.get(), &passed);
  EXPECT_EQ(passed->start, 10 * kStep) << "from the foreground, and the only segment";
}

// A live foreground waits for at most the latency, and not at all for frames that are available.
TEST_F(BackgroundMatcherTest, LiveFramesDoNotWaitForLateBackgrounds) {
  start(true);
  gst_harness_push(front_, frame(0, kStep));
  EXPECT_EQ(wait_until(), kStep);
  EXPECT_EQ(next(), "0:-");
  gst_harness_push(back_, frame(kStep, kStep));
  gst_harness_push(front_, frame(kStep, kStep));
  EXPECT_EQ(next(), "1:1");
  gst_harness_push(front_, frame(2 * kStep, kStep));
  EXPECT_EQ(wait_until(), 3 * kStep);
  EXPECT_EQ(next(), "2:1") << "its last frame stays";
}

TEST_F(BackgroundMatcherTest, FramesWithoutTimesPass) {
  start(false);
  std::thread other([&] {
    for (int i = 0; i < 3; ++i) gst_harness_push(back_, frame(static_cast<GstClockTime>(i) * kStep));
  });
  for (int i = 0; i < 3; ++i) {
    gst_harness_push(front_, frame(GST_CLOCK_TIME_NONE));
    GstBuffer* out = gst_harness_pull(front_);
    ASSERT_NE(out, nullptr);
    ASSERT_NE(background_meta_of(out), nullptr);
    EXPECT_EQ(GST_BUFFER_PTS(background_meta_of(out)->frame), static_cast<GstClockTime>(i) * kStep);
    gst_buffer_unref(out);
  }
  other.join();
}

// Frames outside the segment of the other video are not shown.
TEST_F(BackgroundMatcherTest, SegmentsClipTheOtherVideo) {
  start(false);
  segment(back_, 3 * kStep);
  std::thread other([&] {
    for (GstClockTime i = 0; i < 5; ++i) gst_harness_push(back_, frame(i * kStep, kStep));
  });
  gst_harness_push(front_, frame(0, kStep));
  EXPECT_EQ(next(), "0:3");
  gst_harness_push(front_, frame(kStep, kStep));
  EXPECT_EQ(next(), "1:4");
  other.join();
}

TEST_F(BackgroundMatcherTest, OnlyForegroundGapsAreForwarded) {
  start(false);
  std::thread other([&] {
    gst_harness_push(back_, frame(0, kStep));
    gst_harness_push_event(back_, gst_event_new_gap(kStep, 2 * kStep));
    gst_harness_push(back_, frame(3 * kStep, kStep));
    gst_harness_push(back_, frame(4 * kStep, kStep));
  });
  gst_harness_push_event(front_, gst_event_new_gap(0, kStep));
  for (GstClockTime i = 1; i < 4; ++i) {
    gst_harness_push(front_, frame(i * kStep, kStep));
    EXPECT_EQ(next(), std::to_string(i) + (i < 3 ? ":0" : ":3"));
  }
  other.join();
  std::vector<GstEventType> order;
  while (GstEvent* event = gst_harness_try_pull_event(front_)) {
    order.push_back(GST_EVENT_TYPE(event));
    gst_event_unref(event);
  }
  ASSERT_GE(order.size(), 4u);
  EXPECT_EQ(order[0], GST_EVENT_STREAM_START);
  EXPECT_EQ(order[1], GST_EVENT_CAPS);
  EXPECT_EQ(order[2], GST_EVENT_SEGMENT);
  EXPECT_EQ(order[3], GST_EVENT_GAP);
}

TEST_F(BackgroundMatcherTest, TagsAndCustomEventsComeFromTheForeground) {
  start(false);
  for (GstHarness* harness : {back_, front_}) {
    const char* orientation = harness == front_ ? "rotate-180" : "rotate-90";
    gst_harness_push_event(harness,
                           gst_event_new_tag(gst_tag_list_new(GST_TAG_IMAGE_ORIENTATION, orientation, nullptr)));
    gst_harness_push_event(harness, gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM,
                                                         gst_structure_new_empty(harness == front_ ? "a" : "b")));
  }
  gst_harness_push(back_, frame(0, kStep));
  gst_harness_push(front_, frame(0, kStep));
  EXPECT_EQ(next(), "0:0");
  int tags = 0, own = 0;
  while (GstEvent* event = gst_harness_try_pull_event(front_)) {
    if (GST_EVENT_TYPE(event) == GST_EVENT_TAG) {
      GstTagList* list = nullptr;
      gst_event_parse_tag(event, &list);
      const gchar* orientation = nullptr;
      ASSERT_TRUE(gst_tag_list_peek_string_index(list, GST_TAG_IMAGE_ORIENTATION, 0, &orientation));
      EXPECT_STREQ(orientation, "rotate-180");
      ++tags;
    } else if (GST_EVENT_TYPE(event) == GST_EVENT_CUSTOM_DOWNSTREAM) {
      EXPECT_TRUE(gst_event_has_name(event, "a"));
      ++own;
    }
    gst_event_unref(event);
  }
  EXPECT_EQ(tags, 1);
  EXPECT_EQ(own, 1);
}

// Downstream events and queries go to the foreground.
TEST_F(BackgroundMatcherTest, UpstreamEventsGoToTheForeground) {
  start(false);
  gst_harness_push(back_, frame(0, kStep));
  gst_harness_push(front_, frame(0, kStep));
  EXPECT_EQ(next(), "0:0");
  const auto drain = [](GstHarness* harness) {
    std::vector<GstEventType> types;
    while (GstEvent* event = gst_harness_try_pull_upstream_event(harness)) {
      types.push_back(GST_EVENT_TYPE(event));
      gst_event_unref(event);
    }
    return types;
  };
  drain(front_);
  drain(back_);
  gst_harness_push_upstream_event(front_, gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 2, 5, kStep));
  gst_harness_push_upstream_event(front_, gst_event_new_navigation(gst_structure_new_empty("nothing")));
  gst_harness_push_upstream_event(front_, gst_event_new_reconfigure());
  EXPECT_EQ(drain(front_), (std::vector{GST_EVENT_QOS, GST_EVENT_NAVIGATION, GST_EVENT_RECONFIGURE}));
  EXPECT_TRUE(drain(back_).empty());
}

TEST_F(BackgroundMatcherTest, CapsAreNegotiatedEndToEnd) {
  start(false);
  gst_harness_push(back_, frame(0, kStep));
  gst_harness_push(front_, frame(0, kStep));
  EXPECT_EQ(next(), "0:0");
  GstCaps* taken = gst_caps_from_string("video/x-raw,format=I420,width=[1,64]");
  gst_harness_set_sink_caps(front_, gst_caps_copy(taken));
  GstCaps* asked = gst_pad_peer_query_caps(front_->srcpad, nullptr);
  EXPECT_TRUE(gst_caps_is_equal(asked, taken)) << gst_caps_to_string(asked);
  gst_caps_unref(asked);
  gst_caps_unref(taken);
  GstCaps* current = gst_pad_get_current_caps(front_->sinkpad);
  GstVideoInfo info;
  ASSERT_TRUE(gst_video_info_from_caps(&info, current));
  EXPECT_EQ(info.height, 6);
  gst_caps_unref(current);

  // New caps reach downstream with their first frame.
  gst_harness_set_src_caps_str(front_, "video/x-raw,format=I420,width=10,height=12,framerate=25/1");
  gst_harness_push(back_, frame(kStep, kStep));
  gst_harness_push(front_, frame(kStep, kStep));
  EXPECT_EQ(next(), "1:1");
  current = gst_pad_get_current_caps(front_->sinkpad);
  ASSERT_TRUE(gst_video_info_from_caps(&info, current));
  EXPECT_EQ(info.height, 12);
  gst_caps_unref(current);
}

// A seek flushes both videos. Earlier frames are not shown after it.
TEST_F(BackgroundMatcherTest, FlushDropsTheShownBackground) {
  start(false);
  gst_harness_push(back_, frame(0, 100 * kStep));
  gst_harness_push(front_, frame(0, kStep));
  EXPECT_EQ(next(), "0:0");
  const OwnEvent flush(gst_event_new_flush_start()), stop(gst_event_new_flush_stop(TRUE));
  gst_event_set_seqnum(stop.get(), gst_event_get_seqnum(flush.get()));
  for (GstEvent* event : {flush.get(), stop.get()}) {
    for (GstHarness* harness : {front_, back_}) gst_harness_push_event(harness, gst_event_ref(event));
  }
  EXPECT_NE(next_event(GST_EVENT_FLUSH_STOP), nullptr);
  for (GstHarness* harness : {front_, back_}) segment(harness, 0);
  gst_harness_push(back_, frame(2 * kStep, kStep));
  gst_harness_push(front_, frame(kStep, kStep));
  EXPECT_EQ(next(), "1:-");
}

// A seek of only one video would break both.
TEST_F(BackgroundMatcherTest, RejectsSeeksThatTheOtherVideoDoesNotFollow) {
  start(false);
  gst_harness_push(back_, frame(0, kStep));
  gst_harness_push(front_, frame(0, kStep));
  EXPECT_EQ(next(), "0:0");
  EXPECT_FALSE(gst_harness_push_upstream_event(
      front_,
      gst_event_new_seek(1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, 0)));
  gst_harness_push(back_, frame(kStep, kStep));
  gst_harness_push(front_, frame(kStep, kStep));
  EXPECT_EQ(next(), "1:1");
}

TEST_F(BackgroundMatcherTest, ReleasedPadsWakeWaiters) {
  start(false);
  gst_harness_push(front_, frame(0, kStep));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(gst_harness_buffers_received(front_), 0u);
  gst_harness_teardown(back_);
  back_ = nullptr;
  EXPECT_EQ(next(), "0:-");
}

}  // namespace
}  // namespace sightglass::test
