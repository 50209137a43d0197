// The behavior of every element that runs a model if its neighbors, which are a harness, or the application do
// something unusual: invalid frames, errors, state changes, other GL contexts, and all of these at the same time.
#include <gst/video/video.h>

#include <algorithm>
#include <cstdio>

#include "element_harness.h"
#include "model_elements.h"
#include "red_picture.h"
#include "test_pipeline.h"

namespace sightglass::test {
namespace {

class HarnessRobust : public EveryModelElement {};
INSTANTIATE_TEST_SUITE_P(Elements, HarnessRobust, kModelElements, name_of_element);

constexpr GstGLTextureTarget k2D = GST_GL_TEXTURE_TARGET_2D;

// A frame that does not match the caps is an error that states the reason. The next frame is shown.
void expect_refusal(ElementHarness& harness, GstBuffer* frame, const std::string& reason) {
  EXPECT_EQ(harness.push(frame), GST_FLOW_ERROR) << reason;
  const std::string error = harness.error();
  EXPECT_NE(error.find(reason), std::string::npos) << error << "\nmust contain: " << reason;
  EXPECT_EQ(harness.pull(), nullptr) << reason;
}

TEST_P(HarnessRobust, FramesWithoutTexturesAreErrors) {
  ElementHarness harness(element());
  harness.begin();
  for (const bool first : {true, false}) {
    expect_refusal(harness, gst_buffer_new_allocate(nullptr, 12288, nullptr), "put glupload upstream");
    expect_refusal(harness, gst_buffer_new(), "put glupload upstream");
    EXPECT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << first << ": " << harness.error();
    EXPECT_NE(harness.pull(), nullptr) << first;
  }
  EXPECT_EQ(harness.stat("frames"), 2U);
}

TEST_P(HarnessRobust, FramesOfOtherTexturesAreErrors) {
  TextureSource another;
  ElementHarness harness(element());
  harness.begin();
  expect_refusal(harness, another.make(left_half_red(64, 48), k2D), "shares no objects");
  if (GstBuffer* external = harness.source().make(left_half_red(64, 48), GST_GL_TEXTURE_TARGET_EXTERNAL_OES)) {
    expect_refusal(harness, external, "external-oes");
  }
  EXPECT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << harness.error();
  EXPECT_NE(harness.pull(), nullptr);
  harness.send_caps(
      "video/x-raw(memory:GLMemory),format=NV12,texture-target=2D,width=64,height=48,"
      "framerate=30/1");
  expect_refusal(harness, harness.frame(), "the caps require 2");
  harness.begin();
  EXPECT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << harness.error();
}

// If the size of a frame does not match the caps, in either direction, it is shown at the size in the caps.
TEST_P(HarnessRobust, TexturesOfAnotherSizeAreScaled) {
  ElementHarness harness(element());
  harness.begin();
  for (const auto& [width, height] : {std::pair{32, 24}, {128, 96}, {1, 1}, {64, 1}}) {
    EXPECT_EQ(harness.push(harness.frame(width, height)), GST_FLOW_OK) << harness.error();
  }
  EXPECT_EQ(harness.take_log(), (Log{"stream-start", "caps 64x48", "segment", "buffer 64x48", "buffer 64x48",
                                     "buffer 64x48", "buffer 64x48"}));
}

// The flow return of downstream is forwarded upstream. It is not an error of the element.
TEST_P(HarnessRobust, DownstreamErrorsGoUpstream) {
  ElementHarness harness(element());
  harness.begin();
  ASSERT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << harness.error();
  for (GstFlowReturn flow : {GST_FLOW_NOT_LINKED, GST_FLOW_FLUSHING, GST_FLOW_EOS, GST_FLOW_NOT_NEGOTIATED,
                             GST_FLOW_ERROR, GST_FLOW_CUSTOM_ERROR}) {
    const gulong probe = gst_pad_add_probe(
        harness.downstream(), GST_PAD_PROBE_TYPE_BUFFER,
        [](GstPad*, GstPadProbeInfo* info, gpointer data) {
          GST_PAD_PROBE_INFO_FLOW_RETURN(info) = *static_cast<GstFlowReturn*>(data);
          gst_buffer_unref(GST_PAD_PROBE_INFO_BUFFER(info));
          return GST_PAD_PROBE_HANDLED;
        },
        &flow, nullptr);
    EXPECT_EQ(harness.push(harness.frame()), flow) << gst_flow_get_name(flow);
    gst_pad_remove_probe(harness.downstream(), probe);
    EXPECT_EQ(harness.error(), "") << gst_flow_get_name(flow);
    EXPECT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << "after " << gst_flow_get_name(flow);
  }
}

TEST_P(HarnessRobust, EveryStartIsLikeTheFirst) {
  ElementHarness harness(element());
  harness.begin();
  const Log stream = {"stream-start", "caps 64x48", "segment", "buffer 64x48", "buffer 64x48"};
  for (const GstState between : {GST_STATE_READY, GST_STATE_NULL, GST_STATE_READY, GST_STATE_NULL}) {
    for (int i = 0; i < 2; ++i) ASSERT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << harness.error();
    EXPECT_EQ(harness.take_log(), stream);
    EXPECT_EQ(harness.stat("frames"), 2U);
    ASSERT_EQ(gst_element_set_state(harness.element(), between), GST_STATE_CHANGE_SUCCESS);
    EXPECT_EQ(harness.push(harness.frame()), GST_FLOW_FLUSHING);
    // Once without a frame.
    for (const GstState state : {GST_STATE_PLAYING, between, GST_STATE_PLAYING}) {
      ASSERT_EQ(gst_element_set_state(harness.element(), state), GST_STATE_CHANGE_SUCCESS);
    }
    EXPECT_EQ(harness.take_log(), Log{});
    ASSERT_TRUE(gst_harness_push_event(harness.get(), gst_event_new_stream_start("another")));
    harness.begin();
  }
  EXPECT_EQ(harness.error(), "");
}

TEST_P(HarnessRobust, APauseKeepsAllState) {
  ElementHarness harness(element());
  harness.begin();
  ASSERT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << harness.error();
  harness.take_log();
  for (const GstState state : {GST_STATE_PAUSED, GST_STATE_PLAYING, GST_STATE_PAUSED}) {
    ASSERT_EQ(gst_element_set_state(harness.element(), state), GST_STATE_CHANGE_SUCCESS);
    ASSERT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << harness.error();
    EXPECT_EQ(harness.take_log(), Log{"buffer 64x48"});
  }
  EXPECT_EQ(harness.stat("frames"), 4U);
}

// Input and output frames belong to one context, then to the other. No caps are sent again.
TEST_P(HarnessRobust, AnotherGlContextFromTheNextFrameOn) {
  TextureSource another;
  ElementHarness harness(element());
  harness.begin();
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << harness.error();
    const OwnBuffer before = harness.pull();
    ASSERT_NE(before, nullptr);
    EXPECT_EQ(GST_GL_BASE_MEMORY_CAST(gst_buffer_peek_memory(before.get(), 0))->context, harness.source().context());
    another.give_to(harness.element());
    ASSERT_EQ(harness.push(another.make(left_half_red(64, 48), k2D)), GST_FLOW_OK) << harness.error();
    const OwnBuffer after = harness.pull();
    ASSERT_NE(after, nullptr);
    EXPECT_EQ(GST_GL_BASE_MEMORY_CAST(gst_buffer_peek_memory(after.get(), 0))->context, another.context());
    expect_refusal(harness, harness.frame(), "shares no objects");
    harness.source().give_to(harness.element());
  }
  EXPECT_EQ(harness.take_log(), (Log{"stream-start", "caps 64x48", "segment", "buffer 64x48", "buffer 64x48",
                                     "buffer 64x48", "buffer 64x48"}));
}

// State changes, frames, properties, QoS, and reconfiguration, each from its own thread.
TEST_P(HarnessRobust, EverythingAtOnce) {
  ElementHarness harness(element());
  GstHarness* all = harness.get();
  gst_harness_set_drop_buffers(all, TRUE);
  const OwnBuffer frame(harness.frame());
  GST_BUFFER_PTS(frame.get()) = GST_SECOND;
  const OwnCaps caps = caps_of(TextureSource::caps(64, 48, k2D));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  GValue direction = G_VALUE_INIT;
  g_value_init(&direction, GST_TYPE_VIDEO_ORIENTATION_METHOD);
  g_value_set_enum(&direction, GST_VIDEO_ORIENTATION_90R);
  GValue upright = G_VALUE_INIT;
  g_value_init(&upright, GST_TYPE_VIDEO_ORIENTATION_METHOD);
  const OwnEvent in_time(gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 0.5, 0, 0));
  const OwnEvent late(gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 0.5, 0, 2 * GST_SECOND));
  const OwnEvent reconfigure(gst_event_new_reconfigure());
  GstHarnessThread* frames = gst_harness_stress_push_buffer_with_cb_start(
      all, caps.get(), &segment,
      [](GstHarness*, gpointer made) { return gst_buffer_copy(static_cast<GstBuffer*>(made)); }, frame.get(), nullptr);
  GstHarnessThread* others[] = {
      gst_harness_stress_property_start_full(all, "video-direction", &direction, 3000),
      gst_harness_stress_property_start_full(all, "video-direction", &upright, 2000),
      gst_harness_stress_push_upstream_event_start_full(all, in_time.get(), 3000),
      gst_harness_stress_push_upstream_event_start_full(all, late.get(), 5000),
      gst_harness_stress_push_upstream_event_start_full(all, reconfigure.get(), 7000),
  };
  // Every second start is aborted at once, whatever its progress. The others, however slow, output a frame.
  guint64 most = 0;
  constexpr guint kStarts = 40;
  for (guint start = 0; start < kStarts; ++start) {
    EXPECT_NE(gst_element_set_state(harness.element(), GST_STATE_NULL), GST_STATE_CHANGE_FAILURE);
    EXPECT_NE(gst_element_set_state(harness.element(), GST_STATE_PLAYING), GST_STATE_CHANGE_FAILURE);
    const guint before = gst_harness_buffers_received(all);
    for (int i = 0; start % 2 == 0 && i < 1000 && gst_harness_buffers_received(all) == before; ++i) {
      g_usleep(10000);
    }
    g_usleep(start % 5 * 5000);
    most = std::max(most, harness.stat("frames"));
  }
  for (GstHarnessThread* thread : others) gst_harness_stress_thread_stop(thread);
  const guint pushed = gst_harness_stress_thread_stop(frames);
  std::printf("%s: %u frames pushed, %u came out, up to %d between two starts\n", GetParam(), pushed,
              gst_harness_buffers_received(all), static_cast<int>(most));
  EXPECT_GE(gst_harness_buffers_received(all), kStarts / 2);
  EXPECT_EQ(harness.error(), "");
  ASSERT_NE(gst_element_set_state(harness.element(), GST_STATE_NULL), GST_STATE_CHANGE_FAILURE);
  ASSERT_NE(gst_element_set_state(harness.element(), GST_STATE_PLAYING), GST_STATE_CHANGE_FAILURE);
  ASSERT_TRUE(gst_harness_push_event(all, gst_event_new_stream_start("another")));
  harness.begin();
  harness.take_log();
  EXPECT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << harness.error();
  const Log log = harness.take_log();
  ASSERT_FALSE(log.empty());
  EXPECT_EQ(log.back().substr(0, 6), "buffer");
}

}  // namespace
}  // namespace sightglass::test
