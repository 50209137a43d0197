// Model and compositor together: what a frame costs in GL calls.
#include "segment/segmenter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "gl/counting_gl.h"
#include "gl_pictures.h"
#include "harness/gl_test.h"
#include "segment/mask_model.h"
#include "tiny_model.h"

namespace sightglass::test {
namespace {

constexpr int32_t kWidth = 640, kHeight = 480;

struct Cost {
  int dispatches = 0;  // and draws
  int calls = 0;       // all of them
};

class SegmenterTest : public GlTest {
 protected:
  // Of the third frame.
  Cost cost_of_a_frame(const std::string& path, Background background) {
    const auto mask = load_mask_model(path, {});
    EXPECT_TRUE(mask.ok()) << mask.status().message();
    const auto plan = Plan::build(mask->model, device().limits, mask->plan_options);
    EXPECT_TRUE(plan.ok()) << plan.status().message();
    auto segmenter =
        Segmenter::create(ShareGroup::create(counting_gl(gl())), device(), *plan, mask->output, FrameKind::kRgba);
    EXPECT_TRUE(segmenter.ok()) << segmenter.status().message();
    EXPECT_TRUE((*segmenter)->resize(kWidth, kHeight).ok());
    const GlTexture frame = make_texture(gl(), GL_RGBA8, kWidth, kHeight);
    const GlTexture output = make_texture(gl(), GL_RGBA8, kWidth, kHeight);
    Look look;
    look.background = background;
    for (int i = 0; i < 3; ++i) {
      gl_calls().clear();
      const Status status =
          (*segmenter)
              ->render(TextureRef{frame.id(), GL_TEXTURE_2D, kWidth, kHeight}, {}, output.id(), Fit::kStretch, look);
      EXPECT_TRUE(status.ok()) << status.message();
    }
    Cost cost;
    for (const auto& [name, calls] : gl_calls()) {
      cost.calls += calls;
      if (name == "DispatchCompute" || name == "DrawArrays") cost.dispatches += calls;
    }
    std::printf("%d dispatches and draws, %d GL calls: %.2f each\n", cost.dispatches, cost.calls,
                static_cast<double>(cost.calls) / cost.dispatches);
    for (const char* name : {"BufferData", "BufferSubData", "TexSubImage2D", "MapBufferRange", "ReadPixels", "Finish",
                             "Flush", "ClientWaitSync", "CompileShader", "LinkProgram", "GenTextures", "GenBuffers"}) {
      EXPECT_EQ(gl_calls().contains(name) ? gl_calls().at(name) : 0, 0) << name;
    }
    return cost;
  }
};

constexpr Background kBackgrounds[] = {Background::kBlur, Background::kColor, Background::kMask};

TEST_F(SegmenterTest, GlCallsOfAFrame) {
  const std::string shared = shared_directory();
  if (shared.empty()) GTEST_SKIP() << "needs the real models of ../shared";
  for (const Background background : kBackgrounds) {
    const Cost cost =
        cost_of_a_frame(shared + "/models/segmentation/mediapipe_selfie_segmenter_256.tflite", background);
    EXPECT_LE(cost.calls, 5 * cost.dispatches);
  }
}

// What all dispatches of a frame share counts for more here: some ninety calls that bind and unbind.
TEST_F(SegmenterTest, GlCallsOfAFrameOfATinyModel) {
  for (const Background background : kBackgrounds) {
    const Cost cost = cost_of_a_frame(red_model(), background);
    EXPECT_LE(cost.calls, 4 * cost.dispatches + 90);
  }
}

}  // namespace
}  // namespace sightglass::test
