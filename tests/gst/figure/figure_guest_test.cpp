// glfiguresrc leaves the GL state of the pipeline as found, and moves only parameters between CPU and GPU.
#include <gst/gl/gl.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "gl/gl_bridge.h"
#include "harness/gl_state.h"
#include "test_pipeline.h"
#include "transfer_counter.h"

namespace sightglass::test {
namespace {

struct Watch {
  GstElement* figure = nullptr;
  GlState before;
  int frames = 0, compared = 0;
};

// On the GL thread, between two frames.
void look(GstGLContext* context, gpointer data) {
  auto* watch = static_cast<Watch*>(data);
  const auto gl = load_gl_api(context);
  ASSERT_TRUE(gl.ok()) << gl.status().message();
  EXPECT_EQ(gl->GetError(), static_cast<GLenum>(GL_NO_ERROR));
  // The first frames fill the pools, whose allocators unbind textures.
  constexpr int kWarmUp = 4;
  if (++watch->frames <= kWarmUp) {
    disturb_gl_state(*gl);
    return;
  }
  GlState now = snapshot_gl_state(*gl);
  if (!watch->before.empty()) {
    EXPECT_EQ(difference(watch->before, now), "");
    ++watch->compared;
  }
  watch->before = std::move(now);
}

TEST(GlFigureSrcGuest, GlStateIsLeftAsFound) {
  init_gstreamer();
  GstElement* pipeline = gst_parse_launch("glfiguresrc name=figure num-buffers=10 ! fakesink", nullptr);
  Watch watch;
  watch.figure = gst_bin_get_by_name(GST_BIN(pipeline), "figure");
  GstPad* pad = gst_element_get_static_pad(watch.figure, "src");
  gst_pad_add_probe(
      pad, GST_PAD_PROBE_TYPE_BUFFER,
      [](GstPad*, GstPadProbeInfo*, gpointer data) {
        auto* that = static_cast<Watch*>(data);
        gst_gl_context_thread_add(reinterpret_cast<GstGLBaseSrc*>(that->figure)->context, look, data);
        return GST_PAD_PROBE_OK;
      },
      &watch, nullptr);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstBus* bus = gst_element_get_bus(pipeline);
  GstMessage* end = gst_bus_timed_pop_filtered(bus, 30 * GST_SECOND,
                                               static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  ASSERT_NE(end, nullptr);
  EXPECT_EQ(GST_MESSAGE_TYPE(end), GST_MESSAGE_EOS);
  EXPECT_GE(watch.compared, 4);
  gst_message_unref(end);
  gst_object_unref(bus);
  gst_object_unref(pad);
  gst_object_unref(watch.figure);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
}

TEST(GlFigureSrcGuest, OnlyParametersAreUploaded) {
  init_gstreamer();
  install_transfer_counter();
  constexpr int kFrames = 40;
  GstElement* pipeline = gst_parse_launch(
      "glfiguresrc name=figure num-buffers=42 seed-interval=10 ! video/x-raw(memory:"
      "GLMemory),width=160,height=120 ! fakesink name=sink",
      nullptr);
  GstElement* figure = gst_bin_get_by_name(GST_BIN(pipeline), "figure");
  GstElement* sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  GstPad* src_pad = gst_element_get_static_pad(figure, "src");
  GstPad* sink_pad = gst_element_get_static_pad(sink, "sink");
  // From the arrival of a frame to the departure of the next one: the commands that render it.
  count_between(sink_pad, src_pad);
  reset_transfer_counts();
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstBus* bus = gst_element_get_bus(pipeline);
  GstMessage* end = gst_bus_timed_pop_filtered(bus, 60 * GST_SECOND,
                                               static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  ASSERT_NE(end, nullptr);
  EXPECT_EQ(GST_MESSAGE_TYPE(end), GST_MESSAGE_EOS);
  const auto counts = transfer_counts();
  for (const auto& [name, number] : counts) std::printf("%s: %d\n", name.c_str(), number);
  EXPECT_EQ(counts.size(), 2U);
  EXPECT_GE(counts.at("frames"), kFrames);
  EXPECT_LE(counts.at("glBufferData"), counts.at("frames"));
  gst_message_unref(end);
  gst_object_unref(bus);
  for (GstPad* pad : {src_pad, sink_pad}) gst_object_unref(pad);
  for (GstElement* element : {figure, sink}) gst_object_unref(element);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
}

}  // namespace
}  // namespace sightglass::test
