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

// From `first` to `last`, as fractions of the property range, within one second of stream time.
void control(GstElement* element, const char* property, double first, double last) {
  GstControlSource* source = gst_interpolation_control_source_new();
  g_object_set(source, "mode", GST_INTERPOLATION_MODE_LINEAR, nullptr);
  auto* timed = GST_TIMED_VALUE_CONTROL_SOURCE(source);
  ASSERT_TRUE(gst_timed_value_control_source_set(timed, 0, first));
  ASSERT_TRUE(gst_timed_value_control_source_set(timed, GST_SECOND, last));
  ASSERT_TRUE(gst_object_add_control_binding(GST_OBJECT(element),
                                             gst_direct_control_binding_new(GST_OBJECT(element), property, source)));
  gst_object_unref(source);
}

float value_of(GstElement* element, const char* property) {
  gfloat value = 0;
  g_object_get(element, property, &value, nullptr);
  return value;
}

struct Live {
  const char* property;
  const char* others;  // that make the effect visible
};
constexpr Live kLive[] = {{"blur-radius", "background=blur"},
                          {"blur-strength", "background=blur bokeh=disc"},
                          {"threshold", "background=mask softness=0.2"},
                          {"softness", "background=mask"},
                          {"smoothing", "background=mask"},
                          {"feather", "background=mask"},
                          {"edge-offset", "background=mask"},
                          {"overlay-opacity", "background=overlay"},
                          {"static-threshold", "skip-static=true"},
                          {"light-wrap", "background=color background-color=0xffffffff"}};

TEST(LiveProperties, FollowTheController) {
  for (const Live& live : kLive) {
    TestPipeline pipeline(element(live.others));
    const auto* spec = reinterpret_cast<GParamSpecFloat*>(
        g_object_class_find_property(G_OBJECT_GET_CLASS(pipeline.element()), live.property));
    ASSERT_NE(spec, nullptr) << live.property;
    control(pipeline.element(), live.property, 0, 1);
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
    for (int frame = 0; frame <= 15; ++frame) {
      ASSERT_TRUE(pipeline.pass(left_half_red(kSize, kSize))) << pipeline.error();
      EXPECT_NEAR(value_of(pipeline.element(), live.property),
                  spec->minimum + (spec->maximum - spec->minimum) * static_cast<float>(frame) / 30,
                  1e-3F * (spec->maximum - spec->minimum))
          << live.property << ", frame " << frame;
    }
  }
}

// The number of different shades in the middle row: the wider the edge, the more shades.
int shades(const std::optional<Rgba>& picture) {
  std::array<bool, 256> seen{};
  if (!picture) return 0;
  for (int32_t x = 0; x < picture->width; ++x) seen[picture->at(x, picture->height / 2)[0]] = true;
  return static_cast<int>(std::ranges::count(seen, true));
}

TEST(LiveProperties, FeatherTakesEffectAtOnce) {
  TestPipeline pipeline(element("background=mask softness=0"));
  control(pipeline.element(), "feather", 0.5, 1);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  int before = 0, first = 0;
  for (int frame = 0; frame < 10; ++frame) {
    before = shades(pipeline.pass(left_half_red(kSize, kSize)));
    if (frame == 0) first = before;
  }
  std::printf("%d shades without feather, %d with that of the tenth frame\n", first, before);
  EXPECT_LE(first, 4);
  EXPECT_GT(before, 15);
}

TEST(LiveProperties, ImageFollowsItsFit) {
  const std::string path = scratch_folder() / "wide.png";
  Rgba blue(40, 10);
  for (size_t i = 0; i < blue.pixels.size(); ++i) blue.pixels[i] = i % 4 >= 2 ? 255 : 0;
  ASSERT_TRUE(save_png(blue, path));
  TestPipeline pipeline(element("background=image background-color=0xffff0000 background-location=" + path));
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
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
  TestPipeline pipeline(element("background=transparent softness=1 threshold=1"));
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
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
