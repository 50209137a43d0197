// The models of glpose and glinfer fail in mid-stream: on-failure selects the output, and they recover by themselves.
// failure_test covers glsegment.
#include <gst/gst.h>
#include <gtest/gtest.h>

#include "figure_truth.h"
#include "gl_faults.h"
#include "model_elements.h"
#include "red_picture.h"
#include "test_pipeline.h"

namespace sightglass::test {
namespace {

constexpr int32_t kSize = 64;

bool is_black(const std::optional<Rgba>& shown) {
  if (!shown) return false;
  for (size_t i = 0; i < shown->pixels.size(); ++i) {
    if (shown->pixels[i] != (i % 4 == 3 ? 255 : 0)) return false;
  }
  return true;
}

class ResultFailure : public ::testing::TestWithParam<const char*> {
 protected:
  static void SetUpTestSuite() { install_gl_faults(); }
  void TearDown() override { end_gl_faults(); }
  // A frame, and an element that draws something over it.
  static const Rgba& frame() {
    static const Rgba figure = draw_figure(480, 480, "seed=2000004 framing=full").picture;
    static const Rgba half = left_half_red(kSize, kSize);
    return is_pose() ? figure : half;
  }
  static std::string element(const std::string& properties) {
    // After a failure, people are tracked anew, and would have other colors.
    const std::string model = is_pose() ? "figure line-color=0xff00ff00" : red_model();
    return std::string(GetParam()) + " name=segment model=" + model + " " + properties;
  }
  static bool is_pose() { return std::string(GetParam()) == "glpose"; }
};
INSTANTIATE_TEST_SUITE_P(Elements, ResultFailure, ::testing::Values("glpose", "glinfer"), name_of_element);

TEST_P(ResultFailure, EndsTheStreamByDefault) {
  PlayingPipeline pipeline(element(""));
  ASSERT_TRUE(pipeline.pass(frame())) << pipeline.error();
  fail_gl("DispatchCompute", 1);
  EXPECT_TRUE(pipeline.push(frame()));
  EXPECT_NE(pipeline.error(10).find("GL_OUT_OF_MEMORY"), std::string::npos);
}

TEST_P(ResultFailure, ShowsTheFrameWithoutAResult) {
  for (const std::string sync : {"exact", "latest"}) {
    PlayingPipeline pipeline(element("on-failure=pass gpu-budget=0 mask-sync=" + sync));
    const Rgba good = pipeline.shown(frame());
    ASSERT_NE(good.pixels, frame().pixels) << "the result must be visible before the failure";
    for (int time = 0; time < 2; ++time) {
      for (int i = 0; i < 3; ++i) {
        fail_gl("DispatchCompute", kEveryCall);
        const Rgba shown = pipeline.shown(frame());
        EXPECT_EQ(shown.pixels, frame().pixels) << sync;
      }
      fail_gl("DispatchCompute", 0);
      EXPECT_NE(pipeline.warning(1).find("GL_OUT_OF_MEMORY"), std::string::npos);
      EXPECT_EQ(pipeline.warning(), "") << "one warning is enough";
      const Rgba again = pipeline.shown(frame());
      EXPECT_EQ(again.pixels, good.pixels) << sync << ": it must recover";
    }
    EXPECT_EQ(stat_of(pipeline.element(), "failures"), 6U);
    EXPECT_EQ(pipeline.error(), "");
  }
}

TEST_P(ResultFailure, ShowsBlack) {
  PlayingPipeline pipeline(element("on-failure=black"));
  ASSERT_TRUE(pipeline.pass(frame())) << pipeline.error();
  fail_gl("DispatchCompute", kEveryCall);
  EXPECT_TRUE(is_black(pipeline.pass(frame())));
  gst_util_set_object_arg(G_OBJECT(pipeline.element()), "on-failure", "pass");
  const Rgba passed = pipeline.shown(frame());
  EXPECT_EQ(passed.pixels, frame().pixels) << "live";
  fail_gl("DispatchCompute", 0);
  fail_gl("DrawArrays", kEveryCall);
  EXPECT_TRUE(is_black(pipeline.pass(frame()))) << "nothing can be drawn";
  fail_gl("DrawArrays", 0);
  EXPECT_FALSE(is_black(pipeline.pass(frame())));
  EXPECT_EQ(pipeline.error(), "");
}

// A run that fails after a frame is drawn has no result, and the frame is complete.
TEST_P(ResultFailure, OfARunAfterADrawnFrame) {
  PlayingPipeline pipeline(element("on-failure=pass mask-sync=latest gpu-budget=0"));
  const Rgba good = pipeline.shown(frame());
  ASSERT_TRUE(pipeline.pass(frame()));
  fail_gl("DispatchCompute", 1);  // the part that reads the frame
  const Rgba hidden = pipeline.shown(frame());
  EXPECT_EQ(hidden.pixels, frame().pixels) << "the run could not begin";
  const Rgba again = pipeline.shown(frame());
  EXPECT_EQ(again.pixels, good.pixels);
  EXPECT_NE(pipeline.warning(1), "");
}

}  // namespace
}  // namespace sightglass::test
