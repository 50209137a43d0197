// Motion of blocks, compared with a scalar reference, and masks that are smoothed along known motion.
#include <cstdio>
#include <tuple>
#include <utility>

#include "harness/read_buffer.h"
#include "motion_case.h"
#include "segment/shaders.h"

namespace sightglass::test {
namespace {

struct Vector {
  double x = 0, y = 0;
};

// The luma as the GPU has it: R now, G previous.
class Lumas {
 public:
  Lumas(std::vector<float> rgba, const TextureRef& luma) : rgba_(std::move(rgba)), luma_(luma) {}
  double now(int x, int y) const { return at(x, y)[0]; }
  double previous(int x, int y) const { return at(x, y)[1]; }

 private:
  const float* at(int x, int y) const {
    const int column = std::clamp(x, 0, luma_.width - 1), row = std::clamp(y, 0, luma_.height - 1);
    return &rgba_[4 * static_cast<size_t>(row * luma_.width + column)];
  }
  std::vector<float> rgba_;
  TextureRef luma_;
};

double bias(double x, double y) { return kMotionBias * std::hypot(x, y); }

Vector block_motion(const Lumas& lumas, int block_x, int block_y) {
  const int left = kMotionBlock * block_x - kMotionMargin, top = kMotionBlock * block_y - kMotionMargin;
  const auto coarse_cost = [&](int dx, int dy) {
    double sum = 0;
    for (int y = 0; y < kMotionWindow; y += 2) {
      for (int x = 0; x < kMotionWindow; x += 2) {
        double now = 0, previous = 0;
        for (int i = 0; i < 4; ++i) {
          now += lumas.now(left + x + i % 2, top + y + i / 2) / 4;
          previous += lumas.previous(left + x + dx + i % 2, top + y + dy + i / 2) / 4;
        }
        sum += (now - previous) * (now - previous);
      }
    }
    return 4 * sum / (kMotionWindow * kMotionWindow) + bias(dx, dy);
  };
  const auto cost = [&](int dx, int dy) {
    double sum = 0;
    for (int y = 0; y < kMotionWindow; ++y) {
      for (int x = 0; x < kMotionWindow; ++x) {
        sum += std::pow(lumas.now(left + x, top + y) - lumas.previous(left + x + dx, top + y + dy), 2);
      }
    }
    return sum / (kMotionWindow * kMotionWindow) + bias(dx, dy);
  };
  if (cost(0, 0) <= kMotionNoise) return {};
  int best_x = -kCoarseReach, best_y = -kCoarseReach;
  for (int y = -kCoarseReach; y <= kCoarseReach; y += 2) {
    for (int x = -kCoarseReach; x <= kCoarseReach; x += 2) {
      if (coarse_cost(x, y) < coarse_cost(best_x, best_y)) std::tie(best_x, best_y) = std::pair(x, y);
    }
  }
  const int center_x = best_x, center_y = best_y;
  for (int y = center_y - kFineReach; y <= center_y + kFineReach; ++y) {
    for (int x = center_x - kFineReach; x <= center_x + kFineReach; ++x) {
      if (cost(x, y) < cost(best_x, best_y)) std::tie(best_x, best_y) = std::pair(x, y);
    }
  }
  const auto minimum = [](double low, double here, double high) {
    const double bend = low + high - 2 * here;
    return bend > 1e-9 ? std::clamp(0.5 * (low - high) / bend, -0.5, 0.5) : 0;
  };
  const double here = cost(best_x, best_y);
  return {best_x + minimum(cost(best_x - 1, best_y), here, cost(best_x + 1, best_y)),
          best_y + minimum(cost(best_x, best_y - 1), here, cost(best_x, best_y + 1))};
}

class MotionFieldTest : public MotionTest {
 protected:
  // In pixels.
  std::vector<Vector> blocks(const TextureRef& motion) {
    const std::vector<float> rgba = read_texture(motion);
    std::vector<Vector> result;
    for (size_t i = 0; i < rgba.size(); i += 4) result.push_back({rgba[i] * kSide, rgba[i + 1] * kSide});
    return result;
  }
};

TEST_F(MotionFieldTest, MatchesTheReference) {
  const Texture texture(1, 5), other(2, 9);
  const auto scene = [&](double x, double y, double dx, double dy) {
    return x < kSide / 2.0 ? texture(x - dx, y - dy) : other(x + dy, y - dx);
  };
  EXPECT_FALSE(follow([&](double x, double y) { return scene(x, y, 0, 0); }, 0.02)) << "no previous frame";
  const auto motion = follow([&](double x, double y) { return scene(x, y, 3.4, -1.8); }, 0.02);
  ASSERT_TRUE(motion);
  const Lumas lumas(read_texture(seen_->luma), seen_->luma);
  const std::vector<Vector> found = blocks(*motion);
  const int across = motion->width;
  double most = 0;
  int different = 0;
  for (int i = 0; i < static_cast<int>(found.size()); ++i) {
    const Vector expected = block_motion(lumas, i % across, i / across);
    const Vector& f = found[static_cast<size_t>(i)];
    const double off = std::hypot(f.x - expected.x, f.y - expected.y);
    if (off > 0.3) ++different;  // two displacements that are equally good
    if (off <= 0.3) most = std::max(most, off);
  }
  std::printf("%zu blocks: %d choose another minimum than the reference, the others differ by at most %.4f px\n",
              found.size(), different, most);
  EXPECT_LE(different, 2);
  EXPECT_LE(most, 0.02);
}

// The left half moves less than can be told from noise, the right half more.
TEST_F(MotionFieldTest, NoiseIsNoMotion) {
  const Texture texture(1, 5);
  const auto scene = [&](double x, double y, double shift) { return texture(x < kSide / 2.0 ? x : x - shift, y); };
  follow([&](double x, double y) { return scene(x, y, 0); }, 0.01);
  const auto motion = follow([&](double x, double y) { return scene(x, y, 2); }, 0.01);
  ASSERT_TRUE(motion);
  const std::vector<Vector> found = blocks(*motion);
  const int across = motion->width;
  int still = 0, moved = 0;
  for (int i = 0; i < static_cast<int>(found.size()); ++i) {
    const Vector& block = found[static_cast<size_t>(i)];
    // Not of blocks whose window has a part of the other half, or of the border.
    if (i % across < across / 2 - 1) still += block.x == 0 && block.y == 0 ? 1 : 0;
    if (i % across > across / 2 && i % across < across - 1) moved += std::abs(block.x + 2) < 0.3 ? 1 : 0;
  }
  const int down = motion->height;
  std::printf("%d blocks stand still, %d move\n", still, moved);
  EXPECT_EQ(still, (across / 2 - 1) * down);
  EXPECT_GE(moved, (across / 2 - 2) * down * 9 / 10);
}

TEST_F(MotionFieldTest, FindsKnownMotion) {
  const Texture texture(3, 6);
  const auto check = [&](Vector shift, double noise, double light) {
    frames_->reset();
    follow([&](double x, double y) { return texture(x, y); }, noise);
    const auto motion = follow([&](double x, double y) { return light * texture(x - shift.x, y - shift.y); }, noise);
    ASSERT_TRUE(motion);
    // Not of blocks at the border, whose content may come from outside.
    std::vector<double> errors;
    const std::vector<Vector> found = blocks(*motion);
    const int across = motion->width, down = motion->height;
    for (int y = 1; y < down - 1; ++y) {
      for (int x = 1; x < across - 1; ++x) {
        const Vector& block = found[static_cast<size_t>(y * across + x)];
        errors.push_back(std::hypot(block.x + shift.x, block.y + shift.y));
      }
    }
    std::ranges::sort(errors);
    const double median = errors[errors.size() / 2], most = errors[errors.size() * 9 / 10];
    std::printf("motion %.2f, %.2f, noise %.2f, light times %.2f: error %.3f px (median), %.3f px (90%% of blocks)\n",
                shift.x, shift.y, noise, light, median, most);
    EXPECT_LT(median, 0.2);
    EXPECT_LT(most, 0.4);
  };
  for (const Vector shift : {Vector{0, 0}, {1, 0}, {0.5, 0.25}, {-3.3, 2.6}, {5.5, -5.5}, {-6.4, 6.4}}) {
    for (const double noise : {0.0, 0.04}) check(shift, noise, 1);
    if (std::hypot(shift.x, shift.y) < 2) check(shift, 0.01, 0.8);
  }
}

TEST_F(MotionFieldTest, ForgetsFrames) {
  const Texture texture(3, 6);
  follow(texture);
  EXPECT_TRUE(follow(texture));
  frames_->reset();
  EXPECT_FALSE(follow(texture));
  EXPECT_TRUE(follow(texture));
  EXPECT_FALSE(frames_->follow()) << "a mask whose frame was not seen";
  EXPECT_FALSE(follow(texture)) << "the previous mask is not that of the stored frame";
}

class FramePairTest : public MotionTest {
 protected:
  struct Noise {
    float sigma = 0, change = 0, same = 0, light = 0;
  };
  Noise measured() {
    const std::vector<float> floats = read_buffer<float>(gl(), frames_->last().noise);
    return {floats.at(0), floats.at(1), floats.at(2), floats.at(3)};
  }
  // The mean absolute change of the mean of four pixels with that deviation.
  static double change_of(double sigma) { return std::sqrt(2.0) * std::sqrt(2 / 3.14159) * sigma / 2; }
};

TEST_F(FramePairTest, MeasuresNoise) {
  const Texture room(3, 30);
  for (const double sigma : {0.01, 0.03, 0.06}) {
    frames_->reset();
    for (int i = 0; i < 40; ++i) see([&](double x, double y) { return 0.3 + 0.4 * room(x, y); }, sigma);
    const Noise noise = measured();
    std::printf("noise %.3f: measured %.4f; change %.4f, measured %.4f\n", sigma, noise.sigma, change_of(sigma),
                noise.change);
    EXPECT_NEAR(noise.sigma, sigma, 0.15 * sigma);
    EXPECT_NEAR(noise.change, change_of(sigma), 0.15 * change_of(sigma));
  }
}

// A camera that pans changes every pixel, by far more than the noise.
TEST_F(FramePairTest, MotionOfTheFrameIsNoNoise) {
  const Texture room(3, 6);
  for (int i = 0; i < 40; ++i) see([&](double x, double y) { return 0.3 + 0.4 * room(x - 3 * i, y); }, 0.01);
  const Noise noise = measured();
  std::printf("a pan with noise %.3f: measured %.4f; change %.4f, measured %.4f\n", 0.01, noise.sigma, change_of(0.01),
              noise.change);
  EXPECT_LT(noise.change, 4 * change_of(0.01));
}

// A third of the frame moves, and has noise, while the light changes.
TEST_F(FramePairTest, MeasuresTheLight) {
  const Texture room(3, 6), person(4, 6);
  for (const double light : {0.95, 0.7, 0.35, 1.05, 1.6}) {
    frames_->reset();
    const auto scene = [&](double shift, double by) {
      return [&, shift, by](double x, double y) {
        return by * (0.1 + 0.4 * (x < kSide / 3.0 ? person(x - shift, y) : room(x, y)));
      };
    };
    for (int i = 0; i < 5; ++i) see(scene(3 * i, 1), 0.005);
    EXPECT_EQ(measured().light, 1) << "exactly, as long as only a part moves";
    see(scene(15, light), 0.005);
    const Noise noise = measured();
    std::printf("light times %.2f: measured %.4f; change %.4f, measured %.4f\n", light, noise.light, change_of(0.005),
                noise.change);
    EXPECT_NEAR(noise.light, light, 0.01 * light);
    EXPECT_LT(noise.change, 2 * change_of(0.005)) << "that of noise";
  }
}

TEST_F(FramePairTest, MotionIsNoChangeOfTheLight) {
  const Texture room(3, 6), other(4, 6);
  for (int i = 0; i < 10; ++i) {
    see([&](double x, double y) { return 0.3 + 0.4 * room(x - 3 * i, y); }, 0.01);
    EXPECT_EQ(measured().light, 1) << "a pan";
  }
  see([&](double x, double y) { return 0.1 + 0.4 * other(x, y); }, 0.01);
  EXPECT_EQ(measured().light, 1) << "a cut";
}

class MotionSmoothingTest : public MotionTest {
 protected:
  static constexpr float kShare = 0.8F;
  // Foreground: a disc with its own texture in front of another.
  struct Scene {
    double x, y;
    double mask(double px, double py) const {
      return std::clamp(0.5 - (std::hypot(px - x, py - y) - 25) / 4, 0.0, 1.0);
    }
    double luma(double px, double py) const {
      static const Texture front(4, 5), behind(5, 7);
      return std::lerp(0.6 * behind(px, py), 0.4 + 0.6 * front(px - x, py - y), mask(px, py));
    }
  };
  struct Errors {
    double raw = 0, smoothed = 0, flicker_raw = 0, flicker = 0;
  };
  // Root of the mean squared error along the edge over the last frames of a move, and of the changes of that error.
  Errors measure(double dx, double dy, double mask_noise, bool follows) {
    constexpr int kFrames = 12, kFirst = 6;
    smoother_->reset();
    frames_->reset();
    random_.seed(5);
    Errors errors;
    std::vector<double> before, before_raw;
    size_t count = 0;
    for (int i = 0; i < kFrames; ++i) {
      const Scene scene{64 + dx * (i - kFrames / 2), 64 + dy * (i - kFrames / 2)};
      auto motion = follow([&](double x, double y) { return scene.luma(x, y); }, 0.01);
      if (!follows) motion.reset();
      const auto result = smooth([&](double x, double y) { return scene.mask(x, y); }, mask_noise, kShare, motion);
      std::vector<double> now(result.size()), now_raw(result.size());
      for (int p = 0; p < kSide * kSide; ++p) {
        const auto at = static_cast<size_t>(p);
        const double px = p % kSide, py = p / kSide;
        const double truth = scene.mask(px, py);
        now[at] = result[at] - truth;
        now_raw[at] = last_mask_[at] - truth;
        if (i < kFirst || std::abs(std::hypot(px - scene.x, py - scene.y) - 25) > 8) continue;
        ++count;
        errors.smoothed += now[at] * now[at];
        errors.raw += now_raw[at] * now_raw[at];
        errors.flicker += std::pow(now[at] - before[at], 2);
        errors.flicker_raw += std::pow(now_raw[at] - before_raw[at], 2);
      }
      before = now;
      before_raw = now_raw;
    }
    for (double* sum : {&errors.raw, &errors.smoothed, &errors.flicker_raw, &errors.flicker}) {
      *sum = std::sqrt(*sum / static_cast<double>(count));
    }
    std::printf("motion %.1f, %.1f, noise %.2f, %s: error %.3f (model %.3f), change of the error %.3f (model %.3f)\n",
                dx, dy, mask_noise, follows ? "followed" : "not followed", errors.smoothed, errors.raw, errors.flicker,
                errors.flicker_raw);
    return errors;
  }
};

TEST_F(MotionSmoothingTest, LeavesNoTrail) {
  for (const auto& [dx, dy] : {std::pair{0.4, 0.2}, {1.5, 0.0}, {3.3, -1.7}, {5.0, 4.0}}) {
    const Errors followed = measure(dx, dy, 0, true), plain = measure(dx, dy, 0, false);
    EXPECT_LT(followed.smoothed, 0.03);
    EXPECT_LT(followed.smoothed, 0.7 * plain.smoothed);
  }
}

TEST_F(MotionSmoothingTest, ReducesFlickerOfMovingEdges) {
  for (const auto& [dx, dy] : {std::pair{1.5, 0.0}, {3.3, -1.7}}) {
    const Errors followed = measure(dx, dy, 0.05, true), plain = measure(dx, dy, 0.05, false);
    EXPECT_LT(followed.smoothed, 0.95 * followed.raw) << "nearer to the truth than the model";
    EXPECT_LT(followed.flicker, 0.8 * followed.flicker_raw);
    EXPECT_LT(followed.flicker, 0.8 * plain.flicker);
    EXPECT_LT(followed.smoothed, plain.smoothed);
  }
}

TEST_F(MotionSmoothingTest, ReducesNoiseWithoutMotion) {
  const Errors followed = measure(0, 0, 0.05, true), plain = measure(0, 0, 0.05, false);
  EXPECT_LT(followed.flicker, 0.5 * followed.flicker_raw);
  EXPECT_LT(followed.flicker, 1.5 * plain.flicker) << "the motion that noise pretends";
}

TEST_F(MotionSmoothingTest, StartsAnewAtACut) {
  const Texture first(6, 6), second(7, 6), first_mask(8, 12), second_mask(9, 12);
  smooth(first_mask, 0, kShare, follow(first));
  smooth(first_mask, 0, kShare, follow(first));
  const auto result = smooth(second_mask, 0, kShare, follow(second));
  double most = 0, mean = 0;
  for (size_t i = 0; i < result.size(); ++i) {
    const double off = std::abs(result[i] - last_mask_[i]);
    most = std::max(most, off);
    mean += off / static_cast<double>(result.size());
  }
  std::printf("after a cut: the mask differs from that of the model by %.4f on average, at most %.3f\n", mean, most);
  EXPECT_LT(mean, 0.002) << "also where both masks nearly agree";
}

// Lights change most of the frame as a cut does, but not where the people are: at once, and little by little.
TEST_F(MotionSmoothingTest, KeepsTheMaskWhenLightsChange) {
  const Texture room(6, 6), people(8, 12);
  const auto check = [&](double before, double after, bool follows) {
    smoother_->reset();
    frames_->reset();
    double raw = 0, smoothed = 0;
    for (int i = 0; i < 6; ++i) {
      const double light = i < 5 ? before : after;
      auto motion = follow([&](double x, double y) { return light * room(x, y); }, 0.005);
      if (!follows) motion.reset();
      const auto result = smooth(people, 0.15, kShare, motion);
      raw = smoothed = 0;
      for (int p = 0; p < kSide * kSide; ++p) {
        const auto at = static_cast<size_t>(p);
        const double truth = people(p % kSide, p / kSide);
        raw += std::abs(last_mask_[at] - truth);
        smoothed += std::abs(result[at] - truth);
      }
    }
    std::printf("light %.2f, then %.2f, %s: the smoothed mask is wrong by %.2f of the error of the model\n", before,
                after, follows ? "followed" : "not followed", smoothed / raw);
    EXPECT_LT(smoothed, 0.6 * raw);
  };
  for (const auto& [before, after] : {std::pair{0.4, 0.9}, {0.9, 0.6}, {0.9, 0.88}, {0.9, 0.9}}) {
    for (const bool follows : {false, true}) check(before, after, follows);
  }
}

}  // namespace
}  // namespace sightglass::test
