// The engine fails in mid-stream: areas that a mask would have hidden stay hidden, and the element recovers by itself.
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include "gl_faults.h"
#include "harness/scratch_folder.h"
#include "mask_recorder.h"
#include "red_picture.h"
#include "sightglass/gst/mask_meta.h"
#include "test_pipeline.h"
#include "tiny_model.h"

namespace sightglass::test {
namespace {

constexpr int32_t kSize = 64;

// A person that fills the frame, striped so finely that a blur leaves only one color: R is 255 in every other column.
Rgba person() {
  return painted(kSize, kSize, [](int32_t x, int32_t) {
    return x % 2 == 0 ? std::array{255, 0, 20} : std::array{205, 100, 20};
  });
}

using Pixel = std::function<bool(const uint8_t*)>;
int pixels_that_are_not(const Rgba& picture, const Pixel& expected) {
  int count = 0;
  for (size_t i = 0; i < picture.pixels.size(); i += 4) count += expected(&picture.pixels[i]) ? 0 : 1;
  return count;
}
Pixel color(std::array<int, 4> wanted, int tolerance = 1) {
  return [wanted, tolerance](const uint8_t* p) {
    for (size_t i = 0; i < 4; ++i) {
      if (std::abs(p[i] - wanted[i]) > tolerance) return false;
    }
    return true;
  };
}
const Pixel kBlack = color({0, 0, 0, 255});
// The mean of two neighboring columns, except at the frame borders, where one of them counts more.
const Pixel kBlurred = color({230, 50, 20, 255}, 5);

void expect_all(const std::optional<Rgba>& picture, const Pixel& expected, const std::string& what) {
  ASSERT_TRUE(picture) << what;
  EXPECT_EQ(pixels_that_are_not(*picture, expected), 0)
      << what << ": the first pixel is " << static_cast<int>(picture->pixels[0]) << " "
      << static_cast<int>(picture->pixels[1]) << " " << static_cast<int>(picture->pixels[2]) << " "
      << static_cast<int>(picture->pixels[3]);
}

bool shows(const std::optional<Rgba>& picture, const Rgba& frame) { return picture && picture->pixels == frame.pixels; }

std::string element(const std::string& properties) {
  return "glsegment name=segment blur-radius=24 model=" + red_model() + " " + properties;
}

class Failure : public testing::Test {
 protected:
  static void SetUpTestSuite() { install_gl_faults(); }
  void TearDown() override { end_gl_faults(); }
};

struct Case {
  std::string properties;
  Pixel hidden;  // every pixel of a frame without a mask
};
std::vector<Case> backgrounds() {
  const std::string picture = scratch_folder() / "background.png";
  Rgba blue(8, 8);
  for (size_t i = 0; i < blue.pixels.size(); ++i) blue.pixels[i] = i % 4 >= 2 ? 255 : 0;
  EXPECT_TRUE(save_png(blue, picture));
  return {{"background=blur", kBlurred},
          {"background=color background-color=0xff00ff00", color({0, 255, 0, 255})},
          {"background=image background-location=" + picture, color({0, 0, 255, 255})},
          {"background=transparent", color({0, 0, 0, 0})},
          {"background=mask", kBlack}};
}

TEST_F(Failure, OfTheModelHidesTheFrame) {
  for (const Case& one : backgrounds()) {
    for (const std::string extra : {"", " refine=bilateral", " refine=guided", " smoothing=0.8"}) {
      const std::string what = one.properties + extra;
      PlayingPipeline pipeline(element(what));
      const auto good = pipeline.pass(person());
      ASSERT_TRUE(good) << what << pipeline.error();
      const Rgba before = *good;
      ASSERT_GT(pixels_that_are_not(before, one.hidden), 0)
          << what << ": the person must be visible before the failure";
      for (int time = 0; time < 2; ++time) {
        for (int frame = 0; frame < 3; ++frame) {
          fail_gl("DispatchCompute", 1);
          expect_all(pipeline.pass(person()), one.hidden, what);
        }
        const std::string warning = pipeline.warning(1);
        EXPECT_NE(warning.find("GL_OUT_OF_MEMORY"), std::string::npos) << what << ": " << warning;
        EXPECT_EQ(pipeline.warning(), "") << "one warning is enough";
        EXPECT_TRUE(shows(pipeline.pass(person()), before)) << what << ": it must recover";
      }
      EXPECT_EQ(stat_of(pipeline.element(), "failures"), 6U);
      EXPECT_EQ(pipeline.error(), "");
    }
  }
}

// Neither an earlier mask nor its own.
TEST_F(Failure, OfTheFirstMaskHidesTheFrame) {
  for (const std::string sync : {"exact", "latest"}) {
    PlayingPipeline pipeline(element("background=color background-color=0xff00ff00 mask-sync=" + sync));
    ASSERT_TRUE(pipeline.pass(person()));
    ASSERT_TRUE(pipeline.flush());
    fail_gl("DispatchCompute", 1);
    expect_all(pipeline.pass(person()), color({0, 255, 0, 255}), sync);
    EXPECT_TRUE(shows(pipeline.pass(person()), person())) << sync;
  }
}

TEST_F(Failure, OfEveryDispatchIsBlack) {
  PlayingPipeline pipeline(element("background=blur"));
  ASSERT_TRUE(shows(pipeline.pass(person()), person()));
  fail_gl("DispatchCompute", kEveryCall);
  for (int frame = 0; frame < 3; ++frame) expect_all(pipeline.pass(person()), kBlack, "the blur fails");
  fail_gl("DispatchCompute", 0);
  EXPECT_TRUE(shows(pipeline.pass(person()), person()));
  EXPECT_EQ(pipeline.error(), "");
}

// Drawing fails in the compositing pass: the model works, but nothing can be shown.
TEST_F(Failure, OfDrawingIsBlack) {
  PlayingPipeline pipeline(element("background=color"));
  ASSERT_TRUE(shows(pipeline.pass(person()), person()));
  fail_gl("DrawArrays", kEveryCall);
  for (int frame = 0; frame < 3; ++frame) expect_all(pipeline.pass(person()), kBlack, "nothing can be drawn");
  fail_gl("DrawArrays", 0);
  EXPECT_TRUE(shows(pipeline.pass(person()), person()));
  EXPECT_EQ(pipeline.error(), "");
}

// With a lost context, no frame leaves the element.
TEST_F(Failure, OfEverythingIsAnError) {
  TestPipeline pipeline(element("background=color"));
  int frames = 0;
  on_buffers(pipeline.element(), "src", [&frames](GstBuffer*) { ++frames; });
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  ASSERT_TRUE(shows(pipeline.pass(person()), person()));
  for (const char* function : {"DispatchCompute", "DrawArrays", "ClearBufferfv"}) fail_gl(function, kEveryCall);
  EXPECT_TRUE(pipeline.push(person()));
  EXPECT_NE(pipeline.error(10).find("drawing black"), std::string::npos);
  EXPECT_EQ(frames, 1);
}

// With mask-sync=latest, a run fails after a frame is drawn, or with the frame that begins the run.
TEST_F(Failure, OfARunAfterADrawnFrame) {
  TestPipeline pipeline(element("background=color background-color=0xff00ff00 mask-sync=latest gpu-budget=0"));
  const Pixel green = color({0, 255, 0, 255});
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(shows(pipeline.pass(person()), person()));
  fail_gl("DispatchCompute", 1);  // the part that reads the frame
  expect_all(pipeline.pass(person()), green, "the run could not begin");
  EXPECT_TRUE(shows(pipeline.pass(person()), person()));
  EXPECT_NE(pipeline.warning(1), "");
  EXPECT_TRUE(shows(pipeline.pass(person()), person()));
  fail_gl("DispatchCompute", kEveryCall);
  for (int i = 0; i < 3; ++i) expect_all(pipeline.pass(person()), green, "nothing is dispatched");
  fail_gl("DispatchCompute", 0);
  EXPECT_TRUE(shows(pipeline.pass(person()), person()));
  EXPECT_NE(pipeline.warning(1), "");
  EXPECT_EQ(pipeline.error(), "");
}

TEST_F(Failure, OfOperatorsOnTheCpu) {
  PlayingPipeline pipeline(
      "glsegment name=segment background=color background-color=0xff00ff00 fallback=cpu smoothing=0 refine=none "
      "model=" +
      red_model(Head::kCpuOnly));
  ASSERT_TRUE(shows(pipeline.pass(person()), person())) << pipeline.error();
  pipeline.warning(1);
  fail_gl("DispatchCompute", 1);
  expect_all(pipeline.pass(person()), color({0, 255, 0, 255}), "what the CPU reads was never computed");
  EXPECT_NE(pipeline.warning(1), "");
  EXPECT_TRUE(shows(pipeline.pass(person()), person()));
}

TEST_F(Failure, FollowsOnFailure) {
  PlayingPipeline pipeline(element("background=color background-color=0xff00ff00"));
  ASSERT_TRUE(shows(pipeline.pass(person()), person()));
  const auto pass_failing = [&](const char* policy) {
    gst_util_set_object_arg(G_OBJECT(pipeline.element()), "on-failure", policy);
    fail_gl("DispatchCompute", 1);
    return pipeline.pass(person());
  };
  expect_all(pass_failing("black"), kBlack, "black");
  EXPECT_TRUE(shows(pass_failing("pass"), person()));
  expect_all(pass_failing("background"), color({0, 255, 0, 255}), "background");
  gst_util_set_object_arg(G_OBJECT(pipeline.element()), "on-failure", "error");
  fail_gl("DispatchCompute", 1);
  EXPECT_TRUE(pipeline.push(person()));
  EXPECT_NE(pipeline.error(10).find("GL_OUT_OF_MEMORY"), std::string::npos);
}

// An invalid mask is not attached either.
TEST_F(Failure, AttachesNoMask) {
  TestPipeline pipeline(element("background=color attach-mask=true"));
  std::string seen;
  record_masks(pipeline.element(), seen);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  for (const int failing : {0, 1, 0}) {
    fail_gl("DispatchCompute", failing);
    ASSERT_TRUE(pipeline.pass(person()));
  }
  EXPECT_EQ(seen, "m-m");
}

}  // namespace
}  // namespace sightglass::test
