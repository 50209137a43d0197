// Model and compositor together: the number of GL calls per frame.
#include "segment/segmenter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "gl/counting_gl.h"
#include "gl/shaders.h"
#include "gl_pictures.h"
#include "harness/gl_test.h"
#include "red_picture.h"
#include "segment/mask_model.h"
#include "tiny_model.h"

namespace sightglass::test {
namespace {

struct Cost {
  int dispatches = 0;  // and draws
  int calls = 0;       // all GL calls
};

// These calls move no pixels, do not wait, and create nothing.
void expect_only_commands() {
  for (const char* name : {"BufferData", "BufferSubData", "TexSubImage2D", "MapBufferRange", "ReadPixels", "Finish",
                           "Flush", "ClientWaitSync", "CompileShader", "LinkProgram", "GenTextures", "GenBuffers"}) {
    EXPECT_EQ(gl_calls().contains(name) ? gl_calls().at(name) : 0, 0) << name;
  }
}

class SegmenterTest : public GlTest {
 protected:
  std::unique_ptr<Segmenter> make_segmenter(const std::string& path, int32_t width, int32_t height) {
    const auto model = Model::load(path);
    EXPECT_TRUE(model.ok()) << model.status().message();
    const auto mask = describe_mask_model(**model, recognize_model(path), {});
    EXPECT_TRUE(mask.ok()) << mask.status().message();
    const auto plan = Plan::build(*model, device().limits, mask->plan_options);
    EXPECT_TRUE(plan.ok()) << plan.status().message();
    auto segmenter = Segmenter::create(ShareGroup::create(counting_gl(gl()), nullptr, element_shaders()), device(),
                                       *plan, *mask, FrameKind::kRgba);
    EXPECT_TRUE(segmenter.ok()) << segmenter.status().message();
    EXPECT_TRUE((*segmenter)->resize({width, height}).ok());
    return *std::move(segmenter);
  }

  // Of the third frame.
  Cost cost_of_a_frame(const std::string& path, Background background, Bokeh bokeh = Bokeh::kGaussian) {
    constexpr int32_t kWidth = 640, kHeight = 480;
    const auto segmenter = make_segmenter(path, kWidth, kHeight);
    const GlTexture frame = make_texture(gl(), GL_RGBA8, kWidth, kHeight);
    const GlTexture output = make_texture(gl(), GL_RGBA8, kWidth, kHeight);
    SegmentLook look;
    look.background = background;
    look.bokeh = bokeh;
    for (int i = 0; i < 3; ++i) {
      gl_calls().clear();
      segmenter->set_look(look, Fit::kStretch);
      const Status status =
          segmenter->render({TextureRef{frame.id(), GL_TEXTURE_2D, kWidth, kHeight}, {}, kWidth, kHeight}, output.id());
      EXPECT_TRUE(status.ok()) << status.message();
    }
    Cost cost;
    for (const auto& [name, calls] : gl_calls()) {
      cost.calls += calls;
      if (name == "DispatchCompute" || name == "DrawArrays") cost.dispatches += calls;
    }
    std::printf("%d dispatches and draws, %d GL calls: %.2f each\n", cost.dispatches, cost.calls,
                static_cast<double>(cost.calls) / cost.dispatches);
    expect_only_commands();
    return cost;
  }
};

constexpr Background kBackgrounds[] = {Background::kBlur, Background::kColor, Background::kMask};

// The estimate of foreground colors preserves two more texture units, and its dispatches bind more than those of a
// model.
int despill_calls(Background background) { return background == Background::kColor ? 25 : 0; }

// The common calls of a frame weigh more in small models: some hundred calls that bind, unbind, and preserve GL state.
TEST_F(SegmenterTest, GlCallsPerFrame) {
  for (const std::string& model : {red_model(), std::string(SIGHTGLASS_SOURCE_DIR "/models/figure/figure.tflite")}) {
    for (const Background background : kBackgrounds) {
      const Cost cost = cost_of_a_frame(model, background);
      EXPECT_LE(cost.calls, 4 * cost.dispatches + 100 + despill_calls(background)) << model;
    }
    const Cost disc = cost_of_a_frame(model, Background::kBlur, Bokeh::kDisc);
    EXPECT_LE(disc.calls, 4 * disc.dispatches + 100) << model;
  }
  const std::string shared = shared_directory();
  if (shared.empty()) return;
  for (const Background background : kBackgrounds) {
    const Cost cost =
        cost_of_a_frame(shared + "/models/segmentation/mediapipe_selfie_segmenter_256.tflite", background);
    EXPECT_LE(cost.calls, 5 * cost.dispatches + 10 + despill_calls(background));
  }
}

// A run continues with the frame that it began with, whatever the camera has written there since.
TEST_F(SegmenterTest, AheadOfTheModel) {
  constexpr int32_t kSize = 32;
  const auto segmenter = make_segmenter(red_model(), kSize, kSize);
  const Rgba left = left_half_red(kSize, kSize);
  const Rgba right = picture(kSize, kSize, [](int32_t x, int32_t) { return x >= kSize / 2; });
  const GlTexture frame = upload(gl(), left);
  const GlTexture output = make_texture(gl(), GL_RGBA8, kSize, kSize);
  const UprightFrame ref{TextureRef{frame.id(), GL_TEXTURE_2D, kSize, kSize}, {}, kSize, kSize};
  const SegmentLook look{.background = Background::kMask};
  segmenter->set_look(look, Fit::kStretch);
  const auto write = [&](const Rgba& content) {
    gl().BindTexture(GL_TEXTURE_2D, frame.id());
    gl().TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, kSize, kSize, GL_RGBA, GL_UNSIGNED_BYTE, content.pixels.data());
    gl().BindTexture(GL_TEXTURE_2D, 0);
  };
  const auto shows_left = [&] { return download(gl(), output.id(), kSize, kSize).at(2, kSize / 2)[0] == 255; };

