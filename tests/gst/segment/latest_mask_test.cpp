// mask-sync=latest: frames do not wait for the model, and each run is spread over several frames.
#include <GLES3/gl31.h>
#include <gst/gl/gl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <string_view>
#include <utility>

#include "gl_pictures.h"
#include "red_picture.h"
#include "test_pipeline.h"
#include "tiny_model.h"

namespace sightglass::test {
namespace {

constexpr int32_t kSize = 64;
const std::string kSlowModel = figure_file();

std::string element(const std::string& properties, const std::string& model = red_model()) {
  return "glsegment name=segment mask-sync=latest background=mask model=" + model + " " + properties;
}

Rgba left() { return left_half_red(kSize, kSize); }
Rgba right() {
  return picture(kSize, kSize, [](int32_t x, int32_t) { return x >= kSize / 2; });
}

// Which half the mask shows: 'l', 'r', or '?' for anything else.
char half(const std::optional<Rgba>& mask) {
  if (!mask) return '?';
  const int at_left = mask->at(mask->width / 8, mask->height / 2)[0];
  const int at_right = mask->at(mask->width - 1 - mask->width / 8, mask->height / 2)[0];
  if (at_left == 255 && at_right == 0) return 'l';
  return at_left == 0 && at_right == 255 ? 'r' : '?';
}

struct Stats {
  guint64 frames = 0, inferences = 0, model = 0, cpu = 0;
};
Stats stats_of(GstElement* segment) {
  GstStructure* structure = nullptr;
  g_object_get(segment, "stats", &structure, nullptr);
  Stats stats;
  gst_structure_get_uint64(structure, "frames", &stats.frames);
  gst_structure_get_uint64(structure, "inferences", &stats.inferences);
  gst_structure_get_uint64(structure, "model-time", &stats.model);
  gst_structure_get_uint64(structure, "cpu-time", &stats.cpu);
  gst_structure_free(structure);
  return stats;
}

TEST(LatestMask, IsThatOfThePreviousFrame) {
  TestPipeline pipeline(element("gpu-budget=0"));
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  EXPECT_EQ(half(pipeline.pass(left())), 'l') << "the first frame has its own";
  EXPECT_EQ(half(pipeline.pass(right())), 'l');
  EXPECT_EQ(half(pipeline.pass(left())), 'r');
  EXPECT_EQ(half(pipeline.pass(left())), 'l');
  EXPECT_EQ(stats_of(pipeline.element()).inferences, 4U);
  EXPECT_EQ(pipeline.error(), "");
}

TEST(InferenceInterval, FramesInBetweenUseTheNewestMask) {
  for (const std::string sync : {"exact", "latest"}) {
    TestPipeline pipeline(element("gpu-budget=0 inference-interval=3 mask-sync=" + sync));
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
    std::string seen;
    for (const bool is_left : {true, false, false, false, true, true, true}) {
      seen += half(pipeline.pass(is_left ? left() : right()));
    }
    EXPECT_EQ(seen, sync == "exact" ? "lllrrrl" : "llllrrr") << sync;
    EXPECT_EQ(stats_of(pipeline.element()).inferences, 3U) << sync;
    EXPECT_EQ(pipeline.error(), "");
  }
}

// If a run in parts (some sixty frames here) is due again before it is complete, the next run follows immediately.
TEST(InferenceInterval, RunsInPartsAreSequential) {
  TestPipeline pipeline(element("gpu-budget=1 inference-interval=60", kSlowModel));
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(pipeline.pass(left())) << pipeline.error();
  EXPECT_EQ(stats_of(pipeline.element()).inferences, 3U) << "the one of the first frame, and two more";
}

TEST(LatestMask, CanBeSwitchedWhilePlaying) {
  TestPipeline pipeline(element("gpu-budget=0"));
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  ASSERT_EQ(half(pipeline.pass(left())), 'l');
  ASSERT_EQ(half(pipeline.pass(right())), 'l');
  gst_util_set_object_arg(G_OBJECT(pipeline.element()), "mask-sync", "exact");
  EXPECT_EQ(half(pipeline.pass(right())), 'r');
  EXPECT_EQ(half(pipeline.pass(left())), 'l');
  gst_util_set_object_arg(G_OBJECT(pipeline.element()), "mask-sync", "latest");
  EXPECT_EQ(half(pipeline.pass(right())), 'l') << "the previous mask";
  EXPECT_EQ(half(pipeline.pass(right())), 'r');
}

// Earlier frames do not affect the frames after a discontinuity.
TEST(LatestMask, IsDroppedAtDiscontinuities) {
  TestPipeline pipeline(element("gpu-budget=0"));
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  ASSERT_EQ(half(pipeline.pass(left())), 'l');
  ASSERT_TRUE(pipeline.flush());
  EXPECT_EQ(half(pipeline.pass(right())), 'r') << "after a flush";
  ASSERT_TRUE(pipeline.send_segment());
  EXPECT_EQ(half(pipeline.pass(left())), 'l') << "after a segment";
  const auto larger = pipeline.pass(picture(2 * kSize, kSize, [](int32_t x, int32_t) { return x >= kSize; }));
  EXPECT_EQ(half(larger), 'r') << "after a change of size";
  ASSERT_TRUE(pipeline.set_state(GST_STATE_READY, true));
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  EXPECT_EQ(half(pipeline.pass(left())), 'l') << "after a stop";
}

GstClockTime latency_of(GstElement* segment) {
  GstPad* pad = gst_element_get_static_pad(segment, "src");
  GstQuery* query = gst_query_new_latency();
  GstClockTime least = 0;
  EXPECT_TRUE(gst_pad_query(pad, query));
  gst_query_parse_latency(query, nullptr, &least, nullptr);
  gst_query_unref(query);
  gst_object_unref(pad);
  return least;
}

// Records the draws, dispatches, and fences of the contexts that are created after install(), in order: 'D' a dispatch,
// 'p' an output frame, 'F' a fence.
namespace order {

std::mutex mutex;
std::string calls;
void note(char call) {
  const std::lock_guard lock(mutex);
  calls += call;
}
std::string taken() {
  const std::lock_guard lock(mutex);
  return std::exchange(calls, {});
}

gpointer (*next_get_proc_address)(GstGLAPI, const gchar*) = nullptr;
decltype(&glDispatchCompute) next_dispatch = nullptr;
decltype(&glDrawArrays) next_draw = nullptr;
decltype(&glFenceSync) next_fence = nullptr;

template <typename Function>
gpointer instead_of(Function& next, gpointer found, Function ours) {
  next = reinterpret_cast<Function>(found);
  return reinterpret_cast<gpointer>(ours);
}

gpointer get_proc_address(GstGLAPI api, const gchar* name) {
  const gpointer found = next_get_proc_address(api, name);
  const std::string_view asked = name;
  if (asked == "glDispatchCompute") {
    return instead_of<decltype(next_dispatch)>(next_dispatch, found, [](GLuint x, GLuint y, GLuint z) {
      note('D');
      next_dispatch(x, y, z);
    });
  }
  if (asked == "glDrawArrays") {
    return instead_of<decltype(next_draw)>(next_draw, found, [](GLenum mode, GLint first, GLsizei count) {
      note('p');
      next_draw(mode, first, count);
    });
  }
  if (asked == "glFenceSync") {
    return instead_of<decltype(next_fence)>(next_fence, found, [](GLenum condition, GLbitfield flags) {
      note('F');
      return next_fence(condition, flags);
    });
  }
  return found;
}

void install() {
  init_gstreamer();
  GstGLDisplay* display = gst_gl_display_new();
  GstGLContext* context = nullptr;
  ASSERT_TRUE(gst_gl_display_create_context(display, nullptr, &context, nullptr));
  GstGLContextClass* context_class = GST_GL_CONTEXT_GET_CLASS(context);
  next_get_proc_address = std::exchange(context_class->get_proc_address, get_proc_address);
  gst_object_unref(context);
  gst_object_unref(display);
}

}  // namespace order

// The sink waits for the fence of the frame, so commands issued after it do not delay the sink.
TEST(LatestMask, FramesDoNotWaitForTheModel) {
  order::install();
  for (const bool latest : {true, false}) {
    TestPipeline pipeline(element(latest ? "gpu-budget=0" : "mask-sync=exact"));
    GstPad* sink = gst_element_get_static_pad(pipeline.element(), "sink");
    GstPad* src = gst_element_get_static_pad(pipeline.element(), "src");
    const auto forget = [](GstPad*, GstPadProbeInfo*, gpointer) {
      order::taken();
      return GST_PAD_PROBE_OK;
    };
    const auto keep = [](GstPad*, GstPadProbeInfo*, gpointer seen) {
      *static_cast<std::string*>(seen) = order::taken();
      return GST_PAD_PROBE_OK;
    };
    std::string seen;
    gst_pad_add_probe(sink, GST_PAD_PROBE_TYPE_BUFFER, forget, nullptr, nullptr);
    gst_pad_add_probe(src, GST_PAD_PROBE_TYPE_BUFFER, keep, &seen, nullptr);
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(pipeline.pass(left())) << pipeline.error();
    seen.erase(0, seen.find('D'));  // skip the wait for the input
    // Dispatches in a row count once: on llvmpipe, each part of a run begins with one more (SettledSamplers).
    const auto repeated = [](char a, char b) { return a == 'D' && b == 'D'; };
    seen.erase(std::ranges::unique(seen, repeated).begin(), seen.end());
    // Two fences: that of the output, and the one after the operators that read the input, which then returns to its
    // pool.
    EXPECT_EQ(seen, latest ? "DpFFD" : "DpFF") << "first the operator that reads the frame, then all others";
    gst_object_unref(sink);
    gst_object_unref(src);
  }
}

// A slow model is spread over frames, so that no frame is slow.
TEST(LatestMask, RunsAreSpreadOverFrames) {
  constexpr int kFrames = 40;
  Stats stats[2];
  GstClockTime latency[2] = {};
  for (const bool latest : {false, true}) {
    TestPipeline pipeline(element(latest ? "" : "mask-sync=exact", kSlowModel));
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
    ASSERT_TRUE(pipeline.pass(left())) << pipeline.error();
    if (latest) g_object_set(pipeline.element(), "gpu-budget", stats[0].cpu / 10, nullptr);
    for (int i = 1; i < kFrames; ++i) ASSERT_TRUE(pipeline.pass(left())) << pipeline.error();
    stats[latest] = stats_of(pipeline.element());
    latency[latest] = latency_of(pipeline.element());
    std::printf("%s: %d frames, %d inferences, %.2f ms of the CPU in a frame, latency %.0f ms\n",
                latest ? "latest" : "exact", static_cast<int>(stats[latest].frames),
                static_cast<int>(stats[latest].inferences), 1e-6 * static_cast<double>(stats[latest].cpu),
                1e-6 * static_cast<double>(latency[latest]));
  }
  EXPECT_EQ(stats[0].inferences, static_cast<guint64>(kFrames));
  EXPECT_GE(stats[1].inferences, 2U) << "the one of the first frame, and one in parts";
  EXPECT_LE(stats[1].inferences, static_cast<guint64>(kFrames) / 2);
  // Drawing takes a third of a frame with a run, and every frame is drawn: measured 0.41 to 0.54.
  EXPECT_LT(stats[1].cpu, stats[0].cpu * 3 / 4);
}

}  // namespace
}  // namespace sightglass::test
