// Runs motion and smoothing on images and masks made by a test.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <random>
#include <vector>

#include "gl/shaders.h"
#include "gl_pictures.h"
#include "harness/gl_test.h"
#include "segment/mask_filters.h"

namespace sightglass::test {

// Values of an image at any position.
using Plane = std::function<double(double, double)>;

// Smooth noise with structure of about `grain` pixels.
class Texture {
 public:
  Texture(unsigned seed, double grain) : grain_(grain) {
    std::minstd_rand random(seed);
    for (double& value : values_) value = static_cast<double>(random() % 1000) / 1000;
  }
  double operator()(double x, double y) const {
    const double u = x / grain_ + 1000, v = y / grain_ + 1000;
    const double fx = smooth(u - std::floor(u)), fy = smooth(v - std::floor(v));
    return std::lerp(std::lerp(at(u, v), at(u + 1, v), fx), std::lerp(at(u, v + 1), at(u + 1, v + 1), fx), fy);
  }

 private:
  static double smooth(double t) { return t * t * (3 - 2 * t); }
  double at(double u, double v) const {
    return values_[static_cast<size_t>(static_cast<int>(u) % 64 + 64 * (static_cast<int>(v) % 64))];
  }
  double grain_;
  std::array<double, 4096> values_{};
};

class MotionTest : public GlTest {
 protected:
  static constexpr int kSide = 128;

  void SetUp() override {
    GlTest::SetUp();
    if (HasFatalFailure()) return;
    const auto group = ShareGroup::create(gl(), nullptr, element_shaders());
    auto frames = FramePair::create(group, FrameKind::kRgba, kSide, kSide);
    ASSERT_TRUE(frames.ok()) << frames.status().message();
    frames_.emplace(std::move(frames).value());
    auto field = MotionField::create(group, kSide, kSide);
    ASSERT_TRUE(field.ok()) << field.status().message();
    field_.emplace(std::move(field).value());
    auto smoother = MaskSmoother::create(group, kSide, kSide);
    ASSERT_TRUE(smoother.ok()) << smoother.status().message();
    smoother_.emplace(std::move(smoother).value());
  }
  void TearDown() override {
    smoother_.reset();
    field_.reset();
    frames_.reset();
    GlTest::TearDown();
  }

  // The frame has twice the size of the mask; `luma` is in pixels of the mask, with noise of that standard deviation.
  std::optional<SeenFrame> see(const Plane& luma, double noise = 0) {
    std::normal_distribution<double> normal(0, 1);
    const Rgba frame = painted(2 * kSide, 2 * kSide, [&](int32_t x, int32_t y) {
      const double value = luma((x + 0.5) / 2 - 0.5, (y + 0.5) / 2 - 0.5) + noise * normal(random_);
      const double gray = std::clamp(255 * value + 0.5, 0.0, 255.0);
      return std::array{gray, gray, gray};
    });
    const GlTexture texture = upload(gl(), frame);
    frames_->see(TextureRef{texture.id(), GL_TEXTURE_2D, frame.width, frame.height}, {});
    return frames_->follow();
  }
  // The motion from the frame before; empty if there is none.
  std::optional<TextureRef> follow(const Plane& luma, double noise = 0) {
    seen_ = see(luma, noise);
    if (!seen_ || !seen_->has_previous) return {};
    return field_->match(*seen_);
  }

  // The new mask after smoothing; the model is wrong by noise of that standard deviation.
  std::vector<float> smooth(const Plane& mask, double noise, float share, const std::optional<TextureRef>& motion) {
    std::normal_distribution<double> normal(0, noise);
    std::vector<float> values;
    for (int y = 0; y < kSide; ++y) {
      for (int x = 0; x < kSide; ++x) {
        values.push_back(static_cast<float>(std::clamp(mask(x, y) + (noise > 0 ? normal(random_) : 0), 0.0, 1.0)));
      }
    }
    last_mask_ = values;
    const GlTexture texture = upload_mask(gl(), kSide, kSide, values);
    const TextureRef result =
        smoother_->run({texture.id(), GL_TEXTURE_2D, kSide, kSide}, share, seen_.value_or(frames_->last()), motion);
    const std::vector<float> rgba = read_texture(result);
    for (size_t i = 0; i < values.size(); ++i) values[i] = rgba[4 * i];
    return values;
  }

  std::mt19937 random_{3};
  std::optional<FramePair> frames_;
  std::optional<SeenFrame> seen_;  // the last one
  std::optional<MotionField> field_;
  std::optional<MaskSmoother> smoother_;
  std::vector<float> last_mask_;  // before it was smoothed
};

}  // namespace sightglass::test
