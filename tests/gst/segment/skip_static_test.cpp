// skip-static: the model does not run on an unchanged image, and the mask is correct nevertheless.
#include <gtest/gtest.h>

#include <cstdio>
#include <random>

#include "gl_pictures.h"
#include "red_picture.h"
#include "test_pipeline.h"
#include "tiny_model.h"

namespace sightglass::test {
namespace {

constexpr int32_t kSize = 256;

std::string element(const std::string& properties = "") {
  return "glsegment name=segment background=mask skip-static=true model=" + red_model() + " " + properties;
}

struct Stats {
  guint64 inferences = 0, skipped = 0;
};
Stats look_at(GstElement* segment) {
  GstStructure* structure = nullptr;
  g_object_get(segment, "stats", &structure, nullptr);
  Stats stats;
  gst_structure_get_uint64(structure, "inferences", &stats.inferences);
  gst_structure_get_uint64(structure, "skipped", &stats.skipped);
  gst_structure_free(structure);
  return stats;
}

// The statistics of all frames so far, read after the first of four more frames like the last one, which are all
// skipped.
constexpr guint64 kMoreFrames = 4;
Stats stats_after(TestPipeline& pipeline, const Rgba& last) {
  look_at(pipeline.element());
  for (guint64 i = 0; i < kMoreFrames; ++i) EXPECT_TRUE(pipeline.pass(last)) << pipeline.error();
  Stats stats = look_at(pipeline.element());
  stats.inferences -= kMoreFrames;
  stats.skipped -= 1;
  return stats;
}

Rgba gray() {
  return picture(kSize, kSize, [](int32_t, int32_t) { return false; });
}
int mask_at(const std::optional<Rgba>& mask, int32_t x, int32_t y) { return mask ? mask->at(x, y)[0] : -1; }

TEST(SkipStatic, AStillImageKeepsItsMask) {
  PlayingPipeline pipeline(element());
  const Rgba frame = left_half_red(kSize, kSize);
  const Rgba first = pipeline.shown(frame);
  for (int i = 0; i < 9; ++i) {
    const Rgba next = pipeline.shown(frame);
    EXPECT_EQ(next.pixels, first.pixels) << "frame " << i + 1;
  }
  const Stats stats = stats_after(pipeline, frame);
  EXPECT_EQ(stats.inferences, 10U);
  EXPECT_EQ(stats.skipped, 9U) << "all but the first";
}

TEST(SkipStatic, AChangeInACornerIsDetectedAtOnce) {
  for (const auto& [x0, y0] : {std::pair{0, 0}, {kSize - 48, 0}, {0, kSize - 48}, {kSize - 48, kSize - 48}}) {
    PlayingPipeline pipeline(element());
    const Rgba changed = picture(kSize, kSize, [x0 = x0, y0 = y0](int32_t x, int32_t y) {
      return x >= x0 && x < x0 + 48 && y >= y0 && y < y0 + 48;
    });
    const int32_t x = x0 + 24, y = y0 + 24;
    for (int i = 0; i < 3; ++i) EXPECT_EQ(mask_at(pipeline.pass(gray()), x, y), 0);
    EXPECT_EQ(mask_at(pipeline.pass(changed), x, y), 255) << x << "," << y;
    EXPECT_EQ(mask_at(pipeline.pass(changed), x, y), 255);
    EXPECT_EQ(mask_at(pipeline.pass(gray()), x, y), 0);
    const Stats stats = stats_after(pipeline, gray());
    EXPECT_EQ(stats.inferences, 6U);
    EXPECT_EQ(stats.skipped, 3U) << x << "," << y;
  }
}

// Each frame hardly differs from the previous one. The reference is the frame of the last run.
TEST(SkipStatic, ASlowChangeIsDetected) {
  PlayingPipeline pipeline(element());
  const auto shade = [](int red) {
    Rgba frame = gray();
    for (size_t i = 0; i < frame.pixels.size(); i += 4) frame.pixels[i] = static_cast<uint8_t>(red);
    return frame;
  };
  int mask = -1;
  for (int red = 80; red < 160; ++red) mask = mask_at(pipeline.pass(shade(red)), 100, 100);
  EXPECT_EQ(mask, 255);
  const Stats stats = stats_after(pipeline, shade(159));
  std::printf("%d of %d runs were skipped\n", static_cast<int>(stats.skipped), static_cast<int>(stats.inferences));
  EXPECT_GT(stats.skipped, 50U);
  EXPECT_LT(stats.skipped, 75U);
}

// Camera noise is not a change, except with a threshold of 0.
TEST(SkipStatic, NoiseIsNotAChange) {
  for (const bool strict : {false, true}) {
    PlayingPipeline pipeline(element(strict ? "static-threshold=0" : ""));
    std::mt19937 random(1);
    std::normal_distribution<float> noise(0, 4);
    Rgba frame = gray();
    for (int i = 0; i < 10; ++i) {
      frame = gray();
      for (uint8_t& byte : frame.pixels) byte = static_cast<uint8_t>(static_cast<float>(byte) * 0.9F + noise(random));
      ASSERT_TRUE(pipeline.pass(frame)) << pipeline.error();
    }
    EXPECT_EQ(stats_after(pipeline, frame).skipped, strict ? 0U : 9U);
  }
}

// Other changes that affect the mask.
TEST(SkipStatic, RunsAfterABreak) {
  PlayingPipeline pipeline(element());
  const Rgba wide = picture(2 * kSize, kSize, [](int32_t x, int32_t y) { return x < 100 && y < 100; });
  EXPECT_EQ(mask_at(pipeline.pass(wide), 50, 50), 255);
  gst_util_set_object_arg(G_OBJECT(pipeline.element()), "fit", "letterbox");
  const auto letterboxed = pipeline.pass(wide);
  EXPECT_EQ(mask_at(letterboxed, 50, 50), 255) << "the model input differs";
  EXPECT_EQ(mask_at(letterboxed, 50, 200), 0);
  ASSERT_TRUE(pipeline.flush());
  EXPECT_EQ(mask_at(pipeline.pass(wide), 50, 50), 255);
  gst_util_set_object_arg(G_OBJECT(pipeline.element()), "mask-sync", "latest");
  const Rgba nothing = picture(2 * kSize, kSize, [](int32_t, int32_t) { return false; });
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(pipeline.pass(nothing));
  gst_util_set_object_arg(G_OBJECT(pipeline.element()), "mask-sync", "exact");
  EXPECT_EQ(mask_at(pipeline.pass(wide), 50, 50), 255) << "the previous mask belongs to another image";
  EXPECT_EQ(stats_after(pipeline, wide).skipped, 2U) << "of the three without a person";
}

// Frames show the previous mask.
TEST(SkipStatic, RunsAfterFrames) {
  PlayingPipeline pipeline(element("mask-sync=latest gpu-budget=0"));
  const Rgba left = left_half_red(kSize, kSize);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(mask_at(pipeline.pass(left), 50, 50), 255);
  EXPECT_EQ(mask_at(pipeline.pass(gray()), 50, 50), 255) << "the previous mask";
  for (int i = 0; i < 10; ++i) EXPECT_EQ(mask_at(pipeline.pass(gray()), 50, 50), 0);
  const Stats stats = stats_after(pipeline, gray());
  EXPECT_EQ(stats.inferences, 21U);
  EXPECT_EQ(stats.skipped, 19U) << "all except the first of each image";
}

// Runs over some sixty frames: whether a run takes place is decided when it begins.
TEST(SkipStatic, RunsInParts) {
  const std::string model = "glsegment name=segment background=mask smoothing=0 model=" + figure_file();
  const Rgba first = left_half_red(kSize, kSize);
  const Rgba second = picture(kSize, kSize, [](int32_t x, int32_t y) { return (x / 32 + y / 32) % 2 == 0; });
  const auto true_mask = [&](const Rgba& frame) {
    TestPipeline exact(model);
    exact.set_state(GST_STATE_PLAYING);
    return exact.pass(frame);
  };
  const auto first_mask = true_mask(first), second_mask = true_mask(second);
  ASSERT_TRUE(first_mask && second_mask);
  ASSERT_NE(first_mask->pixels, second_mask->pixels);

  PlayingPipeline pipeline(model + " skip-static=true mask-sync=latest gpu-budget=1");
  for (int i = 0; i < 150; ++i) {
    const Rgba mask = pipeline.shown(first);
    ASSERT_EQ(mask.pixels, first_mask->pixels) << "frame " << i;
  }
  int lag = 0;
  for (bool seen = false; lag < 200 && !seen; lag += seen ? 0 : 1) {
    const Rgba mask = pipeline.shown(second);
    seen = mask.pixels == second_mask->pixels;
  }
  look_at(pipeline.element());
  for (int i = 0; i < 100; ++i) ASSERT_EQ(pipeline.pass(second)->pixels, second_mask->pixels);
  const Stats stats = look_at(pipeline.element());
  std::printf("the mask follows %d frames later; %d of %d runs were skipped\n", lag, static_cast<int>(stats.skipped),
              static_cast<int>(stats.inferences));
  EXPECT_GT(lag, 20) << "a run takes many frames";
  EXPECT_LT(lag, 150) << "the current run, and the next one";
  EXPECT_GE(stats.skipped, 2U);

  // An aborted run leaves no mask of its image.
  for (int i = 0; i < 80; ++i) ASSERT_TRUE(pipeline.pass(first));
  gst_util_set_object_arg(G_OBJECT(pipeline.element()), "mask-sync", "exact");
  const Rgba mask = pipeline.shown(first);
  EXPECT_EQ(mask.pixels, first_mask->pixels);
}

TEST(SkipStatic, PartsOnTheCpuAlwaysRun) {
  PlayingPipeline pipeline("glsegment name=segment background=mask skip-static=true fallback=cpu model=" +
                           red_model(Head::kCpuOnly));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(mask_at(pipeline.pass(left_half_red(kSize, kSize)), 50, 50), 255);
}

}  // namespace
}  // namespace sightglass::test
