// glsegment in pipelines: negotiation, output, and robustness.
#include <gst/gl/gl.h>
#include <gst/gl/gstglfuncs.h>
#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "harness/golden.h"
#include "harness/scratch_folder.h"
#include "red_picture.h"
#include "test_pipeline.h"
#include "tiny_model.h"

namespace sightglass::test {
namespace {

std::string element(const std::string& properties, Head head = Head::kSigmoid) {
  return "glsegment name=segment model=" + red_model(head) + " " + properties;
}

void expect_mask(const std::optional<Rgba>& mask, int32_t width, int32_t height, const char* what) {
  ASSERT_TRUE(mask) << what;
  ASSERT_EQ(mask->width, width) << what;
  ASSERT_EQ(mask->height, height) << what;
  EXPECT_EQ(mask->at(width / 8, height / 2)[0], 255) << what;
  EXPECT_EQ(mask->at(width - 1 - width / 8, height / 2)[0], 0) << what;
}

std::string renderer_of(GstElement* filter) {
  std::string renderer;
  gst_gl_context_thread_add(
      reinterpret_cast<GstGLBaseFilter*>(filter)->context,
      [](GstGLContext* context, gpointer data) {
        *static_cast<std::string*>(data) = reinterpret_cast<const char*>(context->gl_vtable->GetString(GL_RENDERER));
      },
      &renderer);
  return renderer;
}

TEST(GlSegment, SeparatesForegroundAndBackground) {
  TestPipeline pipeline(element("background=mask"));
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  expect_mask(pipeline.pass(left_half_red(320, 240)), 320, 240, "mask");
  // If a test is for one driver, no other driver may replace it.
  const char* wanted = std::getenv("SIGHTGLASS_TEST_RENDERER");
  const std::string renderer = renderer_of(pipeline.element());
  EXPECT_TRUE(wanted == nullptr || renderer.starts_with(wanted)) << renderer;
  EXPECT_EQ(pipeline.error(), "");
}

TEST(GlSegment, AcceptsTheNameOfAStoredModel) {
  const std::string hair = "segmentation/mediapipe_hair_segmentation";
  if (real_model(hair).empty()) GTEST_SKIP() << no_model(hair);
  const std::filesystem::path folder = scratch_folder() / "data/sightglass/models";
  std::filesystem::create_directories(folder);
  std::filesystem::copy_file(real_model(hair), folder / "hair_segmentation.tflite");
  TestPipeline pipeline("glsegment name=segment model=hair-segmenter background=mask");
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  EXPECT_TRUE(pipeline.pass(left_half_red(64, 64))) << pipeline.error();
  EXPECT_EQ(pipeline.error(), "");
}

// A single red corner must stay in that corner, without a flip or a transposition.
TEST(GlSegment, KeepsTheOrientation) {
  for (const char* fit : {"stretch", "letterbox"}) {
    TestPipeline pipeline(element(std::string("background=mask fit=") + fit));
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
    const auto mask = pipeline.pass(picture(200, 100, [](int32_t x, int32_t y) { return x < 100 && y < 50; }));
    ASSERT_TRUE(mask) << pipeline.error();
    EXPECT_EQ(mask->at(25, 12)[0], 255) << fit;
    EXPECT_EQ(mask->at(175, 12)[0], 0) << fit;
    EXPECT_EQ(mask->at(25, 88)[0], 0) << fit;
    EXPECT_EQ(mask->at(175, 88)[0], 0) << fit;
  }
}

TEST(GlSegment, EveryKindOfHeadGivesTheSameMask) {
  for (const Head head : {Head::kSigmoid, Head::kLogit, Head::kTwoSoftmax, Head::kThreeLogits}) {
    TestPipeline pipeline(element("background=mask", head));
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
    expect_mask(pipeline.pass(left_half_red(64, 64)), 64, 64, red_model(head).c_str());
    EXPECT_EQ(pipeline.error(), "");
  }
}

// Operators that the GPU cannot run use the CPU, with one warning for all frames.
TEST(GlSegment, FallsBackToTheCpu) {
  TestPipeline pipeline(element("background=mask fallback=cpu", Head::kCpuOnly));
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  const std::string warning = pipeline.warning(5);
  EXPECT_NE(warning.find("TRANSPOSE_CONV #4"), std::string::npos) << warning;
  EXPECT_NE(warning.find("bytes"), std::string::npos) << warning;
  std::printf("WARNING %s\n", warning.c_str());
  for (int frame = 0; frame < 3; ++frame) expect_mask(pipeline.pass(left_half_red(64, 64)), 64, 64, "mask");
  EXPECT_EQ(pipeline.error(), "");
  EXPECT_EQ(pipeline.warning(), "") << "one warning is enough";
}

TEST(GlSegment, ClassesSelectTheForeground) {
  TestPipeline pipeline(element("background=mask classes=0,2", Head::kThreeLogits));
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  const auto mask = pipeline.pass(left_half_red(64, 64));
  ASSERT_TRUE(mask) << pipeline.error();
  EXPECT_EQ(mask->at(8, 32)[0], 0);
  EXPECT_EQ(mask->at(56, 32)[0], 255);
}

TEST(GlSegment, NormalizesTheInput) {
  // The model input is brightened by one, so all of it is red.
  TestPipeline pipeline(element("background=mask input-scale=1 input-offset=1"));
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  const auto mask = pipeline.pass(left_half_red(64, 64));
  ASSERT_TRUE(mask) << pipeline.error();
  EXPECT_EQ(mask->at(56, 32)[0], 255);
}

TEST(GlSegment, EveryBackground) {
  const std::string png = scratch_folder() / "background.png";
  ASSERT_TRUE(save_png(picture(8, 8, [](int32_t, int32_t) { return false; }), png));
  TestPipeline pipeline(element("background-color=0xff0a141e background-location=" + png));
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  const Rgba frame = left_half_red(160, 120);
  const auto right = [&](const char* background) {
    gst_util_set_object_arg(G_OBJECT(pipeline.element()), "background", background);
    const auto out = pipeline.pass(frame);
    EXPECT_TRUE(out) << background << ": " << pipeline.error();
    if (!out) return std::array<int, 4>{};
    if (std::string(background) != "mask") {
      EXPECT_EQ(out->at(20, 60)[0], kRed[0]) << background;
    }
    const uint8_t* p = out->at(140, 60);
    return std::array<int, 4>{p[0], p[1], p[2], p[3]};
  };
  EXPECT_EQ(right("color"), (std::array<int, 4>{10, 20, 30, 255}));
  EXPECT_EQ(right("image"), (std::array<int, 4>{kGray[0], kGray[1], kGray[2], 255}));
  EXPECT_EQ(right("transparent")[3], 0);
  EXPECT_EQ(right("mask"), (std::array<int, 4>{0, 0, 0, 255}));
  const auto blurred = right("blur");
  EXPECT_NEAR(blurred[1], kGray[1], 3) << "a uniform background stays uniform, whatever the foreground";
  EXPECT_EQ(pipeline.warning(), "");
}

TEST(GlSegment, LivePropertiesActOnTheNextFrame) {
  TestPipeline pipeline(element("background=color background-color=0xff000000"));
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  const Rgba frame = left_half_red(64, 64);
  const auto blue = [&] {
    const auto out = pipeline.pass(frame);
    return out ? static_cast<int>(out->at(60, 32)[2]) : -1;
  };
  EXPECT_EQ(blue(), 0);
  g_object_set(pipeline.element(), "background-color", 0xff0000ffU, nullptr);
  EXPECT_EQ(blue(), 255);
  g_object_set(pipeline.element(), "background-location", "/nonexistent/picture.png", nullptr);
  gst_util_set_object_arg(G_OBJECT(pipeline.element()), "background", "image");
  EXPECT_EQ(blue(), 255) << "without an image, the color is shown";
  const std::string warning = pipeline.warning(5);
  EXPECT_NE(warning.find("/nonexistent/picture.png"), std::string::npos) << warning;
  EXPECT_EQ(blue(), 255);
  EXPECT_EQ(pipeline.warning(), "") << "one warning is enough";
  EXPECT_EQ(pipeline.error(), "");
}

TEST(GlSegment, OddSizesAndCapsChangesInMidStream) {
  TestPipeline pipeline(element("background=mask"));
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  for (const auto& [width, height] : {std::pair{64, 48}, {641, 479}, {33, 77}, {64, 48}, {1280, 720}}) {
    expect_mask(pipeline.pass(left_half_red(width, height)), width, height, "caps change");
  }
  for (const auto& [width, height] : {std::pair{1, 1}, {1, 64}, {3, 2}}) {
    const auto out = pipeline.pass(left_half_red(width, height));
    ASSERT_TRUE(out) << width << "x" << height << ": " << pipeline.error();
    EXPECT_EQ(out->width, width);
  }
}

TEST(GlSegment, SurvivesFlushAndEndOfStream) {
  TestPipeline pipeline(element("background=mask"));
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  expect_mask(pipeline.pass(left_half_red(64, 64)), 64, 64, "before the flush");
  ASSERT_TRUE(pipeline.flush());
  expect_mask(pipeline.pass(left_half_red(64, 64)), 64, 64, "after the flush");
  pipeline.push_eos();
  EXPECT_FALSE(pipeline.pull());
  EXPECT_TRUE(pipeline.at_end());
  EXPECT_EQ(pipeline.error(), "");
}

TEST(GlSegment, SurvivesStateCycles) {
  TestPipeline pipeline(element("background=mask"));
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
    expect_mask(pipeline.pass(left_half_red(64, 64)), 64, 64, "cycle");
    ASSERT_TRUE(pipeline.set_state(i == 1 ? GST_STATE_READY : GST_STATE_NULL, true));
  }
  for (int i = 0; i < 3; ++i) {  // without a single frame
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PAUSED));
    ASSERT_TRUE(pipeline.set_state(GST_STATE_NULL, true));
  }
  EXPECT_EQ(pipeline.error(), "");
}

