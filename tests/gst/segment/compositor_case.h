// Runs the compositor on images and masks made by a test.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <vector>

#include "gl/shaders.h"
#include "gl_pictures.h"
#include "harness/gl_test.h"
#include "segment/compositor.h"

namespace sightglass::test {

// An opaque image with structure at every scale.
inline Rgba make_frame(int32_t width, int32_t height) {
  return painted(width, height, [=](int32_t x, int32_t y) {
    return std::array{x * 37 + y * 11, 255 * y / std::max(height - 1, 1), (x / 7 + y / 5) % 2 == 0 ? 40 : 200};
  });
}

inline Rgba solid(int32_t width, int32_t height, std::array<uint8_t, 4> color) {
  Rgba picture(width, height);
  for (size_t i = 0; i < picture.pixels.size(); ++i) picture.pixels[i] = color[i % 4];
  return picture;
}

inline int largest_difference(const Rgba& a, const Rgba& b) {
  int largest = 0;
  for (size_t i = 0; i < a.pixels.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<int>(a.pixels[i]) - static_cast<int>(b.pixels[i])));
  }
  return largest;
}

// The peak signal-to-noise ratio of the colors of opaque images, in dB.
inline double psnr(const Rgba& a, const Rgba& b) {
  double sum = 0;
  for (size_t i = 0; i < a.pixels.size(); ++i) sum += std::pow(static_cast<double>(a.pixels[i]) - b.pixels[i], 2);
  return 10 * std::log10(255 * 255 * 0.75 * static_cast<double>(a.pixels.size()) / std::max(sum, 1e-9));
}

class CompositorTest : public GlTest {
 protected:
  void SetUp() override {
    GlTest::SetUp();
    if (HasFatalFailure()) return;
    auto compositor = Compositor::create(ShareGroup::create(gl(), nullptr, element_shaders()), FrameKind::kRgba);
    ASSERT_TRUE(compositor.ok()) << compositor.status().message();
    compositor_.emplace(std::move(compositor).value());
  }
  void TearDown() override {
    compositor_.reset();
    GlTest::TearDown();
  }

  Rgba draw(const Rgba& frame, int32_t mask_width, int32_t mask_height, const std::vector<float>& mask,
            const SegmentLook& look, const InputTransform& transform = {}) {
    const GlTexture in = upload(gl(), frame);
    const GlTexture mask_texture = upload_mask(gl(), mask_width, mask_height, mask);
    const GlTexture out = make_texture(gl(), GL_RGBA8, frame.width, frame.height);
    if (frame.width != width_ || frame.height != height_) {
      width_ = frame.width;
      height_ = frame.height;
      const Status status = compositor_->resize(width_, height_);
      EXPECT_TRUE(status.ok()) << status.message();
    }
    const Status status =
        compositor_->draw(TextureRef{in.id(), GL_TEXTURE_2D, width_, height_}, {},
                          {mask_texture.id(), GL_TEXTURE_2D, mask_width, mask_height}, transform, out.id(), look);
    EXPECT_TRUE(status.ok()) << status.message();
    return download(gl(), out.id(), width_, height_);
  }
  Rgba draw_uniform(const Rgba& frame, float mask, const SegmentLook& look) {
    return draw(frame, 8, 8, std::vector<float>(64, mask), look);
  }

  std::optional<Compositor> compositor_;
  int32_t width_ = 0, height_ = 0;
};

// Without dither, whose noise tests of exact colors would see.
inline SegmentLook look_of(Background background) {
  SegmentLook look;
  look.background = background;
  look.dither = false;
  return look;
}

}  // namespace sightglass::test
