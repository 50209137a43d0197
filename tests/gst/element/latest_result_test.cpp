// mask-sync=latest of glpose and glinfer: frames are drawn with the newest result, and each run of the model is spread
// over several frames. latest_mask_test covers glsegment.
#include <gst/gl/gl.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <vector>

#include "element_harness.h"
#include "figure_truth.h"
#include "gl_pictures.h"
#include "model_elements.h"
#include "red_picture.h"
#include "sightglass/gst/results_meta.h"
#include "sightglass/gst/tensor_meta.h"
#include "test_pipeline.h"

namespace sightglass::test {
namespace {

constexpr int32_t kSize = 64;
const std::string kSlowModel = figure_file();

// Shows where frames are red, in white.
std::string infer(const std::string& properties) {
  return "glinfer name=segment mask-sync=latest color-map=gray range-smoothing=0 model=" + red_model() + " " +
         properties;
}

Rgba left() { return left_half_red(kSize, kSize); }
Rgba right() {
  return picture(kSize, kSize, [](int32_t x, int32_t) { return x >= kSize / 2; });
}

// Which half is white: 'l', 'r', or '?' for anything else.
char half(const std::optional<Rgba>& shown) {
  if (!shown) return '?';
  const int at_left = shown->at(shown->width / 8, shown->height / 2)[0];
  const int at_right = shown->at(shown->width - 1 - shown->width / 8, shown->height / 2)[0];
  if (at_left > 240 && at_right < 15) return 'l';
  return at_left < 15 && at_right > 240 ? 'r' : '?';
}

std::string halves(TestPipeline& pipeline, const std::string& frames) {
  std::string seen;
  for (const char frame : frames) seen += half(pipeline.pass(frame == 'l' ? left() : right()));
  return seen;
}

void set(TestPipeline& pipeline, const char* property, const char* value) {
  gst_util_set_object_arg(G_OBJECT(pipeline.element()), property, value);
}

TEST(LatestResult, IsThatOfThePreviousFrame) {
  TestPipeline pipeline(infer("gpu-budget=0"));
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  EXPECT_EQ(halves(pipeline, "lrll"), "llrl") << "the first frame has its own result";
  EXPECT_EQ(stat_of(pipeline.element(), "inferences"), 4U);
  EXPECT_EQ(pipeline.error(), "");
}

TEST(LatestResult, FollowsTheInferenceInterval) {
  TestPipeline pipeline(infer("gpu-budget=0 inference-interval=3"));
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  EXPECT_EQ(halves(pipeline, "lrrrlll"), "llllrrr");
  EXPECT_EQ(stat_of(pipeline.element(), "inferences"), 3U);
}

TEST(LatestResult, CanBeSwitchedWhilePlaying) {
  TestPipeline pipeline(infer("gpu-budget=0"));
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  ASSERT_EQ(halves(pipeline, "lr"), "ll");
  set(pipeline, "mask-sync", "exact");
  EXPECT_EQ(halves(pipeline, "rl"), "rl");
  set(pipeline, "mask-sync", "latest");
  EXPECT_EQ(halves(pipeline, "rr"), "lr") << "the previous result";
}

TEST(LatestResult, IsDroppedAtDiscontinuities) {
  TestPipeline pipeline(infer("gpu-budget=0"));
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  ASSERT_EQ(halves(pipeline, "l"), "l");
  ASSERT_TRUE(pipeline.flush());
  EXPECT_EQ(halves(pipeline, "r"), "r") << "after a flush";
  ASSERT_TRUE(pipeline.send_segment());
  EXPECT_EQ(halves(pipeline, "l"), "l") << "after a segment";
  const auto larger = pipeline.pass(picture(2 * kSize, kSize, [](int32_t x, int32_t) { return x >= kSize; }));
  EXPECT_EQ(half(larger), 'r') << "after a change of size";
}

// Tensors are those of the newest run.
TEST(LatestResult, HasItsTensors) {
  TestPipeline pipeline(infer("gpu-budget=0 attach-tensors=true"));
  std::vector<GstMemory*> seen;  // held, so that no memory is reused
  GstPad* pad = gst_element_get_static_pad(pipeline.element(), "src");
  gst_pad_add_probe(
      pad, GST_PAD_PROBE_TYPE_BUFFER,
      [](GstPad*, GstPadProbeInfo* info, gpointer data) {
        gpointer state = nullptr;
        const auto* meta = sightglass_buffer_iterate_tensor_meta(GST_PAD_PROBE_INFO_BUFFER(info), &state);
        if (meta != nullptr) {
          static_cast<std::vector<GstMemory*>*>(data)->push_back(gst_memory_ref(meta->tensors[0].memory));
        }
        return GST_PAD_PROBE_OK;
      },
      &seen, nullptr);
  gst_object_unref(pad);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  ASSERT_EQ(halves(pipeline, "lrl"), "llr");
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_EQ(seen[0], seen[1]) << "the second frame shows the first run";
  EXPECT_NE(seen[1], seen[2]);
  for (GstMemory* memory : seen) gst_memory_unref(memory);
}

// A slow model is spread over frames, so that no frame is slow.
class LatestResultOf : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Elements, LatestResultOf, ::testing::Values("glpose", "glinfer"), name_of_element);

TEST_P(LatestResultOf, RunsAreSpreadOverFrames) {
  constexpr int kFrames = 40;
  guint64 inferences[2] = {}, cpu[2] = {};
  for (const bool latest : {false, true}) {
    TestPipeline pipeline(std::string(GetParam()) + " name=segment model=" + kSlowModel +
                          (latest ? " mask-sync=latest" : ""));
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
    ASSERT_TRUE(pipeline.pass(left())) << pipeline.error();
    if (latest) g_object_set(pipeline.element(), "gpu-budget", cpu[0] / 10, nullptr);
    for (int i = 1; i < kFrames; ++i) ASSERT_TRUE(pipeline.pass(left())) << pipeline.error();
    inferences[latest] = stat_of(pipeline.element(), "inferences");
    cpu[latest] = stat_of(pipeline.element(), "cpu-time");
    std::printf("%s: %d inferences, %.2f ms of the CPU per frame\n", latest ? "latest" : "exact",
                static_cast<int>(inferences[latest]), 1e-6 * static_cast<double>(cpu[latest]));
  }
  EXPECT_EQ(inferences[0], static_cast<guint64>(kFrames));
  EXPECT_GE(inferences[1], 2U) << "the one of the first frame, and one in parts";
  EXPECT_LE(inferences[1], static_cast<guint64>(kFrames) / 2);
  EXPECT_LT(cpu[1], cpu[0] / 2);
}

TEST_P(LatestResultOf, PropertiesAreLive) {
  init_gstreamer();
  for (const std::string element : {GetParam(), "glsegment"}) {
    GstElement* made = gst_element_factory_make(element.c_str(), nullptr);
    for (const char* name : {"mask-sync", "gpu-budget", "on-failure"}) {
      const GParamSpec* spec = g_object_class_find_property(G_OBJECT_GET_CLASS(made), name);
      ASSERT_NE(spec, nullptr) << element << " " << name;
      EXPECT_TRUE(spec->flags & GST_PARAM_CONTROLLABLE) << element << " " << name;
      EXPECT_TRUE(spec->flags & GST_PARAM_MUTABLE_PLAYING) << element << " " << name;
    }
    gst_object_unref(made);
  }
}

// A skeleton stays until the model finds no person.
TEST(LatestPose, IsDrawnOverTheNextFrame) {
  const Rgba who = draw_figure(480, 480, "seed=2000004 framing=full").picture;
  Rgba nobody(480, 480);
  for (size_t i = 3; i < nobody.pixels.size(); i += 4) nobody.pixels[i] = 255;
  TestPipeline pipeline("glpose name=segment mask-sync=latest gpu-budget=0 model=figure");
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error(1);
  const auto first = pipeline.pass(who), second = pipeline.pass(nobody), third = pipeline.pass(nobody);
  ASSERT_TRUE(first && second && third) << pipeline.error(1);
  EXPECT_NE(first->pixels, who.pixels) << "the first frame has its own skeleton";
  EXPECT_NE(second->pixels, nobody.pixels) << "a skeleton without its person";
  EXPECT_EQ(third->pixels, nobody.pixels);
}

// The frames of the results, from messages.
std::string posted_frames(ElementHarness& harness) {
  std::string frames;
  while (const OwnMessage message = harness.message(GST_MESSAGE_ELEMENT)) {
    const GstStructure* structure = gst_message_get_structure(message.get());
    guint64 frame = 0;
    if (!gst_structure_has_name(structure, "sightglass-results")) continue;
    if (gst_structure_get_uint64(structure, "frame", &frame)) frames += std::to_string(frame) + " ";
  }
  return frames;
}

// Results name the frame that the run began with, and no frame is held for them.
TEST(LatestPose, ResultsNameTheirFrame) {
  for (const std::string budget : {"0", "1"}) {
    ElementHarness harness("glpose mask-sync=latest results=both results-sync=exact gpu-budget=" + budget +
                           " inference-interval=2 model=" + shaped_model({32, 32, 3, 17}));
    harness.begin();
    for (int i = 0; i < 20; ++i) {
      ASSERT_EQ(harness.push(harness.frame()), GST_FLOW_OK) << harness.error();
      EXPECT_NE(harness.pull(), nullptr) << "frame " << i << " must not be held";
    }
    gst_harness_push_event(harness.get(), gst_event_new_eos());
    const std::string frames = posted_frames(harness);
    std::printf("budget %s: frames %s\n", budget.c_str(), frames.c_str());
    if (budget == "0") {
      EXPECT_EQ(frames, "0 2 4 6 8 10 12 14 16 18 ");
    } else {
      EXPECT_EQ(frames.find("0 "), 0U);
      EXPECT_NE(frames, "0 ") << "runs in parts complete";
    }
  }
}

}  // namespace
}  // namespace sightglass::test
