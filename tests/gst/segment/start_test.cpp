// start=blurred: frames show only their background until the model is ready. The tests hold the compiler of the model,
// so that frames pass in the meantime for certain.
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "gl_faults.h"
#include "harness/scratch_folder.h"
#include "mask_recorder.h"
#include "red_picture.h"
#include "test_pipeline.h"
#include "tiny_model.h"

namespace sightglass::test {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kPatience = std::chrono::seconds(60);

std::string element(const std::string& properties) {
  return "glsegment name=segment cache-dir=\"\" model=" + red_model() + " " + properties;
}

class Start : public testing::Test {
 protected:
  static void SetUpTestSuite() { install_gl_faults(); }
  void TearDown() override { end_gl_faults(); }
};

int largest_difference(const Rgba& a, const Rgba& b) {
  if (a.pixels.size() != b.pixels.size()) return 256;
  int largest = 0;
  for (size_t i = 0; i < a.pixels.size(); ++i) largest = std::max(largest, std::abs(a.pixels[i] - b.pixels[i]));
  return largest;
}

// While it exists and is not released, models that are being prepared wait where their weights are uploaded, which
// frames never do. Declare it after the pipeline, which waits for such a model when it ends.
class Hold {
 public:
  Hold() { hold_gl("Finish"); }
  ~Hold() { release_gl(); }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  void release() { release_gl(); }
};

// Returns the first frame, once the model is being prepared.
std::optional<Rgba> pass_first(TestPipeline& pipeline, const Rgba& frame) {
  EXPECT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  const std::optional<Rgba> first = pipeline.pass(frame);
  EXPECT_TRUE(first) << pipeline.error();
  EXPECT_TRUE(wait_for_held_gl());
  return first;
}

// Passes frames until one has a mask, and returns it.
std::optional<Rgba> pass_until_ready(TestPipeline& pipeline, const Rgba& frame) {
  const auto end = Clock::now() + kPatience;
  while (Clock::now() < end) {
    const std::optional<Rgba> shown = pipeline.pass(frame);
    if (!shown || stat_of(pipeline.element(), "inferences") > 0) return shown;
  }
  return std::nullopt;
}

// What the element shows without a mask, according to on-failure=background.
std::optional<Rgba> concealed(const std::string& properties, const Rgba& frame) {
  TestPipeline pipeline(element(properties));
  EXPECT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  EXPECT_TRUE(pipeline.pass(frame)) << pipeline.error();
  fail_gl("DispatchCompute", 1);
  return pipeline.pass(frame);
}

std::vector<std::string> backgrounds() {
  const std::string picture = scratch_folder() / "background.png";
  Rgba blue(8, 8);
  for (size_t i = 0; i < blue.pixels.size(); ++i) blue.pixels[i] = i % 4 >= 2 ? 255 : 0;
  EXPECT_TRUE(save_png(blue, picture));
  return {"background=blur blur-radius=24",
          "background=blur bokeh=disc",
          "background=color background-color=0xff00ff00",
          "background=color feather=4 edge-offset=2 light-wrap=1",
          "background=image background-location=" + picture,
          "background=transparent",
          "background=mask",
          "background=blur refine=guided hud=false"};
}

TEST_F(Start, FirstFramesShowOnlyTheBackground) {
  const Rgba frame = left_half_red(64, 48);
  for (const std::string& properties : backgrounds()) {
    const auto hidden = concealed(properties, frame);
    ASSERT_TRUE(hidden) << properties;
    TestPipeline pipeline(element(properties + " start=blurred"));
    Hold hold;
    const auto first = pass_first(pipeline, frame);
    ASSERT_TRUE(first) << properties;
    EXPECT_LE(largest_difference(*first, *hidden), 1) << properties;
    for (int i = 0; i < 5; ++i) {
      const auto next = pipeline.pass(frame);
      ASSERT_TRUE(next) << properties << pipeline.error();
      EXPECT_EQ(largest_difference(*next, *first), 0) << properties;
    }
    EXPECT_EQ(stat_of(pipeline.element(), "early"), 6U);
    EXPECT_EQ(stat_of(pipeline.element(), "inferences"), 0U);
    EXPECT_EQ(stat_of(pipeline.element(), "failures"), 0U);
    EXPECT_EQ(stat_of(pipeline.element(), "start-time"), 0U);
    hold.release();
    const auto ready = pass_until_ready(pipeline, frame);
    ASSERT_TRUE(ready) << properties << pipeline.error();
    EXPECT_GT(largest_difference(*ready, *hidden), 20) << properties << ": the mask shows the left half";
    EXPECT_GT(stat_of(pipeline.element(), "start-time"), 0U);
    EXPECT_EQ(stat_of(pipeline.element(), "frames"), stat_of(pipeline.element(), "early") + 1);
    EXPECT_EQ(pipeline.warning(), "") << properties;
    EXPECT_EQ(pipeline.error(), "") << properties;
  }
}

// The same mask as with start=wait.
TEST_F(Start, MasksAreTheSameOnceTheModelIsReady) {
  const Rgba frame = left_half_red(64, 48);
  for (const std::string sync : {"exact", "latest"}) {
    const std::string properties = "background=color smoothing=0 mask-sync=" + sync;
    PlayingPipeline waits(element(properties)), blurs(element(properties + " hud=true start=blurred"));
    ASSERT_TRUE(blurs.set_state(GST_STATE_PLAYING));
    const Rgba expected = waits.shown(frame);
    EXPECT_EQ(stat_of(waits.element(), "early"), 0U);
    ASSERT_TRUE(pass_until_ready(blurs, frame)) << blurs.error();
    g_object_set(blurs.element(), "hud", FALSE, nullptr);
    const Rgba shown = blurs.shown(frame);
    EXPECT_EQ(largest_difference(shown, expected), 0) << sync;
  }
}

TEST_F(Start, MasksAreAttachedOnceTheModelIsReady) {
  TestPipeline pipeline(element("background=color attach-mask=true start=blurred"));
  Hold hold;
  std::string seen;
  record_masks(pipeline.element(), seen);
  const Rgba frame = left_half_red(64, 48);
  ASSERT_TRUE(pass_first(pipeline, frame));
  ASSERT_TRUE(pipeline.pass(frame));
  hold.release();
  ASSERT_TRUE(pass_until_ready(pipeline, frame)) << pipeline.error();
  EXPECT_EQ(seen.substr(0, 2), "--");
  EXPECT_EQ(seen.find('m'), seen.size() - 1) << seen;
}

TEST_F(Start, SizesAndFormatsMayChangeInTheMeantime) {
  TestPipeline pipeline(element("background=color start=blurred"));
  Hold hold;
  ASSERT_TRUE(pass_first(pipeline, left_half_red(64, 48)));
  for (const int32_t width : {96, 64, 32}) {
    const Rgba shown = pipeline.shown(left_half_red(width, 48));
    EXPECT_EQ(shown.width, width);
  }
  EXPECT_EQ(stat_of(pipeline.element(), "early"), 4U);
  hold.release();
  const std::vector<uint8_t> nv12(64 * 64 * 3 / 2, 128);
  const auto end = Clock::now() + kPatience;
  for (int i = 0; stat_of(pipeline.element(), "inferences") == 0; ++i) {
    ASSERT_LT(Clock::now(), end);
    if (i == 0) {
      ASSERT_TRUE(pipeline.pass("video/x-raw,framerate=30/1,width=64,height=64,format=NV12", nv12)) << pipeline.error();
    }
    ASSERT_TRUE(pipeline.pass(left_half_red(i % 2 == 0 ? 96 : 64, 48))) << pipeline.error();
  }
  EXPECT_EQ(pipeline.warning(), "");
  EXPECT_EQ(pipeline.error(), "");
}

// Another model that is set in the meantime takes over after the first one.
TEST_F(Start, TheModelMayChangeInTheMeantime) {
  TestPipeline pipeline(element("background=color start=blurred"));
  Hold hold;
  const Rgba frame = left_half_red(64, 48);
  ASSERT_TRUE(pass_first(pipeline, frame));
  const std::string second = red_model(Head::kTwoSoftmax);
  g_object_set(pipeline.element(), "model", second.c_str(), nullptr);
  ASSERT_TRUE(pipeline.pass(frame)) << pipeline.error();
  hold.release();
  const auto end = Clock::now() + kPatience;
  std::string model;
  while (model != second && Clock::now() < end) {
    ASSERT_TRUE(pipeline.pass(frame)) << pipeline.error();
    GstStructure* stats = nullptr;
    g_object_get(pipeline.element(), "stats", &stats, nullptr);
    model = gst_structure_get_string(stats, "model");
    gst_structure_free(stats);
  }
  EXPECT_EQ(model, second);
  EXPECT_EQ(pipeline.warning(), "");
  EXPECT_EQ(pipeline.error(), "");
}

TEST_F(Start, TheStreamMayEndInTheMeantime) {
  TestPipeline pipeline(element("background=color start=blurred"));
  Hold hold;
  ASSERT_TRUE(pass_first(pipeline, left_half_red(64, 48)));
  pipeline.push_eos();
  EXPECT_FALSE(pipeline.pull());
  EXPECT_TRUE(pipeline.at_end());
  EXPECT_EQ(pipeline.error(), "");
}

// However far the model is when the element stops, the next start works.
TEST_F(Start, StopsAtAnyMoment) {
  const Rgba frame = left_half_red(64, 48);
  {
    TestPipeline pipeline(element("background=color start=blurred"));
    Hold hold;
    ASSERT_TRUE(pass_first(pipeline, frame));
    std::thread releases([] {
      g_usleep(100000);  // most likely after the state change has begun; it works in either order
      release_gl();
    });
    EXPECT_TRUE(pipeline.set_state(GST_STATE_NULL, true));
    releases.join();
  }
  for (int frames = 1; frames < 5; ++frames) {
    PlayingPipeline pipeline(element("background=color start=blurred"));
    for (int i = 0; i < frames; ++i) ASSERT_TRUE(pipeline.pass(frame)) << pipeline.error();
    ASSERT_TRUE(pipeline.set_state(GST_STATE_READY, true));
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
    ASSERT_TRUE(pass_until_ready(pipeline, frame)) << pipeline.error();
    EXPECT_EQ(pipeline.error(), "");
  }
}

// The error is that of start=wait, whatever on-failure is.
TEST_F(Start, AModelThatCannotBePreparedIsAnError) {
  const Rgba frame = left_half_red(64, 48);
  std::string expected;
  {
    PlayingPipeline pipeline(element("background=color"));
    fail_gl("DispatchCompute", kEveryCall);
    pipeline.push(frame);
    expected = pipeline.error(10);
    EXPECT_NE(expected.find("GL_OUT_OF_MEMORY"), std::string::npos) << expected;
    end_gl_faults();
  }
  for (const std::string policy : {"background", "pass"}) {
    TestPipeline pipeline(element("background=color start=blurred on-failure=" + policy));
    Hold hold;
    ASSERT_TRUE(pass_first(pipeline, frame));
    fail_gl("DispatchCompute", kEveryCall);
    hold.release();
    const auto end = Clock::now() + kPatience;
    while (Clock::now() < end && pipeline.pass(frame)) {
    }
    EXPECT_EQ(pipeline.error(10), expected) << policy;
    EXPECT_EQ(stat_of(pipeline.element(), "inferences"), 0U);
    end_gl_faults();
  }
}

// Nothing unprocessed leaves the element if drawing fails too.
TEST_F(Start, FramesThatCannotBeDrawnAreBlack) {
  TestPipeline pipeline(element("background=color start=blurred on-failure=pass"));
  Hold hold;
  const Rgba frame = left_half_red(64, 48);
  ASSERT_TRUE(pass_first(pipeline, frame));
  fail_gl("DrawArrays", kEveryCall);
  const Rgba shown = pipeline.shown(frame);
  for (size_t i = 0; i < shown.pixels.size(); ++i) ASSERT_EQ(shown.pixels[i], i % 4 == 3 ? 255 : 0) << i;
  EXPECT_EQ(stat_of(pipeline.element(), "failures"), 1U);
  EXPECT_NE(pipeline.warning(1), "");
  end_gl_faults();
}

// glsegment without a model has nothing to wait for.
TEST_F(Start, HasNoEffectOnMasksFromUpstream) {
  PlayingPipeline pipeline("glsegment name=segment mask-source=meta background=color start=blurred");
  ASSERT_TRUE(pipeline.pass(left_half_red(64, 48))) << pipeline.error();
  EXPECT_EQ(stat_of(pipeline.element(), "early"), 0U);
}

}  // namespace
}  // namespace sightglass::test
