// Model and compositor together: the number of GL calls per frame.
#include "segment/segmenter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "element/effect_runner.h"
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
  std::unique_ptr<EffectRunner> make_runner(const std::string& path, int32_t width, int32_t height,
                                            const SegmentSettings& settings) {
    const auto model = Model::load(path);
    EXPECT_TRUE(model.ok()) << model.status().message();
    const auto mask = describe_mask_model(**model, recognize_model(path), {});
    EXPECT_TRUE(mask.ok()) << mask.status().message();
    const auto plan = Plan::build(*model, device().limits, mask->plan_options);
    EXPECT_TRUE(plan.ok()) << plan.status().message();
    const GlTarget target{nullptr,          ShareGroup::create(counting_gl(gl()), nullptr, element_shaders()),
                          device(),         FrameKind::kRgba,
                          TuningMode::kOff, ""};
    auto effect = Segmenter::create(target, *plan, *mask, settings);
    EXPECT_TRUE(effect.ok()) << effect.status().message();
    auto runner = EffectRunner::create(target, *std::move(effect), nullptr, settings.run.mask_sync);
    EXPECT_TRUE(runner.ok()) << runner.status().message();
    const Status status = (*runner)->resize({width, height}, settings);
    EXPECT_TRUE(status.ok()) << status.message();
    return *std::move(runner);
  }

  static FrameJob job_of(GLuint frame, GLuint output, int32_t width, int32_t height, const SegmentSettings& settings) {
    FrameJob job;
    job.frame = {TextureRef{frame, GL_TEXTURE_2D, width, height}, {}, width, height};
    job.output = output;
    job.settings = std::make_shared<SegmentSettings>(settings);
    return job;
  }

  // That of a mask which lags, with the smallest part of the model after each frame.
  static SegmentSettings lagging() {
    SegmentSettings settings;
    settings.refine = Refine::kNone;
    settings.islands = true;
    settings.smoothing = 0.0F;
    settings.look.background = Background::kMask;
    settings.run.mask_sync = MaskSync::kLatest;
    settings.run.gpu_budget_ns = 1;
    settings.run.on_failure = OnFailure::kError;
    return settings;
  }

  // Of the third frame.
  Cost cost_of_a_frame(const std::string& path, Background background, Bokeh bokeh = Bokeh::kGaussian) {
    constexpr int32_t kWidth = 640, kHeight = 480;
    SegmentSettings settings;
    settings.refine = Refine::kNone;
    settings.islands = true;
    settings.smoothing = 0.0F;
    settings.softness = 0.5F;
    settings.look.background = background;
    settings.look.bokeh = bokeh;
    const auto runner = make_runner(path, kWidth, kHeight, settings);
    const GlTexture frame = make_texture(gl(), GL_RGBA8, kWidth, kHeight);
    const GlTexture output = make_texture(gl(), GL_RGBA8, kWidth, kHeight);
    for (int i = 0; i < 3; ++i) {
      gl_calls().clear();
      FrameJob job = job_of(frame.id(), output.id(), kWidth, kHeight, settings);
      const Status status = runner->process(job);
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
  const SegmentSettings settings = lagging();
  const auto runner = make_runner(red_model(), kSize, kSize, settings);
  const Rgba left = left_half_red(kSize, kSize);
  const Rgba right = picture(kSize, kSize, [](int32_t x, int32_t) { return x >= kSize / 2; });
  const GlTexture frame = upload(gl(), left);
  const GlTexture output = make_texture(gl(), GL_RGBA8, kSize, kSize);
  const auto write = [&](const Rgba& content) {
    gl().BindTexture(GL_TEXTURE_2D, frame.id());
    gl().TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, kSize, kSize, GL_RGBA, GL_UNSIGNED_BYTE, content.pixels.data());
    gl().BindTexture(GL_TEXTURE_2D, 0);
  };
  const auto shows_left = [&] { return download(gl(), output.id(), kSize, kSize).at(2, kSize / 2)[0] == 255; };
  FrameJob job = job_of(frame.id(), output.id(), kSize, kSize, settings);
  const auto process = [&] { return runner->process(job); };
  const auto finish = [&] { return runner->finish(job); };

  EXPECT_GT(runner->model_times()[0], 0) << "measured before the first frame";
  EXPECT_EQ(runner->inferences(), 0U);
  ASSERT_TRUE(process().ok());
  ASSERT_TRUE(finish().ok());
  ASSERT_EQ(runner->inferences(), 1U) << "the first frame waits for its result";
  ASSERT_TRUE(shows_left());
  for (int run = 0; run < 2; ++run) {
    const bool was_left = shows_left();
    write(was_left ? right : left);
    gl_calls().clear();
    int frames = 0;
    for (const uint64_t before = runner->inferences(); runner->inferences() == before; ++frames) {
      ASSERT_LT(frames, 20);
      ASSERT_TRUE(process().ok());
      EXPECT_EQ(shows_left(), was_left) << "frame " << frames << " of run " << run;
      if (frames == 0) write(was_left ? left : right);
      gl_calls().erase("ReadPixels");
      ASSERT_TRUE(finish().ok());
    }
    expect_only_commands();
    ASSERT_TRUE(process().ok());
    EXPECT_NE(shows_left(), was_left) << "run " << run;
    ASSERT_TRUE(finish().ok());
    runner->forget();
    ASSERT_TRUE(process().ok());
    EXPECT_EQ(shows_left(), was_left) << "the current content of the frame";
    ASSERT_TRUE(finish().ok());
  }
}

// With the minimum budget, a run takes as many frames as the model has operators, and yields the same mask.
TEST_F(SegmenterTest, APartOfTheModelAfterEachFrame) {
  constexpr int32_t kSize = 96;
  SegmentSettings settings = lagging();
  settings.softness = 1.0F;
  const auto runner =
      make_runner(std::string(SIGHTGLASS_SOURCE_DIR) + "/models/figure/figure.tflite", kSize, kSize, settings);
  const GlTexture frame = upload(gl(), left_half_red(kSize, kSize)),
                  gray = upload(gl(), picture(kSize, kSize, [](int32_t, int32_t) { return false; }));
  const GlTexture output = make_texture(gl(), GL_RGBA8, kSize, kSize);
  const auto shown = [&] { return download(gl(), output.id(), kSize, kSize).pixels; };
  const auto process = [&](const GlTexture& texture) {
    FrameJob job = job_of(texture.id(), output.id(), kSize, kSize, settings);
    const Status status = runner->process(job);
    return status.ok() ? runner->finish(job) : status;
  };
  ASSERT_TRUE(process(frame).ok());
  const auto expected = shown();
  runner->forget();
  ASSERT_TRUE(process(gray).ok());
  const auto before = shown();
  ASSERT_NE(expected, before);
  int frames = 0, most = 0;
  for (const uint64_t runs = runner->inferences(); runner->inferences() == runs; ++frames) {
    ASSERT_LT(frames, 1000);
    gl_calls().clear();
    ASSERT_TRUE(process(frames == 0 ? frame : gray).ok());
    expect_only_commands();
    most = std::max(most, gl_calls()["DispatchCompute"]);
    ASSERT_EQ(shown(), before) << "frame " << frames;
  }
  std::printf("a run in %d frames, at most %d dispatches in one\n", frames, most);
  EXPECT_GT(frames, 20);
  EXPECT_LE(most, 8);
  ASSERT_TRUE(process(gray).ok());
  EXPECT_EQ(shown(), expected);
}

}  // namespace
}  // namespace sightglass::test
