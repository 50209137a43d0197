// Properties that change while frames flow, set by hand and by GstController.
#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gstinterpolationcontrolsource.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "harness/scratch_folder.h"
#include "red_picture.h"
#include "test_pipeline.h"
#include "tiny_model.h"

namespace sightglass::test {
namespace {

constexpr int32_t kSize = 96;

std::string element(const std::string& properties) {
  return "glsegment name=segment model=" + red_model() + " " + properties;
}

// The number of different shades in the middle row: the wider the edge, the more shades.
int shades(const std::optional<Rgba>& picture) {
  std::array<bool, 256> seen{};
  if (!picture) return 0;
  for (int32_t x = 0; x < picture->width; ++x) seen[picture->at(x, picture->height / 2)[0]] = true;
  return static_cast<int>(std::ranges::count(seen, true));
}

TEST(LiveProperties, FeatherTakesEffectAtOnce) {
  PlayingPipeline pipeline(element("background=mask softness=0"));
  const int without = shades(pipeline.pass(left_half_red(kSize, kSize)));
  g_object_set(pipeline.element(), "feather", 15.0F, nullptr);
  const int with = shades(pipeline.pass(left_half_red(kSize, kSize)));
  std::printf("%d shades without feather, %d with it\n", without, with);
  EXPECT_LE(without, 4);
  EXPECT_GT(with, 15);
}

TEST(LiveProperties, ImageFollowsItsFit) {
  const std::string path = scratch_folder() / "wide.png";
  Rgba blue(40, 10);
  for (size_t i = 0; i < blue.pixels.size(); ++i) blue.pixels[i] = i % 4 >= 2 ? 255 : 0;
  ASSERT_TRUE(save_png(blue, path));
  PlayingPipeline pipeline(element("background=image background-color=0xffff0000 background-location=" + path));
  const Rgba gray = picture(kSize, kSize, [](int32_t, int32_t) { return false; });
  const auto top = [&] {
    const auto out = pipeline.pass(gray);
    return out ? *reinterpret_cast<const std::array<uint8_t, 4>*>(out->at(kSize / 2, 2)) : std::array<uint8_t, 4>{};
  };
  const std::array<uint8_t, 4> kBlue{0, 0, 255, 255}, kBar{255, 0, 0, 255}, kGreen{0, 255, 0, 255};
  EXPECT_EQ(top(), kBlue);
  gst_util_set_object_arg(G_OBJECT(pipeline.element()), "background-fit", "contain");
  EXPECT_EQ(top(), kBar);
  g_object_set(pipeline.element(), "background-color", 0xff00ff00U, nullptr);
  EXPECT_EQ(top(), kGreen);
  gst_util_set_object_arg(G_OBJECT(pipeline.element()), "background-fit", "cover");
  EXPECT_EQ(top(), kBlue);
}

TEST(LiveProperties, AlphaCanBePremultiplied) {
  PlayingPipeline pipeline(element("background=transparent softness=1 threshold=1"));
  const auto pixel = [&] {
    const auto out = pipeline.pass(left_half_red(kSize, kSize));
    return out ? *reinterpret_cast<const std::array<uint8_t, 4>*>(out->at(8, 8)) : std::array<uint8_t, 4>{};
  };
  const auto straight = pixel();
  gst_util_set_object_arg(G_OBJECT(pipeline.element()), "alpha", "premultiplied");
  const auto premultiplied = pixel();
  EXPECT_EQ(straight[3], premultiplied[3]);
  EXPECT_EQ(straight[0], kRed[0]);
  EXPECT_NEAR(premultiplied[0], kRed[0] * premultiplied[3] / 255.0, 1);
}

}  // namespace
}  // namespace sightglass::test
