// Compares overlays with a scalar rasterizer that shares no code with the shaders.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>

#include "draw/overlay_painter.h"
#include "gl/counting_gl.h"
#include "gl/shaders.h"
#include "harness/gl_state.h"
#include "overlay_case.h"

namespace sightglass::test {
namespace {

constexpr std::array<float, 4> kRed{1, 0, 0, 1}, kHalfBlue{0, 0.2F, 1, 0.5F}, kWhite{1, 1, 1, 1};

Rgba backdrop(int32_t width, int32_t height) {
  Rgba picture(width, height);
  for (int32_t y = 0; y < height; ++y) {
    for (int32_t x = 0; x < width; ++x) {
      uint8_t* p = picture.at(x, y);
      p[0] = static_cast<uint8_t>(40 + x % 64);
      p[1] = static_cast<uint8_t>(90 + y % 64);
      p[2] = 60;
      p[3] = 255;
    }
  }
  return picture;
}

// Whether a point, in pixels, is inside the shape.
bool inside(const Primitive& shape, double x, double y) {
  const auto& e = shape.ends;
  const double r = shape.radius;
  const auto near_segment = [&](double ax, double ay, double bx, double by) {
    const double dx = bx - ax, dy = by - ay, squared = dx * dx + dy * dy;
    const double t = squared > 0 ? std::clamp(((x - ax) * dx + (y - ay) * dy) / squared, 0.0, 1.0) : 0.0;
    return std::hypot(x - ax - t * dx, y - ay - t * dy) <= r;
  };
  const double left = std::min(e[0], e[2]), right = std::max(e[0], e[2]);
  const double top = std::min(e[1], e[3]), bottom = std::max(e[1], e[3]);
  switch (shape.kind) {
    case PrimitiveKind::kLine:
      return near_segment(e[0], e[1], e[2], e[3]);
    case PrimitiveKind::kOutline:
      return near_segment(left, top, right, top) || near_segment(left, bottom, right, bottom) ||
             near_segment(left, top, left, bottom) || near_segment(right, top, right, bottom);
    default: {
      // Filled, with rounded corners: all points that a disc inside the box reaches.
      const double c = std::min({r, (right - left) / 2, (bottom - top) / 2});
      if (x < left || x > right || y < top || y > bottom) return false;
      return std::hypot(x - std::clamp(x, left + c, right - c), y - std::clamp(y, top + c, bottom - c)) <= c;
    }
  }
}

// Coverage by many samples in each pixel, then the blend.
Rgba rasterize(Rgba picture, std::span<const Primitive> shapes) {
  constexpr int kSamples = 8;  // along each axis
  for (const Primitive& shape : shapes) {
    if (!(shape.radius > 0)) continue;
    for (int32_t y = 0; y < picture.height; ++y) {
      for (int32_t x = 0; x < picture.width; ++x) {
        int covered = 0;
        for (int i = 0; i < kSamples * kSamples; ++i) {
          covered += inside(shape, x + (i % kSamples + 0.5) / kSamples, y + (i / kSamples + 0.5) / kSamples) ? 1 : 0;
        }
        const double alpha = shape.color[3] * covered / (kSamples * kSamples);
        uint8_t* p = picture.at(x, y);
        for (size_t c = 0; c < 3; ++c) {
          p[c] = static_cast<uint8_t>(std::lround(p[c] + (255 * shape.color[c] - p[c]) * alpha));
        }
      }
    }
  }
  return picture;
}

struct Difference {
  int largest = 0;
  double mean = 0;
};
Difference pixel_difference(const Rgba& a, const Rgba& b) {
  Difference d;
  for (size_t i = 0; i < a.pixels.size(); ++i) {
    const int off = std::abs(static_cast<int>(a.pixels[i]) - static_cast<int>(b.pixels[i]));
    d.largest = std::max(d.largest, off);
    d.mean += static_cast<double>(off) / static_cast<double>(a.pixels.size());
  }
  return d;
}

class OverlayTest : public OverlayCase {
 protected:
  Rgba draw(const Rgba& picture, std::span<const Primitive> shapes) {
    PrimitiveList list(gl());
    list.set(shapes);
    return paint(picture, list.range());
  }
};

struct Case {
  const char* name;
  std::vector<Primitive> shapes;
};
std::ostream& operator<<(std::ostream& out, const Case& shape) { return out << shape.name; }

class OverlayShapeTest : public OverlayTest, public ::testing::WithParamInterface<Case> {};

TEST_P(OverlayShapeTest, MatchesSampling) {
  const Rgba picture = backdrop(97, 61);
  const Rgba expected = rasterize(picture, GetParam().shapes), drawn = draw(picture, GetParam().shapes);
  const Difference d = pixel_difference(expected, drawn);
  std::printf("%s: at most %d of 255 off, %.3f in the mean\n", GetParam().name, d.largest, d.mean);
  // The shaders approximate coverage by distance. At corners and slanted edges, the two differ by up to a tenth of a
  // pixel.
  EXPECT_LE(d.largest, 25);
  EXPECT_LE(d.mean, 0.2);
  EXPECT_GT(pixel_difference(picture, drawn).largest, 50) << "something is visible";
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, OverlayShapeTest,
    ::testing::Values(
        Case{"Line", {{{10.3F, 8.7F, 80.2F, 50.1F}, kRed, 4}}}, Case{"LevelLine", {{{10.5F, 30, 80.5F, 30}, kRed, 3}}},
        Case{"Thin", {{{10, 50, 85, 12}, kWhite, 0.5F}}}, Case{"Disc", {{{48.5F, 30.5F, 48.5F, 30.5F}, kRed, 12.25F}}},
        Case{"SmallDisc", {{{48.2F, 30.9F, 48.2F, 30.9F}, kWhite, 1.5F}}},
        Case{"HalfCovering", {{{10, 10, 80, 50}, kHalfBlue, 8}, {{10, 50, 80, 10}, kHalfBlue, 8}}},
        Case{"Outline", {{{20.5F, 10.5F, 70.5F, 50.5F}, kRed, 1.5F, PrimitiveKind::kOutline}}},
        Case{"BackwardsOutline", {{{70, 50, 20, 10}, kRed, 2, PrimitiveKind::kOutline}}},
        Case{"Rectangle", {{{20, 10, 70, 50}, kHalfBlue, 0.01F, PrimitiveKind::kRectangle}}},
        Case{"RoundedRectangle", {{{20.4F, 10.4F, 70, 50}, kRed, 9, PrimitiveKind::kRectangle}}},
        Case{"BeyondTheBorder",
             {{{-30, -20, 120, 70}, kRed, 5}, {{-5, 5, 200, 40}, kHalfBlue, 3, PrimitiveKind::kOutline}}}),
    [](const auto& shape) { return std::string(shape.param.name); });

// Invisible by radius, and by invalid positions.
TEST_F(OverlayTest, InvisibleShapesDrawNothing) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInfinite = std::numeric_limits<float>::infinity();
  const Rgba picture = backdrop(64, 48);
  std::vector<Primitive> shapes;
  for (const PrimitiveKind kind :
       {PrimitiveKind::kLine, PrimitiveKind::kOutline, PrimitiveKind::kRectangle, PrimitiveKind::kText}) {
    for (const float radius : {0.0F, -3.0F, kNan, kInfinite})
      shapes.push_back({{5, 5, 40, 40}, kRed, radius, kind, 33});
    for (const float place : {kNan, kInfinite, -kInfinite}) shapes.push_back({{5, place, 40, 40}, kRed, 3, kind, 33});
  }
  EXPECT_EQ(draw(picture, shapes).pixels, picture.pixels);
  EXPECT_EQ(draw(picture, {}).pixels, picture.pixels);
}

TEST_F(OverlayTest, LaterShapesAreOnTop) {
  const std::vector<Primitive> shapes{{{5, 5, 40, 40}, kRed, 1, PrimitiveKind::kRectangle},
                                      {{10, 10, 30, 30}, kWhite, 1, PrimitiveKind::kRectangle}};
  const Rgba drawn = draw(backdrop(64, 48), shapes);
  EXPECT_EQ(drawn.at(20, 20)[1], 255);
  EXPECT_EQ(drawn.at(37, 37)[1], 0);
}

// Overlays are opaque where the image is transparent.
TEST_F(OverlayTest, AddsToTheAlphaChannel) {
  const std::vector<Primitive> shapes{{{5, 5, 40, 40}, kWhite, 1, PrimitiveKind::kRectangle},
                                      {{45, 5, 60, 40}, kHalfBlue, 1, PrimitiveKind::kRectangle}};
  const Rgba drawn = draw(Rgba(64, 48), shapes);
  EXPECT_EQ(drawn.at(20, 20)[3], 255);
  EXPECT_NEAR(drawn.at(50, 20)[3], 128, 1);
  EXPECT_EQ(drawn.at(62, 46)[3], 0);
}

TEST_F(OverlayTest, LeavesGlStateAsFound) {
  const GlTexture texture = upload(gl(), backdrop(64, 48));
  PrimitiveList list(gl());
  const std::vector<Primitive> shapes{{{5, 5, 40, 40}, kRed, 3}};
  GlState before = snapshot_gl_state(gl());
  list.set(shapes);
  const PrimitiveRange ranges[] = {list.range()};
  ASSERT_TRUE(painter().draw({texture.id(), GL_TEXTURE_2D, 64, 48}, ranges).ok());
  EXPECT_EQ(difference(before, snapshot_gl_state(gl())), "");
  // Also state that another user of the context has set.
  gl().Enable(GL_SCISSOR_TEST);
  gl().Enable(GL_CULL_FACE);
  gl().ColorMask(GL_TRUE, GL_FALSE, GL_TRUE, GL_FALSE);
  gl().Viewport(3, 4, 5, 6);
  before = snapshot_gl_state(gl());
  ASSERT_TRUE(painter().draw({texture.id(), GL_TEXTURE_2D, 64, 48}, ranges).ok());
  EXPECT_EQ(difference(before, snapshot_gl_state(gl())), "");
  gl().Disable(GL_SCISSOR_TEST);
  gl().Disable(GL_CULL_FACE);
  gl().ColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
  EXPECT_EQ(download(gl(), texture.id(), 64, 48).pixels, draw(draw(backdrop(64, 48), shapes), shapes).pixels);
}

// A frame uploads nothing. A list uploads only new entries.
TEST_F(OverlayTest, FramesUploadNothing) {
  const GlApi counted = counting_gl(gl());
  auto painter = OverlayPainter::create(ShareGroup::create(counted, nullptr, element_shaders()));
  ASSERT_TRUE(painter.ok()) << painter.status().message();
  const GlTexture texture = upload(gl(), backdrop(64, 48));
  PrimitiveList list(counted);
  std::vector<Primitive> shapes{{{5, 5, 40, 40}, kRed, 3}};
  const auto frame = [&] {
    gl_calls().clear();
    list.set(shapes);
    const PrimitiveRange ranges[] = {list.range()};
    EXPECT_TRUE((*painter)->draw({texture.id(), GL_TEXTURE_2D, 64, 48}, ranges).ok());
    int transfers = 0;
    for (const char* name :
         {"BufferData", "BufferSubData", "TexSubImage2D", "MapBufferRange", "ReadPixels", "Finish", "ClientWaitSync"}) {
      transfers += gl_calls()[name];
    }
    return transfers;
  };
  EXPECT_GT(frame(), 0);
  EXPECT_EQ(frame(), 0);
  shapes[0].radius = 4;
  EXPECT_EQ(frame(), 1);
  EXPECT_EQ(frame(), 0);
  EXPECT_EQ(gl_calls()["DrawArraysInstanced"], 1);
}

// Primitives from shaders are drawn from the offset on, as many as requested.
TEST_F(OverlayTest, DrawsARangeOfABuffer) {
  const Rgba picture = backdrop(64, 48);
  const std::vector<Primitive> shapes{{{5, 5, 15, 15}, kRed, 1, PrimitiveKind::kRectangle},
                                      {{25, 5, 35, 15}, kRed, 1, PrimitiveKind::kRectangle},
                                      {{45, 5, 55, 15}, kRed, 1, PrimitiveKind::kRectangle}};
  const GlTexture texture = upload(gl(), picture);
  PrimitiveList list(gl());
  list.set(shapes);
  const PrimitiveRange ranges[] = {{list.range().buffer, sizeof(Primitive), 1}};
  ASSERT_TRUE(painter().draw({texture.id(), GL_TEXTURE_2D, 64, 48}, ranges).ok());
  const Rgba drawn = download(gl(), texture.id(), 64, 48);
  EXPECT_EQ(drawn.at(30, 10)[0], 255);
  EXPECT_EQ(drawn.at(10, 10)[0], picture.at(10, 10)[0]);
  EXPECT_EQ(drawn.at(50, 10)[0], picture.at(50, 10)[0]);
}

TEST_F(OverlayTest, BuffersForShadersStartInvisible) {
  const Rgba picture = backdrop(64, 48);
  const GlTexture texture = upload(gl(), picture);
  const PrimitiveBuffer buffer(gl(), 100);
  const PrimitiveRange ranges[] = {buffer.range()};
  ASSERT_TRUE(painter().draw({texture.id(), GL_TEXTURE_2D, 64, 48}, ranges).ok());
  EXPECT_EQ(download(gl(), texture.id(), 64, 48).pixels, picture.pixels);
}

TEST_F(OverlayTest, InvalidTargetsAreErrors) {
  const GlTexture texture = make_texture(gl(), GL_RGB9_E5, 8, 8);
  const Status status = painter().draw({texture.id(), GL_TEXTURE_2D, 8, 8}, {});
  EXPECT_FALSE(status.ok());
  EXPECT_NE(status.message().find("cannot draw into its format"), std::string::npos) << status.message();
}

}  // namespace
}  // namespace sightglass::test
