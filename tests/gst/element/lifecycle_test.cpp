// Elements that run models in real pipelines: state changes, seeks, controllers, and many pipelines at a time.
#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gstinterpolationcontrolsource.h>
#include <gst/gl/gl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>

#include "gl/gl_bridge.h"
#include "model_elements.h"
#include "red_picture.h"
#include "test_pipeline.h"
#include "texture_source.h"

namespace sightglass::test {
namespace {

class Lifecycle : public EveryModelElement {};
INSTANTIATE_TEST_SUITE_P(Elements, Lifecycle, kModelElements, name_of_element);

// Resources of the process that must not grow.
struct Holdings {
  int descriptors = 0;
  int gl_objects = 0;
  double mib = 0;
};

// Objects of the context and of those that share with it. Drivers assign the lowest free names.
int count_gl_objects(GstGLContext* context) {
  int count = 0;
  gst_gl_context_thread_add(
      context,
      [](GstGLContext* current, gpointer data) {
        const auto is = [current](const char* name) {
          return reinterpret_cast<GLboolean (*)(GLuint)>(gst_gl_context_get_proc_address(current, name));
        };
        const std::array kinds{is("glIsTexture"),     is("glIsBuffer"),      is("glIsProgram"), is("glIsShader"),
                               is("glIsFramebuffer"), is("glIsVertexArray"), is("glIsSampler"), is("glIsRenderbuffer")};
        for (const auto exists : kinds) {
          for (GLuint name = 1; name < 4096; ++name) *static_cast<int*>(data) += exists(name) != GL_FALSE ? 1 : 0;
        }
      },
      &count);
  return count;
}

Holdings count_holdings(GstGLContext* context) {
  Holdings now;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++now.descriptors;
  now.gl_objects = count_gl_objects(context);
  std::ifstream file("/proc/self/statm");
  int64_t total = 0, resident = 0;
  file >> total >> resident;
  now.mib = static_cast<double>(resident * sysconf(_SC_PAGESIZE)) / (1 << 20);
  return now;
}

TEST_P(Lifecycle, AHundredStarts) {
  constexpr int kWarmUp = 20, kCycles = 100;
  TextureSource source;
  TestPipeline pipeline(
      element(std::string(GetParam()) == "glsegment" ? "name=segment attach-mask=true" : "name=segment"));
  source.give_to(pipeline.pipeline());
  Holdings before;
  int most_objects = 0;
  for (int i = 0; i < kWarmUp + kCycles; ++i) {
    if (i == kWarmUp) before = count_holdings(source.context());
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << i;
    ASSERT_TRUE(pipeline.pass(left_half_red(64, 48))) << i << ": " << pipeline.error(1);
    if (i == kWarmUp) most_objects = count_gl_objects(source.context());
    ASSERT_TRUE(pipeline.set_state(GST_STATE_READY, true)) << i;
  }
  const Holdings after = count_holdings(source.context());
  std::printf("descriptors %d, then %d; GL objects %d (playing: %d), then %d; resident %.1f MiB, then %.1f\n",
              before.descriptors, after.descriptors, before.gl_objects, most_objects, after.gl_objects, before.mib,
              after.mib);
  EXPECT_LE(after.descriptors, before.descriptors);
  EXPECT_LE(after.gl_objects, before.gl_objects);
  EXPECT_GT(most_objects, before.gl_objects) << "objects are counted";
#ifndef __SANITIZE_ADDRESS__  // which keeps freed memory back
  // 15 KiB per start belong to the pipeline: they are the same with `identity` in place of this element.
  EXPECT_LE(after.mib, before.mib + 4);
#endif
  EXPECT_EQ(pipeline.error(), "");
}

std::string test_source(int frames) {
  return "videotestsrc num-buffers=" + std::to_string(frames) +
         " ! video/x-raw,format=RGBA,width=64,height=48 ! glupload ! ";
}

// Two threads, one GL context, one frame for both.
TEST_P(Lifecycle, TwoBranches) {
  const Launched running(test_source(50) + "tee name=t  t. ! queue ! " + element("name=a") +
                         " ! fakesink  t. ! queue ! " + element("name=b") + " ! fakesink");
  EXPECT_EQ(running.outcome(), "end");
  for (const char* name : {"a", "b"}) EXPECT_EQ(stat_of(running[name], "frames"), 50U) << name;
}

// Each has its own display and threads, all at the same time. They end in another order than they start.
TEST_P(Lifecycle, TenPipelinesAtOnce) {
  std::vector<std::unique_ptr<Launched>> pipelines;
  for (int i = 0; i < 10; ++i) {
    pipelines.push_back(std::make_unique<Launched>(test_source(30) + element() + " ! fakesink"));
    pipelines.back()->play();
  }
  // Without a window system, all GStreamer displays are one EGLDisplay, and the first one that ends terminates it.
  // Contexts that are being created then fail, whatever the elements.
  for (const auto& pipeline : pipelines) ASSERT_TRUE(pipeline->settles());
  for (const size_t i : {9, 0, 5, 1, 8, 2, 7, 3, 6, 4}) {
    EXPECT_EQ(outcome_of(pipelines[i]->get()), "end") << i;
    EXPECT_EQ(stat_of((*pipelines[i])["segment"], "frames"), 30U) << i;
    pipelines[i].reset();
  }
}

void seek_while_playing(const std::string& element) {
  const Launched running(test_source(300) + element + " ! fakesink");
  running.play();
  ASSERT_TRUE(running.settles()) << outcome_of(running.get());
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(gst_element_seek_simple(running.get(), GST_FORMAT_TIME,
                                        static_cast<GstSeekFlags>(GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE),
                                        static_cast<gint64>(i * 7 % 10) * GST_SECOND / 2))
        << element << ", seek " << i;
    g_usleep(static_cast<gulong>(i % 4) * 5000);
  }
  EXPECT_EQ(outcome_of(running.get()), "end") << element;
  EXPECT_GE(stat_of(running["segment"], "frames"), 1U) << element;
}

TEST_P(Lifecycle, SeeksWhilePlaying) { seek_while_playing(element()); }
TEST(LifecycleOfLatestMasks, SeeksWhilePlaying) {
  seek_while_playing(model_element("glsegment", "name=segment mask-sync=latest"));
}

// A pipeline that ends late does not affect the next one.
TEST(LifecycleOfDisplays, OneEndsWhileAnotherLives) {
  init_gstreamer();
  const auto create = [](GstGLDisplay* display, GstGLContext* other) {
    GstGLContext* context = nullptr;
    GError* error = nullptr;
    EXPECT_TRUE(gst_gl_display_create_context(display, other, &context, &error))
        << (error != nullptr ? error->message : "no reason");
    g_clear_error(&error);
    return context;
  };
  GstGLDisplay* const first = gst_gl_display_new();
  GstGLDisplay* const second = gst_gl_display_new();
  GstGLContext* of_first = create(first, nullptr);
  GstGLContext* of_second = create(second, nullptr);
  gst_clear_object(&of_first);
  gst_object_unref(first);
  GstGLContext* shared = create(second, of_second);
  gst_clear_object(&shared);
  gst_clear_object(&of_second);
  gst_object_unref(second);
}

// Each frame has the controller value of its time.
TEST(LifecycleOfColors, ControllerOnALiveProperty) {
  TestPipeline pipeline(model_element("glsegment", "name=segment background=color"));
  GstControlSource* source = gst_interpolation_control_source_new();
  g_object_set(source, "mode", GST_INTERPOLATION_MODE_NONE, nullptr);
  constexpr int kFrames = 6;
  for (guint i = 0; i < kFrames; ++i) {
    // Slightly before the time of the frame, which is rounded.
    const GstClockTime time = i == 0 ? 0 : i * (GST_SECOND / 30) - GST_MSECOND;
    gst_timed_value_control_source_set(GST_TIMED_VALUE_CONTROL_SOURCE(source), time, 0xff000000U + 40 * i);
  }
  gst_object_add_control_binding(
      GST_OBJECT(pipeline.element()),
      gst_direct_control_binding_new_absolute(GST_OBJECT(pipeline.element()), "background-color", source));
  gst_object_unref(source);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  for (int i = 0; i < kFrames; ++i) {
    const Rgba out = pipeline.shown(left_half_red(64, 48));
    EXPECT_EQ(out.at(60, 24)[2], 40 * i) << "frame " << i;
  }
}

}  // namespace
}  // namespace sightglass::test
