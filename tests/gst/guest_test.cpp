// glsegment leaves the pipeline's GL context, and one that shares with it, as found.
#include <gst/gl/gl.h>
#include <gtest/gtest.h>

#include "gl_bridge.h"
#include "harness/gl_state.h"
#include "test_pipeline.h"
#include "tiny_model.h"

namespace sightglass::test {
namespace {

struct Snapshot {
  GlState state;
  GLenum error = GL_NO_ERROR;
};

Snapshot snapshot(GstGLContext* context) {
  Snapshot result;
  gst_gl_context_thread_add(
      context,
      [](GstGLContext* current, gpointer data) {
        auto* out = static_cast<Snapshot*>(data);
        const auto gl = load_gl_api(current);
        ASSERT_TRUE(gl.ok()) << gl.status().message();
        out->error = gl->GetError();
        out->state = snapshot_gl_state(*gl);
      },
      &result);
  return result;
}

struct Watch {
  GstElement* segment = nullptr;
  GstGLContext* shared = nullptr;
  Snapshot before, before_shared, after, after_shared;
  int frames = 0, compared = 0;
};

// In the first frames GStreamer fills the element's pool, and its allocator unbinds the texture of the active unit.
constexpr int kWarmUp = 4;

GstGLContext* context_of(GstElement* segment) {
  GstGLContext* context = nullptr;
  g_object_get(segment, "context", &context, nullptr);
  return context;
}

GstPadProbeReturn on_sink(GstPad*, GstPadProbeInfo*, gpointer data) {
  auto* watch = static_cast<Watch*>(data);
  GstGLContext* context = context_of(watch->segment);
  if (context == nullptr) return GST_PAD_PROBE_OK;  // before the first frame
  if (watch->shared == nullptr) {
    GError* error = nullptr;
    GstGLDisplay* display = gst_gl_context_get_display(context);
    EXPECT_TRUE(gst_gl_display_create_context(display, context, &watch->shared, &error));
    gst_object_unref(display);
  }
  watch->before = snapshot(context);
  watch->before_shared = snapshot(watch->shared);
  gst_object_unref(context);
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn on_src(GstPad*, GstPadProbeInfo*, gpointer data) {
  auto* watch = static_cast<Watch*>(data);
  if (watch->shared == nullptr) return GST_PAD_PROBE_OK;
  GstGLContext* context = context_of(watch->segment);
  watch->after = snapshot(context);
  watch->after_shared = snapshot(watch->shared);
  gst_object_unref(context);
  if (++watch->frames <= kWarmUp) return GST_PAD_PROBE_OK;
  EXPECT_GE(watch->before.state.size(), 40U);
  EXPECT_EQ(difference(watch->before.state, watch->after.state), "");
  EXPECT_EQ(difference(watch->before_shared.state, watch->after_shared.state), "");
  EXPECT_EQ(watch->after.error, static_cast<GLenum>(GL_NO_ERROR));
  ++watch->compared;
  return GST_PAD_PROBE_OK;
}

TEST(GoodGuest, GlStateIsLeftAsFound) {
  for (const char* background : {"blur", "color", "transparent", "mask"}) {
    TestPipeline pipeline("gleffects_sepia ! glsegment name=segment background=" + std::string(background) +
                          " model=" + red_model() + " ! gleffects_mirror");
    Watch watch;
    watch.segment = pipeline.segment();
    GstPad* sink = gst_element_get_static_pad(watch.segment, "sink");
    GstPad* src = gst_element_get_static_pad(watch.segment, "src");
    gst_pad_add_probe(sink, GST_PAD_PROBE_TYPE_BUFFER, on_sink, &watch, nullptr);
    gst_pad_add_probe(src, GST_PAD_PROBE_TYPE_BUFFER, on_src, &watch, nullptr);
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
    for (int i = 0; i < kWarmUp + 4; ++i) ASSERT_TRUE(pipeline.pass(Rgba(96, 64))) << pipeline.error();
    EXPECT_GE(watch.compared, 3) << background;
    pipeline.set_state(GST_STATE_NULL, true);
    gst_object_unref(sink);
    gst_object_unref(src);
    gst_clear_object(&watch.shared);
  }
}

// What follows must draw the same picture, whether glsegment was there or not.
TEST(GoodGuest, NeighboursDrawTheSame) {
  Rgba frame(96, 64);
  for (size_t i = 0; i < frame.pixels.size(); ++i) frame.pixels[i] = i % 4 == 3 ? 255 : static_cast<uint8_t>(i * 7);
  const auto run = [&](const std::string& middle) {
    TestPipeline pipeline(middle);
    EXPECT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
    std::optional<Rgba> out;
    for (int i = 0; i < 3; ++i) out = pipeline.pass(frame);
    EXPECT_TRUE(out) << pipeline.error();
    return out ? out->pixels : std::vector<uint8_t>();
  };
  // Everything is foreground: the element changes no pixel.
  const std::string all = "glsegment name=segment input-scale=0 input-offset=2 model=" + red_model(Head::kSigmoid);
  EXPECT_EQ(run("gleffects_mirror ! gleffects_sepia"), run("gleffects_mirror ! " + all + " ! gleffects_sepia"));
}

}  // namespace
}  // namespace sightglass::test
