// How strong the blur is: the same at every frame size, and enough to hide text.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "compositor_case.h"

namespace sightglass::test {
namespace {

using BlurTest = CompositorTest;

constexpr Bokeh kBokehs[] = {Bokeh::kGaussian, Bokeh::kDisc};
const char* name_of(Bokeh bokeh) { return bokeh == Bokeh::kDisc ? "disc" : "gaussian"; }

// Calls `color` with positions in frame heights, for each pixel.
template <typename ColorAt>
Rgba render(int32_t width, int32_t height, ColorAt color_at) {
  Rgba picture(width, height);
  for (int32_t y = 0; y < height; ++y) {
    for (int32_t x = 0; x < width; ++x) {
      const std::array<double, 3> color = color_at((x + 0.5) / height, (y + 0.5) / height);
      for (size_t c = 0; c < 3; ++c) picture.at(x, y)[c] = static_cast<uint8_t>(std::lround(255 * color[c]));
      picture.at(x, y)[3] = 255;
    }
  }
  return picture;
}

// A wall with a shelf of books and four lamps.
std::array<double, 3> room(double x, double y) {
  for (int lamp = 0; lamp < 4; ++lamp) {
    if (std::hypot(x - 0.25 - 0.4 * lamp, y - 0.2) < 0.006 * (lamp + 1)) return {1, 0.97, 0.9};
  }
  if (y > 0.35 && y < 0.65) {
    const int book = static_cast<int>(x / 0.04);
    const double shade = 0.2 + 0.6 * std::fmod(book * 0.618, 1.0);
    return {shade, 0.7 * shade + 0.1, 0.5 * std::fmod(book * 0.382, 1.0)};
  }
  return {0.5 + 0.15 * x, 0.45, 0.6 - 0.3 * y};
}

// An image of a third of the size. Each pixel is the mean of nine.
Rgba third(const Rgba& picture) {
  Rgba result(picture.width / 3, picture.height / 3);
  for (int32_t y = 0; y < result.height; ++y) {
    for (int32_t x = 0; x < result.width; ++x) {
      for (int c = 0; c < 4; ++c) {
        int sum = 0;
        for (int32_t i = 0; i < 9; ++i) sum += picture.at(3 * x + i % 3, 3 * y + i / 3)[c];
        result.at(x, y)[c] = static_cast<uint8_t>((sum + 4) / 9);
      }
    }
  }
  return result;
}

TEST_F(BlurTest, A4KFrameLooksLikeASmallOne) {
  constexpr int32_t kWidth = 1280, kHeight = 720, kMask = 64;
  const Rgba large = render(3 * kWidth, 3 * kHeight, room), small = third(large);
  std::vector<float> person;
  for (int i = 0; i < kMask * kMask; ++i) {
    person.push_back(std::clamp(0.5F + 12 - std::hypot(i % kMask - 31.5F, i / kMask - 40.0F), 0.0F, 1.0F));
  }
  for (const Bokeh bokeh : kBokehs) {
    for (const float strength : {2.0F, 8.0F, 20.0F}) {
      SegmentLook look = look_of(Background::kBlur);
      look.bokeh = bokeh;
      look.blur_strength = strength;
      const Rgba blurred = draw(small, kMask, kMask, person, look);
      const double same = psnr(third(draw(large, kMask, kMask, person, look)), blurred);
      SegmentLook pixels = look;
      pixels.blur_radius = 0.01F * strength * kHeight;
      const double radius = psnr(third(draw(large, kMask, kMask, person, pixels)), blurred);
      std::printf("%-8s blur-strength %4.1f: PSNR of 2160p and 720p %.1f dB; with %.0f pixels for both %.1f dB\n",
                  name_of(bokeh), static_cast<double>(strength), same, static_cast<double>(pixels.blur_radius), radius);
      EXPECT_GT(same, 46);
      EXPECT_LT(radius, same - 5) << "what a radius in pixels shows";
      EXPECT_LE(largest_difference(draw(small, kMask, kMask, person, pixels), blurred), 1) << "the formula";
    }
  }
}

TEST_F(BlurTest, ARadiusTakesPrecedence) {
  const Rgba frame = make_frame(320, 180);
  for (const Bokeh bokeh : kBokehs) {
    SegmentLook look = look_of(Background::kBlur);
    look.bokeh = bokeh;
    look.blur_radius = 9;
    const Rgba nine = draw_uniform(frame, 0, look);
    look.blur_strength = 20;
    EXPECT_EQ(largest_difference(draw_uniform(frame, 0, look), nine), 0);
    look.blur_radius = 0;
    EXPECT_EQ(largest_difference(draw_uniform(frame, 0, look), frame), 0) << "0 disables the blur";
    look.blur_radius = -1;
    const Rgba strong = draw_uniform(frame, 0, look);
    EXPECT_GT(largest_difference(strong, nine), 20);
    look.blur_radius = 36;
    EXPECT_LE(largest_difference(draw_uniform(frame, 0, look), strong), 1) << "a fifth of the height";
    look.blur_radius = -1;
    look.blur_strength = 0;
    EXPECT_EQ(largest_difference(draw_uniform(frame, 0, look), frame), 0) << "0 disables the blur";
  }
}

// Seven rows of five dots per letter.
constexpr std::array<std::array<std::string_view, 7>, 10> kLetters{{
    {" ### ", "#   #", "#   #", "#####", "#   #", "#   #", "#   #"},
    {"#####", "#    ", "#    ", "#### ", "#    ", "#    ", "#####"},
    {"#   #", "#   #", "#   #", "#####", "#   #", "#   #", "#   #"},
    {"#   #", "#  # ", "# #  ", "##   ", "# #  ", "#  # ", "#   #"},
    {"#   #", "##  #", "# # #", "# # #", "# # #", "#  ##", "#   #"},
    {" ### ", "#   #", "#   #", "#   #", "#   #", "#   #", " ### "},
    {"#### ", "#   #", "#   #", "#### ", "# #  ", "#  # ", "#   #"},
    {" ####", "#    ", "#    ", " ### ", "    #", "    #", "#### "},
    {"#####", "  #  ", "  #  ", "  #  ", "  #  ", "  #  ", "  #  "},
    {"#   #", "#   #", "#   #", "#   #", "#   #", "#   #", " ### "},
}};
constexpr double kLetterHeight = 0.05;

constexpr int32_t kDark = 30, kBright = 220;

// An image of two levels.
template <typename Marked>
Rgba two_colors(int32_t height, std::array<int32_t, 2> levels, Marked is_marked) {
  return render(height, height, [&](double x, double y) {
    const double level = levels[is_marked(x, y) ? 0 : 1] / 255.0;
    return std::array<double, 3>{level, level, level};
  });
}

// Letters, with six dots from letter to letter and ten from line to line, in the first color on the second.
constexpr int32_t kColumns = 30;
Rgba text(int32_t height, const std::vector<size_t>& letters, std::array<int32_t, 2> levels) {
  return two_colors(height, levels, [&](double x, double y) {
    const int column = static_cast<int>(7 * x / kLetterHeight), row = static_cast<int>(7 * y / kLetterHeight);
    const auto& letter = kLetters[letters[static_cast<size_t>(row / 10 * kColumns + column / 6)]];
    return row % 10 < 7 && column % 6 < 5 &&
           letter[static_cast<size_t>(row % 10)][static_cast<size_t>(column % 6)] == '#';
  });
}

// Stripes, as spines of books are.
Rgba stripes(int32_t height, double period) {
  const double shift = 0.25 / height;  // no edge is in the middle of a pixel, where rounding would decide
  return two_colors(height, {kDark, kBright},
                    [=](double x, double) { return std::fmod(x + shift, period) < period / 2; });
}

// From the darkest to the brightest pixel in the middle of an image.
int contrast(const Rgba& picture) {
  int least = 255, most = 0;
  for (int32_t y = picture.height / 4; y < picture.height * 3 / 4; ++y) {
    for (int32_t x = picture.width / 4; x < picture.width * 3 / 4; ++x) {
      least = std::min<int>(least, picture.at(x, y)[0]);
      most = std::max<int>(most, picture.at(x, y)[0]);
    }
  }
  return most - least;
}

// At 1080p, the texels of some levels of the pyramid are not exactly between those of the previous level.
TEST_F(BlurTest, FineStripesLeaveNoCoarseOnes) {
  for (const int32_t height : {720, 1000, 1080}) {
    SegmentLook look = look_of(Background::kBlur);
    look.blur_strength = 5;
    const int found = contrast(draw_uniform(stripes(height, 0.05), 0, look));
    std::printf("stripes with the period of the blur-radius at %4dp: contrast %d of %d\n", height, found,
                kBright - kDark);
    EXPECT_LE(found, 4);
  }
}

// Correlation of a letter in one text with a letter in another, each in a column and a line.
double correlation(const Rgba& a, std::array<int32_t, 2> at_a, const Rgba& b, std::array<int32_t, 2> at_b) {
  const double dot = a.height * kLetterHeight / 7;
  const auto width = static_cast<int32_t>(5 * dot), height = static_cast<int32_t>(7 * dot);
  const auto value = [&](const Rgba& text, std::array<int32_t, 2> at, int32_t x, int32_t y) {
    return static_cast<double>(
        text.at(static_cast<int32_t>(6 * dot * at[0]) + x, static_cast<int32_t>(10 * dot * at[1]) + y)[0]);
  };
  std::array<double, 5> sums{};
  for (int32_t y = 0; y < height; ++y) {
    for (int32_t x = 0; x < width; ++x) {
      const double p = value(a, at_a, x, y), q = value(b, at_b, x, y);
      const std::array<double, 5> terms{p, q, p * p, q * q, p * q};
      for (size_t i = 0; i < terms.size(); ++i) sums[i] += terms[i];
    }
  }
  const double n = static_cast<double>(width) * height;
  return (n * sums[4] - sums[0] * sums[1]) /
         std::sqrt(std::max((n * sums[2] - sums[0] * sums[0]) * (n * sums[3] - sums[1] * sums[1]), 1e-9));
}

struct Legibility {
  int flag = 0;                 // contrast of stripes that repeat after 12 percent of the frame height
  int spines = 0, strokes = 0;  // after the height of a letter, and after half of it
  int read = 0;                 // of 200 letters, dark and bright: those that resemble their sharp letter the most
};

class LegibilityTest : public CompositorTest {
 protected:
  Legibility measure(int32_t height, const SegmentLook& look) {
    Legibility result{contrast(draw_uniform(stripes(height, 0.12), 0, look)),
                      contrast(draw_uniform(stripes(height, kLetterHeight), 0, look)),
                      contrast(draw_uniform(stripes(height, kLetterHeight / 2), 0, look))};
    std::mt19937 random(7);
    std::vector<size_t> letters(1000), alphabet(1000);
    for (size_t& letter : letters) letter = random() % kLetters.size();
    for (size_t i = 0; i < kLetters.size(); ++i) alphabet[i] = i;
    for (const std::array<int32_t, 2> levels : {std::array{kDark, kBright}, {kBright, kDark}}) {
      const Rgba sharp = text(height, alphabet, levels);
      const Rgba blurred = draw_uniform(text(height, letters, levels), 0, look);
      for (int32_t i = 0; i < 100; ++i) {
        const std::array<int32_t, 2> at{5 + i % 10, 2 + i / 10};
        std::array<double, kLetters.size()> likeness{};
        for (size_t letter = 0; letter < kLetters.size(); ++letter) {
          likeness[letter] = correlation(blurred, at, sharp, {static_cast<int32_t>(letter), 0});
        }
        const auto best = static_cast<size_t>(std::ranges::max_element(likeness) - likeness.begin());
        result.read += best == letters[static_cast<size_t>(at[1] * kColumns + at[0])] ? 1 : 0;
      }
    }
    return result;
  }
};

TEST_F(LegibilityTest, TheDefaultHidesTextAtEverySize) {
  const auto print = [](Bokeh bokeh, const std::string& look, int32_t height, const Legibility& found) {
    std::printf(
        "%-8s %s at %4dp: contrast of a flag %3d, of spines %3d, of strokes %3d of %d; %3d letters of 200 read\n",
        name_of(bokeh), look.c_str(), height, found.flag, found.spines, found.strokes, kBright - kDark, found.read);
  };
  for (const Bokeh bokeh : kBokehs) {
    SegmentLook look = look_of(Background::kBlur);
    look.bokeh = bokeh;
    for (const float strength : {1.0F, 2.0F, 3.0F, 5.0F}) {
      look.blur_strength = strength;
      print(bokeh, "blur-strength=" + std::to_string(static_cast<int>(strength)), 720, measure(720, look));
    }
    look.blur_strength = SegmentLook().blur_strength;
    for (const int32_t height : {360, 720, 1080, 2160}) {
      const Legibility found = measure(height, look);
      print(bokeh, "default", height, found);
      EXPECT_LE(found.flag, 32);
      EXPECT_LE(found.spines, 4);
      EXPECT_LE(found.strokes, 2);
      EXPECT_LE(found.read, 60) << "20 by chance";
    }
  }
  SegmentLook sharp = look_of(Background::kBlur);
  sharp.blur_radius = 0;
  const Legibility found = measure(720, sharp);
  EXPECT_EQ(found.spines, kBright - kDark) << "what the blur must hide";
  EXPECT_EQ(found.read, 200);
}

}  // namespace
}  // namespace sightglass::test
