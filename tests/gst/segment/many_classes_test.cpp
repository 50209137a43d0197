// Models with several classes: their colors over the frame, the legend, and the selection of the foreground.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "class_color.h"
#include "red_picture.h"
#include "test_pipeline.h"
#include "tiny_model.h"

namespace sightglass::test {
namespace {

constexpr int32_t kSize = 256;
using Color = std::array<int, 3>;

// Red, green, and blue quarters; the last one is nearly black.
Rgba quarters() {
  return painted(kSize, kSize, [](int32_t x, int32_t y) {
    Color color{30, 30, 30};
    const size_t quarter = (x >= kSize / 2 ? 1 : 0) + (y >= kSize / 2 ? 2 : 0);
    if (quarter < 3) color[quarter] = 230;
    return color;
  });
}
constexpr Color kNearlyBlack{30, 30, 30};

std::string element(const std::string& properties, Head head = Head::kFourClasses) {
  return "glsegment name=segment background=overlay model=" + red_model(head) + " " + properties;
}

Color color_at(const Rgba& picture, int32_t x, int32_t y) {
  const uint8_t* p = picture.at(x, y);
  return {p[0], p[1], p[2]};
}
Color of_class(int number) {
  const auto color = class_color(number);
  const auto byte = [&](size_t i) { return static_cast<int>(std::lround(color[i] * 255)); };
  return {byte(0), byte(1), byte(2)};
}
void expect_near(const Color& seen, const Color& wanted, const char* what) {
  for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(seen[i], wanted[i], 1) << what << ", component " << i;
}

constexpr int32_t kLow = kSize / 4, kHigh = kSize * 3 / 4;

TEST(ManyClasses, EachHasItsColor) {
  for (const Head head : {Head::kFourClasses, Head::kClassNumbers}) {
    PlayingPipeline pipeline(element("overlay-opacity=1 legend=false", head));
    auto out = pipeline.pass(quarters());
    ASSERT_TRUE(out) << pipeline.error();
    expect_near(color_at(*out, kLow, kLow), of_class(1), "red");
    expect_near(color_at(*out, kHigh, kLow), of_class(2), "green");
    expect_near(color_at(*out, kLow, kHigh), of_class(3), "blue");
    expect_near(color_at(*out, kHigh, kHigh), kNearlyBlack, "none");
    g_object_set(pipeline.element(), "overlay-opacity", 0.25, nullptr);
    out = pipeline.pass(quarters());
    ASSERT_TRUE(out);
    const Color red = of_class(1);
    expect_near(color_at(*out, kLow, kLow), {(230 * 3 + red[0]) / 4, (30 * 3 + red[1]) / 4, (30 * 3 + red[2]) / 4},
                "a quarter of it");
  }
}

TEST(ManyClasses, OnlySelectedClassesAreColored) {
  PlayingPipeline pipeline(element("overlay-opacity=1 legend=false classes=2"));
  const Rgba out = pipeline.shown(quarters());
  expect_near(color_at(out, kLow, kLow), {230, 30, 30}, "red");
  expect_near(color_at(out, kHigh, kLow), of_class(2), "green");
}

// A texel of this model covers sixteen pixels. Borders are nevertheless straight and thin.
TEST(ManyClasses, BordersAreSmoothAndThin) {
  const Rgba slope = painted(kSize, kSize, [](int32_t x, int32_t y) {
    return 2 * x > y + kSize / 2 ? Color{0, 255, 0} : Color{255, 0, 0};
  });
  PlayingPipeline pipeline(element("overlay-opacity=1 legend=false"));
  const Rgba out = pipeline.shown(slope);
  const Color left = of_class(1), right = of_class(2);
  const size_t component = std::abs(left[0] - right[0]) > std::abs(left[2] - right[2]) ? 0 : 2;
  double largest_step = 0, before = 0;
  int mixed = 0, rows = 0;
  for (int32_t y = 40; y < kSize - 40; ++y, ++rows) {
    double border = 0;  // number of pixels that belong to the left
    for (int32_t x = 0; x < kSize; ++x) {
      const double share = static_cast<double>(out.at(x, y)[component] - right[component]) /
                           static_cast<double>(left[component] - right[component]);
      border += share;
      mixed += share > 0.02 && share < 0.98 ? 1 : 0;
    }
    if (rows > 0) largest_step = std::max(largest_step, std::abs(border - before));
    before = border;
  }
  std::printf("%.2f mixed pixels in a row; from row to row the border moves by at most %.2f pixels\n",
              static_cast<double>(mixed) / rows, largest_step);
  EXPECT_GT(mixed, rows / 2) << "smoothed";
  EXPECT_LT(mixed, 3 * rows) << "but thin";
  EXPECT_LT(largest_step, 3) << "no stairs";
}

// The background of the names is dark: brighter pixels that are not from the frame are color patches or letters.
int pixels_of(const Rgba& picture, const Color& color) {
  int count = 0;
  for (int32_t y = 0; y < picture.height; ++y) {
    for (int32_t x = 0; x < picture.width; ++x) {
      const Color seen = color_at(picture, x, y);
      bool same = true;
      for (size_t i = 0; i < 3; ++i) same = same && std::abs(seen[i] - color[i]) <= 1;
      count += same ? 1 : 0;
    }
  }
  return count;
}

// Nothing else in these images is nearly white.
int bright_pixels_of(const Rgba& picture) {
  int count = 0;
  for (size_t i = 0; i < picture.pixels.size(); i += 4) {
    count += std::all_of(&picture.pixels[i], &picture.pixels[i] + 3, [](uint8_t v) { return v > 170; }) ? 1 : 0;
  }
  return count;
}

TEST(ManyClasses, TheLegendNamesVisibleClasses) {
  TestPipeline pipeline(element("overlay-opacity=0"));  // except for the legend, the frame is unchanged
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  auto out = pipeline.pass(left_half_red(kSize, kSize));
  ASSERT_TRUE(out) << pipeline.error();
  const int red = pixels_of(*out, of_class(1)), letters = bright_pixels_of(*out);
  std::printf("one class: %d pixels of its color, %d of letters\n", red, letters);
  EXPECT_GT(red, 20);
  EXPECT_GT(letters, 20);
  EXPECT_EQ(pixels_of(*out, of_class(2)), 0);
  out = pipeline.pass(quarters());
  ASSERT_TRUE(out);
  for (int number = 1; number <= 3; ++number) EXPECT_NEAR(pixels_of(*out, of_class(number)), red, red / 3) << number;
  EXPECT_GT(bright_pixels_of(*out), letters * 4 / 3);
  g_object_set(pipeline.element(), "legend", FALSE, nullptr);
  const Rgba frame = quarters();
  out = pipeline.pass(frame);
  ASSERT_TRUE(out);
  EXPECT_EQ(out->pixels, frame.pixels);
}

// Red is class 1, green 2, blue 3, and everything else 0. Three logits have background, foreground (red), and a class
// that never wins.
TEST(ManyClasses, ClassesSelectTheForeground) {
  for (const Head head : {Head::kFourClasses, Head::kClassNumbers, Head::kThreeLogits}) {
    SCOPED_TRACE(static_cast<int>(head));
    for (const std::string classes : {head == Head::kThreeLogits ? "1" : "1,3", "0,2"}) {
      PlayingPipeline pipeline("glsegment name=segment background=mask classes=" + classes +
                               " model=" + red_model(head));
      const Rgba out = pipeline.shown(quarters());
      const auto selected = [&](char number) {
        const char winner = head == Head::kThreeLogits && number != '1' ? '0' : number;
        return classes.find(winner) != std::string::npos ? 255 : 0;
      };
      EXPECT_EQ(out.at(kLow, kLow)[0], selected('1')) << classes;
      EXPECT_EQ(out.at(kHigh, kLow)[0], selected('2')) << classes;
      EXPECT_EQ(out.at(kLow, kHigh)[0], selected('3')) << classes;
      EXPECT_EQ(out.at(kHigh, kHigh)[0], selected('0')) << classes;
    }
  }
}

// With one class the foreground itself is colored, and background can change while playing.
TEST(ManyClasses, OneClassIsColoredByTheMask) {
  PlayingPipeline pipeline(element("overlay-opacity=1", Head::kSigmoid));
  auto out = pipeline.pass(left_half_red(kSize, kSize));
  ASSERT_TRUE(out) << pipeline.error();
  expect_near(color_at(*out, kLow, kLow), of_class(1), "foreground");
  expect_near(color_at(*out, kHigh, kLow), {kGray[0], kGray[1], kGray[2]}, "background");
}

TEST(ManyClasses, BackgroundCanBecomeOverlay) {
  PlayingPipeline pipeline(element("background=mask overlay-opacity=1 legend=false"));
  ASSERT_TRUE(pipeline.pass(quarters())) << pipeline.error();
  gst_util_set_object_arg(G_OBJECT(pipeline.element()), "background", "overlay");
  const Rgba out = pipeline.shown(quarters());
  expect_near(color_at(out, kHigh, kLow), of_class(2), "green");
}

// The fourth channel is the previous mask: for this model, earlier foreground stays foreground.
TEST(PreviousMask, IsAnInputOfTheModel) {
  for (const std::string sync : {"exact", "latest gpu-budget=0"}) {
    PlayingPipeline pipeline("glsegment name=segment background=mask mask-sync=" + sync +
                             " model=" + red_model(Head::kRemembers));
    const Rgba red = left_half_red(kSize, kSize), gray = picture(kSize, kSize, [](int32_t, int32_t) { return false; });
    const auto left = [&](const std::optional<Rgba>& out) {
      return out ? static_cast<int>(out->at(kLow, kLow)[0]) : -1;
    };
    EXPECT_EQ(left(pipeline.pass(gray)), 0) << sync << ": there is no previous mask; " << pipeline.error();
    EXPECT_EQ(left(pipeline.pass(gray)), 0);
    pipeline.pass(red);
    pipeline.pass(gray);
    const auto out = pipeline.pass(gray);
    EXPECT_EQ(left(out), 255) << sync << ": the previous mask is used";
    EXPECT_EQ(out->at(kHigh, kLow)[0], 0);
    ASSERT_TRUE(pipeline.flush());
    EXPECT_EQ(left(pipeline.pass(gray)), 0) << sync << ": but not after a flush";
  }
}

}  // namespace
}  // namespace sightglass::test
