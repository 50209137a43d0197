// The compositor on masks made by the test, and together with the model: the number of GL calls per frame.
#include "segment/compositor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "compositor_case.h"
#include "element/effect_runner.h"
#include "gl/counting_gl.h"
#include "gl/shaders.h"
#include "gl_pictures.h"
#include "harness/gl_state.h"
#include "harness/gl_test.h"
#include "harness/value_of.h"
#include "red_picture.h"
#include "segment/mask_model.h"
#include "segment/segmenter.h"
#include "tiny_model.h"

namespace sightglass::test {
namespace {

TEST_F(CompositorTest, ForegroundIsUntouched) {
  const Rgba frame = make_frame(64, 48);
  for (const Background background :
       {Background::kBlur, Background::kColor, Background::kImage, Background::kTransparent}) {
    EXPECT_EQ(largest_difference(draw_uniform(frame, 1, look_of(background)), frame), 0)
        << "background " << static_cast<int>(background);
  }
  EXPECT_EQ(largest_difference(draw_uniform(frame, 1, look_of(Background::kMask)), solid(64, 48, {255, 255, 255, 255})),
            0);
}

TEST_F(CompositorTest, BackgroundIsReplaced) {
  const Rgba frame = make_frame(33, 21);
  SegmentLook look = look_of(Background::kColor);
  look.color = {1, 0.2F, 0.4F, 0.6F};
  EXPECT_LE(largest_difference(draw_uniform(frame, 0, look), solid(33, 21, {255, 51, 102, 153})), 1);
  EXPECT_EQ(largest_difference(draw_uniform(frame, 0, look_of(Background::kMask)), solid(33, 21, {0, 0, 0, 255})), 0);
  const Rgba clear = draw_uniform(frame, 0, look_of(Background::kTransparent));
  for (size_t i = 3; i < clear.pixels.size(); i += 4) ASSERT_EQ(clear.pixels[i], 0);
}

TEST_F(CompositorTest, ThresholdAndSoftness) {
  const Rgba frame = solid(16, 16, {255, 255, 255, 255});
  const auto opacity = [&](float probability, float threshold, float softness) {
    SegmentLook look = look_of(Background::kMask);
    look.threshold = threshold;
    look.softness = softness;
    return draw_uniform(frame, probability, look).at(8, 8)[0];
  };
  EXPECT_EQ(opacity(0.49F, 0.5F, 0), 0);
  EXPECT_EQ(opacity(0.51F, 0.5F, 0), 255);
  EXPECT_NEAR(opacity(0.5F, 0.5F, 0.4F), 127.5, 1);
  EXPECT_EQ(opacity(0.29F, 0.5F, 0.4F), 0);
  EXPECT_EQ(opacity(0.71F, 0.5F, 0.4F), 255);
  EXPECT_EQ(opacity(0, 0.1F, 1), 0) << "certain background must not shine through";
  EXPECT_EQ(opacity(1, 0.9F, 1), 255) << "certain foreground must be opaque";
  EXPECT_EQ(opacity(1, 1, 0), 255);
  EXPECT_EQ(opacity(0, 0, 0), 0);
}

TEST_F(CompositorTest, TransparentOutputHasStraightColors) {
  SegmentLook look = look_of(Background::kTransparent);
  look.softness = 1;
  const Rgba out = draw_uniform(solid(16, 16, {200, 100, 50, 255}), 0.5F, look);
  EXPECT_NEAR(out.at(8, 8)[3], 127.5, 1);
  EXPECT_NEAR(out.at(8, 8)[0], 200, 1);
  EXPECT_NEAR(out.at(8, 8)[2], 50, 1);
}

// Soft edges pass through alphas below one step of 8 bits.
TEST_F(CompositorTest, TransparentPixelsStoreNoColor) {
  const Rgba frame = make_frame(640, 480);
  std::vector<float> mask;
  for (int i = 0; i < 64 * 64; ++i)
    mask.push_back(std::clamp(1.4F - std::hypot(i % 64 - 31.5F, i / 64 - 31.5F) / 20, 0.0F, 1.0F));
  for (const bool premultiply : {false, true}) {
    for (const float feather : {0.0F, 24.0F}) {
      for (const float softness : {0.5F, 1.0F}) {
        SegmentLook look = look_of(Background::kTransparent);
        look.premultiply = premultiply;
        look.feather = feather;
        look.softness = softness;
        const Rgba out = draw(frame, 64, 64, mask, look);
        int hidden = 0, colored = 0, faint = 0;
        for (size_t i = 0; i < out.pixels.size(); i += 4) {
          const uint8_t* pixel = &out.pixels[i];
          hidden += pixel[3] == 0 ? 1 : 0;
          faint += pixel[3] > 0 && pixel[3] < 8 ? 1 : 0;
          colored += pixel[3] == 0 && (pixel[0] != 0 || pixel[1] != 0 || pixel[2] != 0) ? 1 : 0;
        }
        std::printf("%s, feather %2.0f, softness %.1f: %d pixels with colors of %d with an alpha of 0, %d of 1 to 7\n",
                    premultiply ? "premultiplied" : "straight", static_cast<double>(feather),
                    static_cast<double>(softness), colored, hidden, faint);
        EXPECT_EQ(colored, 0);
        EXPECT_GT(hidden, 1000);
        EXPECT_GT(faint, 100) << "an edge that is soft enough to show it";
      }
    }
  }
}

TEST_F(CompositorTest, BlurKeepsAUniformFrame) {
  const Rgba frame = solid(75, 51, {180, 90, 30, 255});
  std::vector<float> mask(64);
  for (size_t i = 0; i < mask.size(); ++i) mask[i] = static_cast<float>(i * 29 % 64) / 63;
  for (const float radius : {0.0F, 1.0F, 3.0F, 8.0F, 24.0F, 100.0F, 256.0F, 1024.0F}) {
    for (const Bokeh bokeh : {Bokeh::kGaussian, Bokeh::kDisc}) {
      SegmentLook look = look_of(Background::kBlur);
      look.blur_radius = radius;
      look.bokeh = bokeh;
      EXPECT_LE(largest_difference(draw(frame, 8, 8, mask, look), frame), 2)
          << "radius " << radius << ", bokeh " << static_cast<int>(bokeh);
    }
  }
}

// The derivative of the response to an edge has the variance of the blur.
TEST_F(CompositorTest, BlurHasTheRequestedRadius) {
  const Rgba frame = painted(512, 64, [](int32_t x, int32_t) {
    return x < 256 ? std::array{0, 0, 0} : std::array{255, 255, 255};
  });
  for (const float radius : {4.0F, 6.0F, 10.0F, 16.0F, 24.0F, 40.0F, 64.0F, 100.0F}) {
    SegmentLook look = look_of(Background::kBlur);
    look.blur_radius = radius;
    const Rgba out = draw_uniform(frame, 0, look);
    double mass = 0, mean = 0, square = 0;
    for (int32_t x = 1; x < 512; ++x) {
      const double step = out.at(x, 32)[0] - out.at(x - 1, 32)[0];
      mass += step;
      mean += step * x;
      square += step * x * x;
    }
    mean /= mass;
    const double sigma = std::sqrt(square / mass - mean * mean);
    std::printf("blur-radius %5.1f: standard deviation %.2f px, wanted %.2f\n", static_cast<double>(radius), sigma,
                0.5 * static_cast<double>(radius));
    EXPECT_NEAR(sigma, 0.5 * static_cast<double>(radius), 0.3 + 0.05 * static_cast<double>(radius));
    EXPECT_NEAR(mean, 256, 1) << "the blur must not shift the image";
  }
}

TEST_F(CompositorTest, ForegroundDoesNotBleedIntoTheBlur) {
  constexpr int32_t kSize = 256;
  const Rgba frame = painted(kSize, kSize, [](int32_t x, int32_t) {
    return x < kSize / 2 ? std::array{255, 0, 0} : std::array{0, 200, 0};
  });
  std::vector<float> mask;
  for (int i = 0; i < 64 * 64; ++i) mask.push_back(i % 64 < 32 ? 1 : 0);
  for (const Bokeh bokeh : {Bokeh::kGaussian, Bokeh::kDisc}) {
    SegmentLook look = look_of(Background::kBlur);
    look.blur_radius = 40;
    look.bokeh = bokeh;
    look.softness = 0;
    const Rgba out = draw(frame, 64, 64, mask, look);
    int red = 0, green = 255;
    for (int32_t x = kSize / 2 + 8; x < kSize; ++x) {
      red = std::max<int>(red, out.at(x, kSize / 2)[0]);
      green = std::min<int>(green, out.at(x, kSize / 2)[1]);
    }
    std::printf("%s, background next to the person: red at most %d of 255, green at least %d of 200\n",
                bokeh == Bokeh::kDisc ? "disc" : "gaussian", red, green);
    EXPECT_LE(red, 8);
    EXPECT_GE(green, 190);
  }
}

TEST_F(CompositorTest, AnySize) {
  std::vector<float> mask(9 * 5);
  for (size_t i = 0; i < mask.size(); ++i) mask[i] = i % 3 == 0 ? 1 : 0;
  for (const auto& [width, height] : {std::pair{1, 1}, {1, 7}, {3, 5}, {17, 333}, {641, 479}}) {
    const Rgba frame = make_frame(width, height);
    for (const Background background : {Background::kBlur, Background::kColor, Background::kMask}) {
      for (const Bokeh bokeh : {Bokeh::kGaussian, Bokeh::kDisc}) {
        SegmentLook look = look_of(background);
        look.blur_radius = 256;
        look.bokeh = bokeh;
        const Rgba out = draw(frame, 9, 5, mask, look);
        for (size_t i = 3; i < out.pixels.size(); i += 4) ASSERT_EQ(out.pixels[i], 255) << width << "x" << height;
      }
    }
  }
}

// A mask with one corner set, with each fit: the corner must not move.
TEST_F(CompositorTest, MaskIsWhereTheModelSampledTheFrame) {
  const Rgba frame = make_frame(120, 60);
  std::vector<float> mask(32 * 32, 0);
  for (const Fit fit : {Fit::kStretch, Fit::kLetterbox}) {
    const InputTransform transform = make_input_transform(120, 60, 32, 32, fit);
    // Letterboxed, the frame takes the rows 8 to 24.
    const int top = fit == Fit::kLetterbox ? 8 : 0, bottom = fit == Fit::kLetterbox ? 16 : 16;
    std::fill(mask.begin(), mask.end(), 0.0F);
    for (int y = top; y < bottom; ++y) std::fill_n(mask.begin() + y * 32, 16, 1.0F);
    const Rgba out = draw(frame, 32, 32, mask, look_of(Background::kMask), transform);
    EXPECT_EQ(out.at(20, 10)[0], 255) << "fit " << static_cast<int>(fit);
    EXPECT_EQ(out.at(100, 10)[0], 0);
    EXPECT_EQ(out.at(20, 50)[0], 0);
    EXPECT_EQ(out.at(100, 50)[0], 0);
    EXPECT_EQ(out.at(2, 1)[0], 255) << "the empty bars must not affect the border of the frame";
  }
}

TEST_F(CompositorTest, ImageCanBeSetAndCleared) {
  const Rgba frame = make_frame(20, 10);
  const SegmentLook look = look_of(Background::kImage);
  ASSERT_TRUE(compositor_->resize(20, 10).ok());
  width_ = 20, height_ = 10;
  const Rgba picture = solid(20, 10, {10, 20, 30, 255});
  ASSERT_TRUE(compositor_->set_picture(std::as_bytes(std::span(picture.pixels))).ok());
  EXPECT_EQ(largest_difference(draw_uniform(frame, 0, look), picture), 0);
  EXPECT_FALSE(compositor_->set_picture(std::as_bytes(std::span(picture.pixels).first(16))).ok());
  ASSERT_TRUE(compositor_->resize(10, 20).ok());
  EXPECT_FALSE(compositor_->has_picture());
}

TEST_F(CompositorTest, LeavesGlStateAsFound) {
  const Rgba frame = make_frame(40, 30);
  gl().Viewport(1, 2, 3, 4);
  draw_uniform(frame, 0.5F, look_of(Background::kBlur));  // state that the helpers leave behind is set from now on
  const GlState before = snapshot_gl_state(gl());
  for (const Background background :
       {Background::kBlur, Background::kColor, Background::kImage, Background::kTransparent, Background::kMask}) {
    draw_uniform(frame, 0.5F, look_of(background));
    EXPECT_EQ(difference(before, snapshot_gl_state(gl())), "") << "background " << static_cast<int>(background);
  }
  SegmentLook disc = look_of(Background::kBlur);
  disc.bokeh = Bokeh::kDisc;
  draw_uniform(frame, 0.5F, disc);
  EXPECT_EQ(difference(before, snapshot_gl_state(gl())), "") << "a disc";
  gl().ActiveTexture(GL_TEXTURE3);
  EXPECT_NE(difference(before, snapshot_gl_state(gl())), "") << "the snapshot must detect changes";
  gl().ActiveTexture(GL_TEXTURE0);
}

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
    const auto model = value_of(Model::load(path));
    const auto mask = value_of(describe_mask_model(*model, recognize_model(path), {}));
    const auto plan = value_of(Plan::build(model, device().limits, mask.plan_options));
    const GlTarget target{nullptr,          ShareGroup::create(counting_gl(gl()), nullptr, element_shaders()),
                          device(),         FrameKind::kRgba,
                          TuningMode::kOff, ""};
    auto runner = value_of(EffectRunner::create(target, value_of(Segmenter::create(target, plan, mask, settings)),
                                                nullptr, settings.run.mask_sync));
    const Status status = runner->resize({width, height}, settings);
    EXPECT_TRUE(status.ok()) << status.message();
    return runner;
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

// Tiles have a texture of their own, and preserve one more texture unit.
int tile_calls(Background background) { return background == Background::kMask ? 0 : 10; }

// The passes of region=person bind up to five buffers each.
constexpr int kRegionCalls = 50;

// To fill holes takes a pass, of which no call is shared with others, and a texture and a block of the next one.
constexpr int kCleaningCalls = 15;

// The common calls of a frame weigh more in small models: some hundred calls that bind, unbind, and preserve GL state.
TEST_F(SegmenterTest, GlCallsPerFrame) {
  for (const std::string& model : {red_model(), std::string(SIGHTGLASS_SOURCE_DIR "/models/figure/figure.tflite")}) {
    for (const Background background : kBackgrounds) {
      const Cost cost = cost_of_a_frame(model, background);
      EXPECT_LE(cost.calls, 4 * cost.dispatches + 100 + despill_calls(background) + tile_calls(background)) << model;
    }
    const Cost disc = cost_of_a_frame(model, Background::kBlur, Bokeh::kDisc);
    EXPECT_LE(disc.calls, 4 * disc.dispatches + 100 + tile_calls(Background::kBlur)) << model;
  }
  const std::string shared = shared_directory();
  if (shared.empty()) return;
  for (const Background background : kBackgrounds) {
    const Cost cost =
        cost_of_a_frame(shared + "/models/segmentation/mediapipe_selfie_segmenter_256.tflite", background);
    EXPECT_LE(cost.calls, 4 * cost.dispatches + 100 + kRegionCalls + kCleaningCalls + despill_calls(background) +
                              tile_calls(background));
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

// What a frame does not show is not computed, and what no frame needs is not kept.
class NeededTest : public GlTest {
 protected:
  static constexpr int32_t kWidth = 160, kHeight = 120, kMask = 16;

  void SetUp() override {
    GlTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    group_ = ShareGroup::create(counting_gl(gl()), nullptr, element_shaders());
    compositor_.emplace(value_of(Compositor::create(group_, FrameKind::kRgba, Refine::kGuided)));
    ASSERT_TRUE(compositor_->resize(kWidth, kHeight).ok());
    frames_.emplace(value_of(FramePair::create(group_, FrameKind::kRgba, kMask, kMask)));
    frame_ = upload(gl(), left_half_red(kWidth, kHeight));
    output_ = make_texture(gl(), GL_RGBA8, kWidth, kHeight);
    mask_ = upload_mask(gl(), kMask, kMask, std::vector<float>(kMask * kMask, 0.5F));
    draw({});
  }
  void TearDown() override {
    frames_.reset();
    compositor_.reset();
    group_.reset();
    for (GlTexture* texture : {&frame_, &output_, &mask_}) texture->reset();
    GlTest::TearDown();
  }

  // Returns the calls.
  std::map<std::string, int> draw(const SegmentLook& look) {
    const TextureRef frame{frame_.id(), GL_TEXTURE_2D, kWidth, kHeight};
    frames_->see(frame, {});
    frames_->follow();
    compositor_->set_noise(frames_->noise(), false);
    gl_calls().clear();
    const Status drawn =
        compositor_->draw(frame, {}, {mask_.id(), GL_TEXTURE_2D, kMask, kMask}, {}, output_.id(), look);
    EXPECT_TRUE(drawn.ok()) << drawn.message();
    return gl_calls();
  }

 private:
  std::shared_ptr<ShareGroup> group_;
  std::optional<Compositor> compositor_;
  std::optional<FramePair> frames_;
  GlTexture frame_, output_, mask_;
};

TEST_F(NeededTest, OnlyMasksThatAreShownAreRefined) {
  SegmentLook look{.background = Background::kColor};
  EXPECT_GT(draw(look)["DispatchCompute"], 0);
  for (const Coverage coverage : {Coverage::kAllForeground, Coverage::kAllBackground}) {
    look.coverage = coverage;
    EXPECT_EQ(draw(look)["DispatchCompute"], 0) << static_cast<int>(coverage);
  }
}

TEST_F(NeededTest, FramesWithoutNoiseAreKeptWhileTheyAreShown) {
  SegmentLook look{.background = Background::kColor, .low_light = 1};
  EXPECT_GT(draw(look)["GenTextures"], 0);
  EXPECT_EQ(draw(look)["DeleteTextures"], 0);
  look.low_light = 0;
  EXPECT_EQ(draw(look)["DeleteTextures"], 2) << "the previous one and the next";
  EXPECT_EQ(draw(look)["DeleteTextures"], 0);
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
