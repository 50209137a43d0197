// glfiguresrc leaves the GL state of the pipeline as found, and moves only parameters between CPU and GPU.
#include <gst/gl/gl.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

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

void expect_state_is_left_as_found(const std::string& properties) {
  Watch watch;
  const Launched pipeline("glfiguresrc name=figure num-buffers=10 " + properties +
                          " ! video/x-raw(memory:GLMemory),width=160,height=120 ! fakesink");
  watch.figure = pipeline["figure"];
  on_buffers(watch.figure, "src", [&watch](GstBuffer*) {
    gst_gl_context_thread_add(reinterpret_cast<GstGLBaseSrc*>(watch.figure)->context, look, &watch);
  });
  EXPECT_EQ(pipeline.outcome(), "end");
  EXPECT_GE(watch.compared, 4);
}

TEST(GlFigureSrcGuest, GlStateIsLeftAsFound) { expect_state_is_left_as_found(""); }

TEST(GlFigureSrcGuest, GlStateIsLeftAsFoundByLayers) { expect_state_is_left_as_found("output=foreground"); }

TEST(GlFigureSrcGuest, GlStateIsLeftAsFoundByFineDetail) {
  expect_state_is_left_as_found("detail=fine shutter=0.5 seed=2000002");
}

TEST(GlFigureSrcGuest, OnlyParametersAreUploaded) {
  init_gstreamer();
  install_transfer_counter();
  constexpr int kFrames = 40;
  const Launched pipeline(
      "glfiguresrc name=figure num-buffers=42 seed-interval=10 ! "
      "video/x-raw(memory:GLMemory),width=160,height=120 ! fakesink name=sink");
  // From the arrival of a frame to the departure of the next one: the commands that render it.
  count_between(pad_of(pipeline["sink"], "sink"), pad_of(pipeline["figure"], "src"));
  reset_transfer_counts();
  EXPECT_EQ(pipeline.outcome(), "end");
  const auto counts = transfer_counts();
  for (const auto& [name, number] : counts) std::printf("%s: %d\n", name.c_str(), number);
  EXPECT_EQ(counts.size(), 2U);
  EXPECT_GE(counts.at("frames"), kFrames);
  EXPECT_LE(counts.at("glBufferData"), counts.at("frames"));
}

}  // namespace
}  // namespace sightglass::test
