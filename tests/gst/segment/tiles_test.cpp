// The tiles of the composite (shaders/segment/sort_tiles.frag): frames with them are those of a program for all pixels,
// and tiles are decided where they can be.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "compositor_case.h"
#include "harness/value_of.h"
#include "segment/shaders.h"

namespace sightglass::test {
namespace {

struct Mask {
  const char* name;
  int32_t width = 0, height = 0;
  std::vector<float> values;
};

std::vector<Mask> masks() {
  std::vector<Mask> result;
  std::mt19937 random(7);
  const auto add = [&](const char* name, int32_t width, int32_t height, const auto& value) {
    Mask mask{name, width, height, {}};
    for (int32_t y = 0; y < height; ++y) {
      for (int32_t x = 0; x < width; ++x) mask.values.push_back(value(x, y));
    }
    result.push_back(std::move(mask));
  };
  add("all background", 16, 16, [](int32_t, int32_t) { return 0.0F; });
  add("all foreground", 16, 16, [](int32_t, int32_t) { return 1.0F; });
  add("dots", 64, 48, [&](int32_t, int32_t) { return random() % 150 == 0 ? 1.0F : 0.0F; });
  add("holes", 48, 64, [&](int32_t, int32_t) { return random() % 150 == 0 ? 0.0F : 1.0F; });
  add("a disc", 64, 64, [](int32_t x, int32_t y) { return std::hypot(x - 30.0F, y - 25.0F) < 17 ? 1.0F : 0.0F; });
  add("a soft disc", 256, 256,
      [](int32_t x, int32_t y) { return std::clamp(1.4F - std::hypot(x - 120.0F, y - 130.0F) / 80, 0.0F, 1.0F); });
  add("noise", 20, 12, [&](int32_t, int32_t) { return static_cast<float>(random() % 256) / 255; });
  add("one value", 1, 1, [](int32_t, int32_t) { return 1.0F; });
  return result;
}

// Upright, turned by 90 degrees, and a mask that shows more and less than the frame.
constexpr std::array kPlaces{InputTransform{}, InputTransform{{0, -1, 1, 1, 0, 0}},
                             InputTransform{{1, 0, 0, 0, 1.5F, -0.25F}},
                             InputTransform{{0.5F, 0, 0.2F, 0, 0.4F, 0.3F}}};

class TilesTest : public CompositorTest {};

// With a white frame over black, the color is the opacity, which kMask shows without tiles.
TEST_F(TilesTest, ShowTheOpacityOfEachPixel) {
  int compared = 0;
  for (const Refine refine : {Refine::kNone, Refine::kBilateral, Refine::kGuided}) {
    compositor_.emplace(
        value_of(Compositor::create(ShareGroup::create(gl(), nullptr, element_shaders()), FrameKind::kRgba, refine)));
    width_ = 0;
    for (const auto& [width, height] :
         {std::array{200, 150}, std::array{64, 32}, std::array{33, 31}, std::array{1, 1}}) {
      const Rgba frame = solid(width, height, {255, 255, 255, 255});
      for (const Mask& mask : masks()) {
        for (const InputTransform& place : kPlaces) {
          SegmentLook black = look_of(Background::kColor), opacity = look_of(Background::kMask);
          black.color = {0, 0, 0, 1};
          black.despill = false;
          const Rgba with = draw(frame, mask.width, mask.height, mask.values, black, place);
          const Rgba without = draw(frame, mask.width, mask.height, mask.values, opacity, place);
          EXPECT_LE(largest_difference(with, without), 1)
              << mask.name << " on " << width << "x" << height << ", refine " << static_cast<int>(refine);
          ++compared;
        }
      }
    }
  }
  std::printf("%d frames compared\n", compared);
}

// The uniform block SegmentLook (shaders/segment/matte.glsl).
struct LookBlock {
  Matte::Block matte;
  std::array<float, 22> others{};
  std::array<float, 2> tile{};
  bool operator==(const LookBlock&) const = default;
};

// The least and the most value that the spline of a pixel reads, or one that reads `more` texels around.
std::array<float, 2> range_of(const Mask& mask, float x, float y, int32_t more) {
  const auto first = [&](float place, int32_t size) {
    return static_cast<int32_t>(std::floor(place * static_cast<float>(size) - 0.5F)) - 1 - more;
  };
  const int32_t left = first(x, mask.width), top = first(y, mask.height);
  std::array<float, 2> range{1, 0};
  for (int32_t v = top; v <= top + 3 + 2 * more; ++v) {
    for (int32_t u = left; u <= left + 3 + 2 * more; ++u) {
      const auto at =
          static_cast<size_t>(std::clamp(v, 0, mask.height - 1) * mask.width + std::clamp(u, 0, mask.width - 1));
      range = {std::min(range[0], mask.values[at]), std::max(range[1], mask.values[at])};
    }
  }
  return range;
}

TEST_F(TilesTest, AreDecidedWhereTheMaskIs) {
  const auto group = ShareGroup::create(gl(), nullptr, element_shaders());
  const std::array keys{ProgramKey{kFullscreenShader, sort_tiles_shader(Refine::kNone)}};
  const std::vector<SharedProgram> programs = value_of(group->programs(keys));
  constexpr int32_t kWidth = 640, kHeight = 350, kAcross = tiles_along(kWidth), kDown = tiles_along(kHeight);
  const GlVertexArray vertex_array = make_vertex_array(gl());
  const GlTexture output = make_texture(gl(), GL_RGBA8, kAcross, kDown);
  std::array<int, kTileKinds> found{};
  for (const Mask& mask : masks()) {
    const GlTexture texture = upload_mask(gl(), mask.width, mask.height, mask.values);
    const TextureRef mask_ref{texture.id(), GL_TEXTURE_2D, mask.width, mask.height};
    const Matte matte = make_matte(mask_ref, {}, look_of(Background::kColor));
    UniformBlock<LookBlock> block(gl());
    DrawTarget target(gl());
    {
      Pass pass(gl());
      pass.uniforms(
          kLookBinding, block,
          {matte.block(), {}, {kTileSide / static_cast<float>(kWidth), kTileSide / static_cast<float>(kHeight)}});
      pass.read(kMaskUnit, texture.id());
      const TextureRef tiles{output.id(), GL_TEXTURE_2D, kAcross, kDown};
      const Status status =
          target.draw(pass, {&tiles, 1}, "tiles", [&] { pass.draw(programs[0]->id(), vertex_array.id()); });
      ASSERT_TRUE(status.ok()) << status.message();
    }
    const Rgba kinds = download(gl(), output.id(), kAcross, kDown);
    int wrong = 0, missed = 0;
    for (int32_t y = 0; y < kHeight; ++y) {
      for (int32_t x = 0; x < kWidth; ++x) {
        const int kind = (kinds.at(x / kTileSide, y / kTileSide)[0] * kFrontTile + 127) / 255;
        const float u = (static_cast<float>(x) + 0.5F) / kWidth, v = (static_cast<float>(y) + 0.5F) / kHeight;
        const auto [least, most] = range_of(mask, u, v, 0);
        if (kind == kFrontTile && least < matte.upper) ++wrong;
        if (kind == kBehindTile && most > matte.lower) ++wrong;
      }
    }
    for (int32_t y = 0; y < kDown; ++y) {
      for (int32_t x = 0; x < kAcross; ++x) {
        const int kind = (kinds.at(x, y)[0] * kFrontTile + 127) / 255;
        ++found.at(static_cast<size_t>(kind));
        std::array<float, 2> range{1, 0};
        for (int32_t i = 0; i <= kTileSide; ++i) {
          for (int32_t j = 0; j <= kTileSide; ++j) {
            const auto [least, most] = range_of(mask, std::min(static_cast<float>(x * kTileSide + j) / kWidth, 1.0F),
                                                std::min(static_cast<float>(y * kTileSide + i) / kHeight, 1.0F), 1);
            range = {std::min(range[0], least), std::max(range[1], most)};
          }
        }
        if (kind == kEdgeTile && (range[0] >= matte.upper || range[1] <= matte.lower)) ++missed;
      }
    }
    EXPECT_EQ(wrong, 0) << mask.name << ": pixels in tiles of another kind";
    EXPECT_EQ(missed, 0) << mask.name << ": tiles that could be decided";
  }
  std::printf("%d tiles of background, %d with edges, %d of foreground\n", found[kBehindTile], found[kEdgeTile],
              found[kFrontTile]);
  for (const int count : found) EXPECT_GT(count, 50);
}

}  // namespace
}  // namespace sightglass::test