TEST(GlSegment, SeeksInAStream) {
  init_gstreamer();
  GError* error = nullptr;
  const std::string text = "videotestsrc num-buffers=60 ! video/x-raw,format=RGBA,width=64,height=64 ! glupload ! " +
                           element("background=mask") + " ! fakesink name=sink";
  GstElement* pipeline = gst_parse_launch(text.c_str(), &error);
  ASSERT_EQ(error, nullptr) << error->message;
  gst_element_set_state(pipeline, GST_STATE_PAUSED);
  ASSERT_EQ(gst_element_get_state(pipeline, nullptr, nullptr, 60 * GST_SECOND), GST_STATE_CHANGE_SUCCESS);
  ASSERT_TRUE(gst_element_seek_simple(pipeline, GST_FORMAT_TIME,
                                      static_cast<GstSeekFlags>(GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE),
                                      GST_SECOND / 2));
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstBus* bus = gst_element_get_bus(pipeline);
  GstMessage* message = gst_bus_timed_pop_filtered(bus, 60 * GST_SECOND,
                                                   static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  ASSERT_NE(message, nullptr);
  EXPECT_EQ(GST_MESSAGE_TYPE(message), GST_MESSAGE_EOS);
  gst_message_unref(message);
  gst_object_unref(bus);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
}

GstContext* new_display() {
  GstGLDisplay* display = gst_gl_display_new();
  GstContext* context = gst_context_new(GST_GL_DISPLAY_CONTEXT_TYPE, TRUE);
  gst_context_set_gl_display(context, display);
  gst_object_unref(display);
  return context;
}

GstGLContext* current_context(GstElement* segment) {
  GstGLContext* context = nullptr;
  g_object_get(segment, "context", &context, nullptr);
  return context;
}

TEST(GlSegment, SurvivesReplacementOfTheGlContext) {
  TestPipeline pipeline(element("background=mask"));
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  expect_mask(pipeline.pass(left_half_red(64, 64)), 64, 64, "first context");
  GstGLContext* first = current_context(pipeline.element());
  ASSERT_NE(first, nullptr);

  // A display that is set while stopped.
  ASSERT_TRUE(pipeline.set_state(GST_STATE_READY, true));
  GstContext* display = new_display();
  gst_element_set_context(pipeline.pipeline(), display);
  gst_context_unref(display);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  expect_mask(pipeline.pass(left_half_red(64, 64)), 64, 64, "second context");
  GstGLContext* second = current_context(pipeline.element());
  EXPECT_NE(first, second);

  // And one that is set while playing, on this element and its neighbors.
  display = new_display();
  gst_element_set_context(pipeline.pipeline(), display);
  gst_context_unref(display);
  GstGLContext* third = current_context(pipeline.element());
  EXPECT_NE(second, third);
  EXPECT_EQ(pipeline.error(), "");
  // Neighbors switch when new caps arrive.
  expect_mask(pipeline.pass(left_half_red(80, 64)), 80, 64, "third context");
  EXPECT_EQ(pipeline.error(), "");
  for (GstGLContext* context : {first, second, third}) gst_clear_object(&context);
}

TEST(GlSegment, TwoInOnePipeline) {
  TestPipeline pipeline(element("background=color background-color=0xff0000ff") +
                        " ! glsegment background=mask model=" + red_model());
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  expect_mask(pipeline.pass(left_half_red(64, 64)), 64, 64, "second element");
  EXPECT_EQ(pipeline.error(), "");
}

// The HUD is in its corner, can be switched while playing, and does not change the rest of the frame.
TEST(GlSegment, ShowsItsStatistics) {
  TestPipeline pipeline(element("background=color background-color=0xff0000ff softness=0"));
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  const Rgba frame = left_half_red(640, 480);
  const auto without = pipeline.pass(frame);
  ASSERT_TRUE(without) << pipeline.error();
  g_object_set(pipeline.element(), "hud", TRUE, nullptr);
  const auto with = pipeline.pass(frame);
  g_object_set(pipeline.element(), "hud", FALSE, nullptr);
  const auto after = pipeline.pass(frame);
  ASSERT_TRUE(with && after) << pipeline.error();
  EXPECT_EQ(after->pixels, without->pixels);
  int inside = 0, outside = 0;
  for (int32_t y = 0; y < 480; ++y) {
    for (int32_t x = 0; x < 640; ++x) {
      const bool changed = !std::equal(with->at(x, y), with->at(x, y) + 4, without->at(x, y));
      (x < 320 && y < 160 ? inside : outside) += changed ? 1 : 0;
    }
  }
  std::printf("pixels that the panel changes: %d in its corner, %d elsewhere\n", inside, outside);
  EXPECT_GT(inside, 10000);
  EXPECT_EQ(outside, 0);
}

TEST(GlSegment, FollowsController) {
  GParamSpec* spec = nullptr;
  TestPipeline pipeline(element(""));
  for (const char* name : {"background", "blur-radius", "background-color", "threshold", "softness", "fit", "hud"}) {
    spec = g_object_class_find_property(G_OBJECT_GET_CLASS(pipeline.element()), name);
    ASSERT_NE(spec, nullptr) << name;
    EXPECT_TRUE(spec->flags & GST_PARAM_CONTROLLABLE) << name;
    EXPECT_TRUE(spec->flags & GST_PARAM_MUTABLE_PLAYING) << name;
  }
  for (const char* name :
       {"classes", "output", "activation", "input-scale", "input-offset", "precision", "quantized-models"}) {
    spec = g_object_class_find_property(G_OBJECT_GET_CLASS(pipeline.element()), name);
    ASSERT_NE(spec, nullptr) << name;
    EXPECT_TRUE(spec->flags & GST_PARAM_MUTABLE_READY) << name;
  }
}

TEST(GlSegment, ReportsFramesAndLatency) {
  TestPipeline pipeline(element(""));
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(pipeline.pass(left_half_red(64, 64)));
  GstStructure* stats = nullptr;
  g_object_get(pipeline.element(), "stats", &stats, nullptr);
  ASSERT_NE(stats, nullptr);
  guint64 frames = 0, model = 0, gpu = 0, cpu = 0, start = 0, dropped = 1, failures = 1, p50 = 0, p95 = 0, latency = 0;
  ASSERT_TRUE(gst_structure_get_uint64(stats, "frames", &frames));
  ASSERT_TRUE(gst_structure_get_uint64(stats, "model-time", &model));
  ASSERT_TRUE(gst_structure_get_uint64(stats, "gpu-time", &gpu));
  ASSERT_TRUE(gst_structure_get_uint64(stats, "cpu-time", &cpu));
  ASSERT_TRUE(gst_structure_get_uint64(stats, "start-time", &start));
  ASSERT_TRUE(gst_structure_get_uint64(stats, "dropped", &dropped));
  ASSERT_TRUE(gst_structure_get_uint64(stats, "failures", &failures));
  ASSERT_TRUE(gst_structure_get_uint64(stats, "gpu-time-p50", &p50));
  ASSERT_TRUE(gst_structure_get_uint64(stats, "gpu-time-p95", &p95));
  ASSERT_TRUE(gst_structure_get_uint64(stats, "latency", &latency));
  EXPECT_STREQ(gst_structure_get_name(stats), "glsegment-stats");
  gst_structure_free(stats);
  std::printf("frames %d, model %.2f ms, frame on the GPU %.2f ms, on the CPU %.2f ms, start %.0f ms\n",
              static_cast<int>(frames), 1e-6 * static_cast<double>(model), 1e-6 * static_cast<double>(gpu),
              1e-6 * static_cast<double>(cpu), 1e-6 * static_cast<double>(start));
  EXPECT_EQ(frames, 5U);
  EXPECT_GT(cpu, 0U);
  EXPECT_GT(start, 0U);
  EXPECT_EQ(model > 0, gpu > 0) << "both are averages, of runs and of frames";
  EXPECT_EQ(dropped, 0U);
  EXPECT_EQ(failures, 0U);
  EXPECT_LE(p50, p95);
  EXPECT_EQ(latency % (5 * GST_MSECOND), 0U);
  EXPECT_GT(latency, 0U);

  GstPad* pad = gst_element_get_static_pad(pipeline.element(), "src");
  GstQuery* query = gst_query_new_latency();
  ASSERT_TRUE(gst_pad_query(pad, query));
  GstClockTime least = 0, most = 0;
  gboolean live = TRUE;
  gst_query_parse_latency(query, &live, &least, &most);
  EXPECT_FALSE(live);
  EXPECT_GE(least, 5 * GST_MSECOND);
  EXPECT_LT(least, GST_SECOND);
  EXPECT_TRUE(!GST_CLOCK_TIME_IS_VALID(most) || most >= least);
  gst_query_unref(query);
  gst_object_unref(pad);
}

// Downstream must be able to wait for the element, and does not hold the input frame (held_inputs_test.cpp).
TEST(GlSegment, OutputsCarryOnlySyncMeta) {
  TestPipeline pipeline(element(""));
  int complete = 0;
  GstPad* src = gst_element_get_static_pad(pipeline.element(), "src");
  gst_pad_add_probe(
      src, GST_PAD_PROBE_TYPE_BUFFER,
      [](GstPad*, GstPadProbeInfo* info, gpointer data) {
        GstBuffer* output = GST_PAD_PROBE_INFO_BUFFER(info);
        const bool kept = gst_buffer_get_parent_buffer_meta(output) != nullptr;
        if (!kept && gst_buffer_get_gl_sync_meta(output) != nullptr) ++*static_cast<int*>(data);
        return GST_PAD_PROBE_OK;
      },
      &complete, nullptr);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(pipeline.pass(left_half_red(64, 64)));
  EXPECT_EQ(complete, 3);
  gst_object_unref(src);
}

TEST(GlSegment, AnswersAllocationQueries) {
  TestPipeline pipeline(element(""));
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  ASSERT_TRUE(pipeline.pass(left_half_red(64, 64)));
  GstPad* pad = gst_element_get_static_pad(pipeline.element(), "sink");
  GstCaps* caps = gst_pad_get_current_caps(pad);
  GstQuery* query = gst_query_new_allocation(caps, TRUE);
  ASSERT_TRUE(gst_pad_query(pad, query));
  ASSERT_GE(gst_query_get_n_allocation_pools(query), 1U);
  GstBufferPool* pool = nullptr;
  gst_query_parse_nth_allocation_pool(query, 0, &pool, nullptr, nullptr, nullptr);
  EXPECT_TRUE(GST_IS_GL_BUFFER_POOL(pool));
  for (const GType meta : {GST_GL_SYNC_META_API_TYPE, GST_VIDEO_META_API_TYPE}) {
    EXPECT_TRUE(gst_query_find_allocation_meta(query, meta, nullptr)) << g_type_name(meta);
  }
  // The element applies these metadata but does not request them: see docs/decisions/frames.md.
  for (const GType meta : {GST_VIDEO_CROP_META_API_TYPE, GST_VIDEO_AFFINE_TRANSFORMATION_META_API_TYPE}) {
    EXPECT_FALSE(gst_query_find_allocation_meta(query, meta, nullptr)) << g_type_name(meta);
  }
  gst_object_unref(pool);
  gst_query_unref(query);
  gst_caps_unref(caps);
  gst_object_unref(pad);
}

}  // namespace
}  // namespace sightglass::test