  ASSERT_TRUE(segmenter->measure().ok());
  EXPECT_GT(segmenter->times()[0], 0);
  EXPECT_FALSE(segmenter->has_result());
  ASSERT_TRUE(segmenter->render(ref, output.id()).ok());
  ASSERT_TRUE(segmenter->has_result());
  ASSERT_TRUE(shows_left());
  for (int run = 0; run < 2; ++run) {
    const bool was_left = shows_left();
    write(was_left ? right : left);
    gl_calls().clear();
    int frames = 0;
    for (const uint64_t before = segmenter->inferences(); segmenter->inferences() == before; ++frames) {
      ASSERT_LT(frames, 20);
      ASSERT_TRUE(segmenter->draw_ahead(ref, output.id(), true).ok());
      EXPECT_EQ(shows_left(), was_left) << "frame " << frames << " of run " << run;
      if (frames == 0) write(was_left ? left : right);
      gl_calls().erase("ReadPixels");
      ASSERT_TRUE(segmenter->advance(1).ok());
    }
    expect_only_commands();
    ASSERT_TRUE(segmenter->draw_ahead(ref, output.id(), true).ok());
    EXPECT_NE(shows_left(), was_left) << "run " << run;
    segmenter->forget();
    ASSERT_TRUE(segmenter->render(ref, output.id()).ok());
    EXPECT_EQ(shows_left(), was_left) << "the current content of the frame";
  }
}

// With the minimum budget, a run takes as many frames as the model has operators, and yields the same mask.
TEST_F(SegmenterTest, APartOfTheModelAfterEachFrame) {
  constexpr int32_t kSize = 96;
  const auto segmenter =
      make_segmenter(std::string(SIGHTGLASS_SOURCE_DIR) + "/models/figure/figure.tflite", kSize, kSize);
  const GlTexture frame = upload(gl(), left_half_red(kSize, kSize)),
                  gray = upload(gl(), picture(kSize, kSize, [](int32_t, int32_t) { return false; }));
  const GlTexture output = make_texture(gl(), GL_RGBA8, kSize, kSize);
  const auto ref = [&](const GlTexture& texture) {
    return UprightFrame{TextureRef{texture.id(), GL_TEXTURE_2D, kSize, kSize}, {}, kSize, kSize};
  };
  const SegmentLook look{.background = Background::kMask, .softness = 1};
  segmenter->set_look(look, Fit::kStretch);
  const auto shown = [&] { return download(gl(), output.id(), kSize, kSize).pixels; };
  ASSERT_TRUE(segmenter->measure().ok());
  ASSERT_TRUE(segmenter->render(ref(frame), output.id()).ok());
  const auto expected = shown();
  ASSERT_TRUE(segmenter->render(ref(gray), output.id()).ok());
  const auto before = shown();
  ASSERT_NE(expected, before);
  int frames = 0, most = 0;
  for (const uint64_t runs = segmenter->inferences(); segmenter->inferences() == runs; ++frames) {
    ASSERT_LT(frames, 1000);
    gl_calls().clear();
    ASSERT_TRUE(segmenter->draw_ahead(ref(frames == 0 ? frame : gray), output.id(), true).ok());
    ASSERT_TRUE(segmenter->advance(1).ok());
    expect_only_commands();
    most = std::max(most, gl_calls()["DispatchCompute"]);
    ASSERT_EQ(shown(), before) << "frame " << frames;
  }
  std::printf("a run in %d frames, at most %d dispatches in one\n", frames, most);
  EXPECT_GT(frames, 20);
  EXPECT_LE(most, 8);
  ASSERT_TRUE(segmenter->draw_ahead(ref(gray), output.id(), true).ok());
  EXPECT_EQ(shown(), expected);
}

}  // namespace
}  // namespace sightglass::test
