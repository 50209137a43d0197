// The property smoothing: masks are stable without motion, and follow motion at once. The property holes: uncertain
// parts of people neither are holes nor blink, and gaps stay.
#include <gst/app/gstappsink.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "figure_truth.h"
#include "red_picture.h"
#include "test_pipeline.h"
#include "tiny_model.h"

namespace sightglass::test {
namespace {

using Mask = std::vector<uint8_t>;

std::string element(double smoothing, const std::string& model, const std::string& more = "motion=off") {
  return "glsegment name=segment background=mask softness=1 refine=none smoothing=" + std::to_string(smoothing) +
         " model=" + model + " " + more;
}

Rgba still_figure() { return draw_figure(320, 240, "seed=2000010 framing=selfie").picture; }

// The same sequence of calls returns the same noise.
class Noise {
 public:
  Rgba on(const Rgba& picture) {
    Rgba noisy = picture;
    std::normal_distribution<double> noise(0, 10);
    for (uint8_t& value : noisy.pixels) value = static_cast<uint8_t>(std::clamp(value + noise(random_), 0.0, 255.0));
    return noisy;
  }

 private:
  std::mt19937 random_{1};
};

// The mean change of mask values (0 to 255) from frame to frame.
double flicker(const std::string& middle, const Rgba& still, int frames) {
  TestPipeline pipeline(middle);
  EXPECT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  Noise noise;
  Rgba before;
  double sum = 0;
  for (int frame = 0; frame < frames; ++frame) {
    const auto mask = pipeline.pass(noise.on(still));
    EXPECT_TRUE(mask) << pipeline.error();
    if (!mask) return 0;
    for (size_t i = 0; frame > 0 && i < mask->pixels.size(); i += 4) {
      sum += std::abs(mask->pixels[i] - before.pixels[i]);
    }
    before = *mask;
  }
  return sum / static_cast<double>(frames - 1) / (static_cast<double>(still.pixels.size()) / 4);
}

TEST(Smoothing, NoiseMovesTheMaskLess) {
  const Rgba still = still_figure();
  constexpr int kFrames = 16;
  const double without = flicker(element(0, "figure"), still, kFrames);
  const double with = flicker(element(0.8, "figure"), still, kFrames);
  const double followed = flicker(element(0.8, "figure", "motion=blocks"), still, kFrames);
  std::printf(
      "mean change from frame to frame, of 255: %.3f without smoothing, %.3f with 0.8, %.3f with motion=blocks\n",
      without, with, followed);
  EXPECT_GT(without, 0.01) << "there must be something to smooth";
  EXPECT_LT(with, 0.5 * without);
  EXPECT_LT(followed, 0.5 * without);
}

int largest_difference(const Rgba& a, const Rgba& b) {
  int largest = 0;
  for (size_t i = 0; i < a.pixels.size(); ++i) largest = std::max(largest, std::abs(a.pixels[i] - b.pixels[i]));
  return largest;
}

// With motion, or after a cut, the result equals that without smoothing; nearly so if motion is followed.
TEST(Smoothing, MotionIsNotSmeared) {
  constexpr int32_t kSize = 64;
  const Rgba left = left_half_red(kSize, kSize);
  const Rgba right = picture(kSize, kSize, [](int32_t x, int32_t) { return x >= kSize / 2; });
  TestPipeline smooth(element(0.9, red_model())), plain(element(0, red_model()));
  TestPipeline followed(element(0.9, red_model(), "motion=blocks"));
  ASSERT_TRUE(smooth.set_state(GST_STATE_PLAYING));
  ASSERT_TRUE(plain.set_state(GST_STATE_PLAYING));
  ASSERT_TRUE(followed.set_state(GST_STATE_PLAYING));
  const auto compare = [&](const Rgba& frame, const char* what) {
    const auto a = smooth.pass(frame), b = plain.pass(frame), c = followed.pass(frame);
    ASSERT_TRUE(a && b && c) << what;
    const int difference = largest_difference(*a, *b), with_motion = largest_difference(*c, *b);
    std::printf("%s: largest difference %d of 255, with motion=blocks %d\n", what, difference, with_motion);
    EXPECT_LE(difference, 2) << what;
    EXPECT_LE(with_motion, 10) << what;
  };
  compare(left, "first frame");
  for (int i = 0; i < 3; ++i) compare(left, "still");
  compare(right, "moved");
  compare(left, "moved back");
  compare(picture(kSize, kSize, [](int32_t x, int32_t y) { return (x / 16 + y / 16) % 2 == 0; }), "cut");
}

// After a flush, there is no mask to average with.
void expect_restart(const std::string& more) {
  const Rgba still = still_figure();
  Noise noise;
  const Rgba first = noise.on(still), second = noise.on(still);
  PlayingPipeline smooth(element(0.9, "figure", more)), plain(element(0, "figure", more));
  ASSERT_TRUE(plain.set_state(GST_STATE_PLAYING));
  ASSERT_TRUE(smooth.pass(first));
  ASSERT_TRUE(plain.pass(first));
  const auto averaged = smooth.pass(second), exact = plain.pass(second);
  ASSERT_TRUE(averaged && exact);
  EXPECT_GT(largest_difference(*averaged, *exact), 0) << "smoothing has an effect";
  ASSERT_TRUE(smooth.flush());
  const Rgba after = smooth.shown(second);
  // Smoothed masks are stored as 16-bit floats, and masks of the model in 8 bits.
  EXPECT_LE(largest_difference(after, *exact), 1);
}

TEST(Smoothing, RestartsAtDiscontinuities) {
  expect_restart("motion=off");
  expect_restart("motion=blocks");
}

// The motion between the frames of two masks counts, however many frames are in between, and whenever masks are late.
TEST(Smoothing, FollowsMotionBetweenInferences) {
  const Rgba still = still_figure();
  for (const std::string more : {"inference-interval=3", "skip-static=true", "mask-sync=latest",
                                 "mask-sync=latest gpu-budget=100000", "islands=remove"}) {
    PlayingPipeline pipeline(element(0.8, "figure", "motion=blocks " + more)), plain(element(0, "figure"));
    ASSERT_TRUE(plain.set_state(GST_STATE_PLAYING));
    Noise noise, same_noise;
    double last = 0;
    for (int frame = 0; frame < 10; ++frame) {
      if (frame == 4) g_object_set(pipeline.element(), "motion", 0, nullptr);
      if (frame == 6) g_object_set(pipeline.element(), "motion", 1, nullptr);
      const auto mask = pipeline.pass(noise.on(still)), expected = plain.pass(same_noise.on(still));
      ASSERT_TRUE(mask && expected) << more << ": " << pipeline.error();
      last = iou(*mask, *expected);
      EXPECT_GT(last, 0.98) << more << ", frame " << frame;
    }
    std::printf("%s: overlap with the mask of the model %.4f\n", more.c_str(), last);
  }
}

// A person with an uncertain hole that is nearly filled in every other frame, a gap of which the model is sure, an open
// notch of which it is not, and an uncertain shred far away.
Rgba person_with_hole(int frame) {
  constexpr int32_t kSide = 256;
  Rgba result(kSide, kSide);
  const auto near = [](int32_t x, int32_t y, double radius) { return std::hypot(x + 0.5, y + 0.5) < radius; };
  for (int32_t y = 0; y < kSide; ++y) {
    for (int32_t x = 0; x < kSide; ++x) {
      uint8_t red = near(x - 128, y - 140, 80) ? 255 : 0;
      if (near(x - 128, y - 140, 8)) red = frame % 2 == 0 ? 115 : 145;  // 0.32 and 0.75
      if (near(x - 90, y - 140, 8)) red = 0;                            // a gap
      if (std::abs(x - 160) < 5 && y > 160) red = 115;                  // a notch
      if (near(x - 20, y - 20, 6)) red = 115;                           // a shred
      const std::array<uint8_t, 4> color{red, 40, 40, 255};
      std::ranges::copy(color, result.at(x, y));
    }
  }
  return result;
}

TEST(Holes, AreFilledAndDoNotBlink) {
  const std::string common = "refine=none islands=remove holes=";
  for (const bool fills : {false, true}) {
    TestPipeline pipeline(element(0, unsure_model(256), common + (fills ? "fill" : "keep")));
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
    int darkest = 255, most_change = 0, before = -1;
    for (int frame = 0; frame < 6; ++frame) {
      const auto mask = pipeline.pass(person_with_hole(frame));
      ASSERT_TRUE(mask) << pipeline.error();
      const int hole = mask->at(128, 140)[0], gap = mask->at(90, 140)[0], notch = mask->at(160, 208)[0],
                shred = mask->at(20, 20)[0];
      EXPECT_LE(gap, 2);
      EXPECT_GT(notch, 20) << "uncertain as it was";
      EXPECT_LT(notch, 120) << "uncertain as it was";
      EXPECT_LE(shred, 2);
      darkest = std::min(darkest, hole);
      if (before >= 0) most_change = std::max(most_change, std::abs(hole - before));
      before = hole;
    }
    std::printf("holes=%s: the hole has at least %d of 255, and changes by up to %d per frame\n",
                fills ? "fill" : "keep", darkest, most_change);
    if (fills) {
      EXPECT_GE(darkest, 250);
      EXPECT_LE(most_change, 2);
    } else {
      EXPECT_LT(darkest, 100);
      EXPECT_GT(most_change, 60);
    }
  }
}

// Live: the next mask has it.
TEST(Holes, CanChangeWhilePlaying) {
  TestPipeline pipeline(element(0, unsure_model(256), "islands=keep holes=keep"));
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  const Rgba frame = person_with_hole(0);
  const auto kept = pipeline.pass(frame);
  gst_util_set_object_arg(G_OBJECT(pipeline.element()), "holes", "fill");
  const auto filled = pipeline.pass(frame);
  ASSERT_TRUE(kept && filled) << pipeline.error();
  EXPECT_LT(kept->at(128, 140)[0], 100);
  EXPECT_GE(filled->at(128, 140)[0], 250);
}

// Areas without motion in a real video: pixels that, with their neighbors, are nearly the same in both frames.
TEST(Smoothing, OnARealVideo) {
  const std::string shared = shared_directory();
  if (shared.empty()) GTEST_SKIP() << "needs the clip and the model of ../shared";
  init_gstreamer();
  constexpr int kWidth = 256, kHeight = 256, kFrames = 40, kReach = 6;
  const std::string model = shared + "/models/segmentation/mediapipe_selfie_segmenter_256.tflite";
  const std::string size = ",width=" + std::to_string(kWidth) + ",height=" + std::to_string(kHeight);
  std::string text = "filesrc location=" + shared +
                     "/media/mp_pose_squats.mp4 ! decodebin ! videoconvert ! videoscale ! " +
                     "video/x-raw,format=RGBA" + size + " ! tee name=tee tee. ! queue ! appsink name=frame sync=false";
  for (const auto& [name, smoothing] :
       {std::pair{"plain", "0"}, {"smooth", "0.8 motion=off"}, {"follow", "0.8 motion=blocks"}}) {
    text += " tee. ! queue ! glupload ! glsegment background=mask softness=1 refine=none islands=keep model=" + model +
            " smoothing=" + smoothing + " ! gldownload ! video/x-raw,format=RGBA ! appsink sync=false name=" + name;
  }
  const Launched pipeline(text);
  pipeline.play();
  const char* const names[] = {"frame", "plain", "smooth", "follow"};
  Mask before[4], earlier[4];
  // Mean changes without motion, and of the changes themselves with motion: edges that move steadily have none.
  double sum[3] = {}, jerks[3] = {};
  size_t still = 0, moving = 0;
  for (int frame = 0; frame < kFrames; ++frame) {
    Mask now[4];
    for (int i = 0; i < 4; ++i) {
      GstSample* sample = pipeline.pull(names[i]);
      ASSERT_NE(sample, nullptr);
      now[i] = take_first_component(sample);
    }
    const auto place = [](int x, int y) { return static_cast<size_t>(y) * kWidth + static_cast<size_t>(x); };
    const auto moved = [&](int x, int y) {
      for (int v = std::max(y - kReach, 0); v <= std::min(y + kReach, kHeight - 1); ++v) {
        for (int u = std::max(x - kReach, 0); u <= std::min(x + kReach, kWidth - 1); ++u) {
          const size_t at = place(u, v);
          if (std::abs(now[0][at] - before[0][at]) > 10) return true;
        }
      }
      return false;
    };
    for (int y = 0; frame > 0 && y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        const size_t at = place(x, y);
        // Most of a frame is certain background, which would only lower the mean.
        if (before[1][at] < 3 && now[1][at] < 3) continue;
        if (!moved(x, y)) {
          ++still;
          for (int i = 0; i < 3; ++i) sum[i] += std::abs(now[i + 1][at] - before[i + 1][at]);
        } else if (frame > 1) {
          ++moving;
          for (int i = 1; i < 4; ++i) jerks[i - 1] += std::abs(now[i][at] - 2 * before[i][at] + earlier[i][at]);
        }
      }
    }
    for (int i = 0; i < 4; ++i) {
      earlier[i] = before[i];
      before[i] = now[i];
    }
  }
  ASSERT_GT(still, 1000U);
  ASSERT_GT(moving, 1000U);
  for (int i = 0; i < 3; ++i) {
    sum[i] /= static_cast<double>(still);
    jerks[i] /= static_cast<double>(moving);
  }
  std::printf(
      "%zu mask values without motion: mean change %.3f of 255 without smoothing, %.3f with 0.8, %.3f with "
      "motion=blocks\n",
      still, sum[0], sum[1], sum[2]);
  std::printf(
      "%zu mask values with motion: mean change of the change %.3f without smoothing, %.3f with 0.8, %.3f with "
      "motion=blocks\n",
      moving, jerks[0], jerks[1], jerks[2]);
  EXPECT_LT(sum[1], 0.6 * sum[0]);
  EXPECT_LT(sum[2], 0.6 * sum[0]);
  EXPECT_LT(jerks[2], jerks[1]);
}

}  // namespace
}  // namespace sightglass::test
