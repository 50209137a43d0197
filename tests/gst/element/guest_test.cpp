// Elements that run models leave the state of the GL context of the pipeline, and of one that shares with it, as found.
// They draw the same whatever the state.
#include <gst/gl/gl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <vector>

#include "gl/gl_bridge.h"
#include "harness/gl_state.h"
#include "model_elements.h"
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
  std::vector<GstBuffer*> read_upstream;
  int frames = 0, compared = 0;
  bool disturbed = false;
};

// During the first frames, GStreamer fills the pool of the element, and its allocator unbinds the texture of the active
// unit.
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
  if (watch->disturbed) {
    gst_gl_context_thread_add(
        context,
        [](GstGLContext* current, gpointer) {
          const auto gl = load_gl_api(current);
          ASSERT_TRUE(gl.ok()) << gl.status().message();
          disturb_gl_state(*gl);
        },
        nullptr);
  }
  // GStreamer's allocator unbinds the texture of the active unit whenever a pool grows: so that has none.
  gst_gl_context_thread_add(
      context,
      [](GstGLContext* current, gpointer) {
        const auto gl = load_gl_api(current);
        ASSERT_TRUE(gl.ok()) << gl.status().message();
        gl->ActiveTexture(GL_TEXTURE15);
        gl->BindTexture(GL_TEXTURE_2D, 0);
      },
      nullptr);
  watch->before = snapshot(context);
  watch->before_shared = snapshot(watch->shared);
  gst_object_unref(context);
  return GST_PAD_PROBE_OK;
}

// The upstream neighbor leaves the texture that it has read bound to unit 1. GL unbinds a texture when it is deleted,
// on any thread that frees its last buffer, so these textures live as long as frames are compared.
GstPadProbeReturn on_neighbor(GstPad*, GstPadProbeInfo* info, gpointer data) {
  static_cast<Watch*>(data)->read_upstream.push_back(gst_buffer_ref(GST_PAD_PROBE_INFO_BUFFER(info)));
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

Rgba colorful_frame() {
  Rgba frame(96, 64);
  for (size_t i = 0; i < frame.pixels.size(); ++i) frame.pixels[i] = i % 4 == 3 ? 255 : static_cast<uint8_t>(i * 7);
  return frame;
}

// An element with properties: "FACTORY" or "FACTORY PROPERTY=VALUE".
class GoodGuest : public ::testing::TestWithParam<const char*> {
 protected:
  static std::string element() {
    const std::string text = GetParam();
    const size_t space = std::min(text.find(' '), text.size());
    return model_element(text.substr(0, space), "name=segment" + text.substr(space));
  }
};
INSTANTIATE_TEST_SUITE_P(Elements, GoodGuest,
                         ::testing::Values("glsegment background=blur", "glsegment background=blur bokeh=disc",
                                           "glsegment background=color", "glsegment background=transparent",
                                           "glsegment background=mask", "glsegment background=color despill=off",
                                           "glsegment background=transparent feather=-8 edge-offset=2",
                                           "glsegment refine=guided feather=3 light-wrap=1 background=color",
                                           "glsegment attach-mask=true", "glpose", "glinfer range-smoothing=0"),
                         [](const auto& param) {
                           std::string name = param.param;
                           std::ranges::replace_if(
                               name, [](char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

// With probes upstream and downstream of the element.
class Watched {
 public:
  explicit Watched(const std::string& middle) : pipeline(middle) {
    watch.segment = pipeline.element();
    sink_ = gst_element_get_static_pad(watch.segment, "sink");
    src_ = gst_element_get_static_pad(watch.segment, "src");
    gst_pad_add_probe(sink_, GST_PAD_PROBE_TYPE_BUFFER, on_sink, &watch, nullptr);
    gst_pad_add_probe(src_, GST_PAD_PROBE_TYPE_BUFFER, on_src, &watch, nullptr);
    GstPad* peer = gst_pad_get_peer(sink_);
    GstElement* neighbor = gst_pad_get_parent_element(peer);
    if (GstPad* read = gst_element_get_static_pad(neighbor, "sink"); read != nullptr) {
      gst_pad_add_probe(read, GST_PAD_PROBE_TYPE_BUFFER, on_neighbor, &watch, nullptr);
      gst_object_unref(read);
    }
    gst_object_unref(neighbor);
    gst_object_unref(peer);
  }
  ~Watched() {
    pipeline.set_state(GST_STATE_NULL, true);
    gst_object_unref(sink_);
    gst_object_unref(src_);
    for (GstBuffer* buffer : watch.read_upstream) gst_buffer_unref(buffer);
    gst_clear_object(&watch.shared);
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

  TestPipeline pipeline;
  Watch watch;

 private:
  GstPad *sink_ = nullptr, *src_ = nullptr;
};

void expect_state_as_found(const std::string& element) {
  Watched watched("gleffects_sepia ! " + element + " ! gleffects_mirror");
  ASSERT_TRUE(watched.pipeline.set_state(GST_STATE_PLAYING));
  for (int i = 0; i < kWarmUp + 4; ++i) {
    ASSERT_TRUE(watched.pipeline.pass(colorful_frame())) << watched.pipeline.error();
  }
  EXPECT_GE(watched.watch.compared, 3);
}

TEST_P(GoodGuest, GlStateIsLeftAsFound) { expect_state_as_found(element()); }

// Its colors depend on earlier frames, which the next test does not expect.
TEST(GlSegmentGuest, LowLightLeavesGlStateAsFound) {
  expect_state_as_found(model_element("glsegment", "name=segment low-light=1 background=color"));
}

// The same images before and after a neighbor has changed the drawing state.
TEST_P(GoodGuest, DrawsWhateverStateItFinds) {
  Watched watched(element());
  ASSERT_TRUE(watched.pipeline.set_state(GST_STATE_PLAYING));
  const auto usual = watched.pipeline.pass(colorful_frame());
  ASSERT_TRUE(usual) << watched.pipeline.error();
  // No texture of the pool has that image any more.
  for (int i = 0; i < 2 * kWarmUp; ++i) ASSERT_TRUE(watched.pipeline.pass(Rgba(96, 64)));
  watched.watch.disturbed = true;
  const auto disturbed = watched.pipeline.pass(colorful_frame());
  ASSERT_TRUE(disturbed) << watched.pipeline.error();
  EXPECT_TRUE(usual->pixels == disturbed->pixels);
  EXPECT_GE(watched.watch.compared, 3);
}

// Downstream elements must draw the same image, with or without glsegment.
TEST(GlSegmentGuest, NeighborsDrawTheSame) {
  const Rgba frame = colorful_frame();
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
