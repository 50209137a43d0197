// How strong the blur is: the same at every frame size, and enough to hide text. With bokeh=disc: against a scalar
// disc, its highlights, and its cost.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "compositor_case.h"
#include "gpu_engine/device_family.h"
#include "segment/shaders.h"

namespace sightglass::test {
namespace {

using BlurTest = CompositorTest;

constexpr Bokeh kBokehs[] = {Bokeh::kGaussian, Bokeh::kDisc};
const char* name_of(Bokeh bokeh) { return bokeh == Bokeh::kDisc ? "disc" : "gaussian"; }

// Calls `color` with positions in frame heights, for each pixel.
template <typename ColorAt>
Rgba render(int32_t width, int32_t height, ColorAt color_at) {
  return painted(width, height, [&](int32_t x, int32_t y) {
    std::array<double, 3> color = color_at((x + 0.5) / height, (y + 0.5) / height);
    for (double& component : color) component = std::round(255 * component);
    return color;
  });
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

// A gradient of few levels, such as a wall beside a window.
TEST_F(BlurTest, DitherHidesBands) {
  const Rgba frame = painted(320, 180, [](int32_t x, int32_t /*y*/) {
    const double gray = 100 + x / 64.0;
    return std::array{gray, gray, gray};
  });
  const auto longest_run = [](const Rgba& picture) {
    int longest = 0, run = 0;
    for (int32_t x = 1; x < picture.width; ++x) {
      run = picture.at(x, 90)[0] == picture.at(x - 1, 90)[0] ? run + 1 : 0;
      longest = std::max(longest, run);
    }
    return longest;
  };
  SegmentLook look = look_of(Background::kBlur);
  look.blur_radius = 60;
  const Rgba bands = draw_uniform(frame, 0, look);
  look.dither = true;
  const Rgba dithered = draw_uniform(frame, 0, look);
  std::printf("longest run of one level: %d pixels, with dither %d\n", longest_run(bands), longest_run(dithered));
  EXPECT_GT(longest_run(bands), 40);
  EXPECT_LT(longest_run(dithered), longest_run(bands) / 2);
  EXPECT_LE(largest_difference(bands, dithered), 1);
  double difference = 0;
  for (int32_t i = 0; i < 320 * 180; ++i) {
    difference += dithered.at(i % 320, i / 320)[0] - bands.at(i % 320, i / 320)[0];
  }
  EXPECT_NEAR(difference / (320 * 180), 0, 0.1);
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

using DiscTest = CompositorTest;

SegmentLook disc(float radius) {
  SegmentLook look = look_of(Background::kBlur);
  look.bokeh = Bokeh::kDisc;
  look.blur_radius = radius;
  return look;
}

// Weighted sums of light along a row up to every pixel, and the weights.
using Sums = std::vector<std::array<double, 4>>;

// The mean light over a disc around each pixel, without a pyramid. Beyond the border are the outermost pixels.
Rgba scalar_disc(const Rgba& frame, double radius) {
  const auto reach = static_cast<int32_t>(std::ceil(radius)) + 1;
  const auto columns = static_cast<size_t>(frame.width + 2 * reach);
  std::vector<Sums> rows;
  for (int32_t y = 0; y < frame.height; ++y) {
    Sums& sums = rows.emplace_back(columns + 1);
    for (size_t i = 0; i < columns; ++i) {
      const uint8_t* pixel = frame.at(std::clamp(static_cast<int32_t>(i) - reach, 0, frame.width - 1), y);
      const double brightest = std::pow(std::max({pixel[0], pixel[1], pixel[2]}) / 255.0, 2);
      const double weight = 1 + kHighlightBoost * std::pow(brightest, 4);
      for (size_t c = 0; c < 3; ++c) sums[i + 1][c] = sums[i][c] + weight * std::pow(pixel[c] / 255.0, 2);
      sums[i + 1][3] = sums[i][3] + weight;
    }
  }
  Rgba result(frame.width, frame.height);
  for (int32_t y = 0; y < frame.height; ++y) {
    for (int32_t x = 0; x < frame.width; ++x) {
      std::array<double, 4> total{};
      for (int32_t dy = -reach; dy <= reach; ++dy) {
        const double half = std::sqrt(std::max(radius * radius - dy * dy, 0.0));
        if (half == 0) continue;
        const Sums& sums = rows[static_cast<size_t>(std::clamp(y + dy, 0, frame.height - 1))];
        const auto upto = [&](double place, size_t c) {
          const auto i = static_cast<size_t>(place);
          return sums[i][c] + (place - std::floor(place)) * (sums[i + 1][c] - sums[i][c]);
        };
        for (size_t c = 0; c < 4; ++c) total[c] += upto(x + 0.5 + reach + half, c) - upto(x + 0.5 + reach - half, c);
      }
      for (size_t c = 0; c < 3; ++c) {
        result.at(x, y)[c] = static_cast<uint8_t>(std::lround(255 * std::sqrt(total[c] / total[3])));
      }
      result.at(x, y)[3] = 255;
    }
  }
  return result;
}

void fill(Rgba& picture, int32_t left, int32_t top, int32_t width, int32_t height, std::array<uint8_t, 3> color) {
  for (int32_t y = top; y < top + height; ++y) {
    for (int32_t x = left; x < left + width; ++x) std::copy_n(color.data(), 3, picture.at(x, y));
  }
}

// Furniture in muted colors, and lights.
Rgba furnished_room(int32_t width, int32_t height) {
  Rgba frame = painted(width, height, [=](int32_t x, int32_t y) {
    const bool checked = (x / 40 + y / 30) % 2 == 0;
    return std::array{60 + 100 * x / width, checked ? 60 : 130, 50 + 80 * y / height};
  });
  for (int32_t i = 0; i < 6; ++i) fill(frame, 60 + 90 * i, 50 + 37 * i, 3 + 2 * i, 3 + 2 * i, {255, 250, 210});
  return frame;
}

TEST_F(DiscTest, EqualsAScalarDisc) {
  const Rgba frame = furnished_room(640, 360);
  for (const float radius : {4.0F, 7.0F, 12.0F, 18.0F, 24.0F, 36.0F, 60.0F, 100.0F}) {
    const Rgba expected = scalar_disc(frame, static_cast<double>(radius));
    const double found = psnr(draw_uniform(frame, 0, disc(radius)), expected);
    SegmentLook gaussian = disc(radius);
    gaussian.bokeh = Bokeh::kGaussian;
    const double other = psnr(draw_uniform(frame, 0, gaussian), expected);
    std::printf("blur-radius %3.0f: PSNR with a scalar disc %.1f dB; of the Gaussian %.1f dB\n",
                static_cast<double>(radius), found, other);
    EXPECT_GT(found, 36);
    EXPECT_GT(found, other + 6);
  }
}

// Brightness along a row through the center of a light.
std::vector<int> profile(const Rgba& picture, int32_t x, int32_t y, int32_t reach) {
  std::vector<int> values;
  for (int32_t i = 0; i <= reach; ++i) values.push_back(picture.at(x + i, y)[1]);
  return values;
}

// A light becomes a disc of even brightness, with the requested radius, and with nothing around it.
TEST_F(DiscTest, ALightBecomesAFlatDisc) {
  constexpr int32_t kSize = 512, kMiddle = 256;
  for (const float radius : {8.0F, 12.0F, 16.0F, 24.0F, 36.0F, 50.0F, 72.0F, 108.0F}) {
    Rgba frame = solid(kSize, kSize, {70, 70, 70, 255});
    fill(frame, kMiddle - 2, kMiddle - 2, 5, 5, {255, 255, 255});
    const auto reach = static_cast<int32_t>(radius);
    const Rgba out = draw_uniform(frame, 0, disc(radius));
    const std::vector<int> across = profile(out, kMiddle, kMiddle, 2 * reach);
    // The same along the diagonal.
    std::vector<int> diagonal;
    for (int32_t i = 0; i <= reach; ++i) diagonal.push_back(out.at(kMiddle + i, kMiddle + i)[1]);
    const int center = across[0];
    const auto half = static_cast<double>(center + 70) / 2;
    const auto radius_of = [&](const std::vector<int>& values) {
      size_t i = 1;
      while (i + 1 < values.size() && values[i] > half) ++i;
      return static_cast<double>(i) - (half - values[i]) / std::max(values[i - 1] - values[i], 1);
    };
    int least = 255, most = 0, outside = 0, rise = 0;
    for (int32_t i = 0; i < static_cast<int32_t>(0.6F * radius); ++i) {
      least = std::min(least, across[static_cast<size_t>(i)]);
      most = std::max(most, across[static_cast<size_t>(i)]);
    }
    for (int32_t i = std::max(static_cast<int32_t>(1.6F * radius), reach + 8); i <= 2 * reach; ++i) {
      outside = std::max(outside, std::abs(across[static_cast<size_t>(i)] - 70));
    }
    for (size_t i = static_cast<size_t>(reach / 2); i + 1 < across.size(); ++i) {
      rise = std::max(rise, across[i + 1] - across[i]);
    }
    std::printf(
        "blur-radius %3.0f: disc of %d to %d on 70, radius %.1f across and %.1f along the diagonal, rises of %d\n",
        static_cast<double>(radius), least, most, radius_of(across), 1.41421 * radius_of(diagonal), rise);
    EXPECT_LE(most - least, std::max(2, (center - 70) / 16)) << "flat";
    EXPECT_NEAR(radius_of(across), static_cast<double>(radius), 1 + 0.04 * static_cast<double>(radius));
    EXPECT_NEAR(1.41421 * radius_of(diagonal), radius_of(across), 1 + 0.03 * static_cast<double>(radius)) << "round";
    EXPECT_LE(outside, 2);
    EXPECT_LE(rise, 1) << "no ring around the disc";
  }
}

// A light of a hundredth of the disc is visible on gray as a disc, and invisible in the Gaussian.
TEST_F(DiscTest, HighlightsAreVisible) {
  constexpr int32_t kHeight = 720, kMiddle = 360;
  Rgba frame = solid(kHeight, kHeight, {100, 100, 100, 255});
  fill(frame, kMiddle - 3, kMiddle - 3, 6, 6, {255, 255, 255});
  std::array<int, 2> seen{};
  for (const Bokeh bokeh : {Bokeh::kGaussian, Bokeh::kDisc}) {
    SegmentLook look = look_of(Background::kBlur);
    look.bokeh = bokeh;
    look.blur_strength = 5;
    seen[static_cast<size_t>(bokeh)] = draw_uniform(frame, 0, look).at(kMiddle + 10, kMiddle)[1] - 100;
  }
  std::printf("a light of 6x6 pixels at 720p: %d levels above gray with gaussian, %d with disc\n", seen[0], seen[1]);
  EXPECT_LE(seen[0], 5);
  EXPECT_GE(seen[1], 25);
}

// The light and its center of gravity while a small light moves over black.
struct Motion {
  double change = 0;  // of the light, relative to the brightest
  double shift = 0;   // of the center, in pixels of the frame
};

class MovingLightTest : public CompositorTest {
 protected:
  // `exposed` returns how much light falls on a point at a distance from the middle of the light.
  template <typename Exposed>
  Motion move(double step, float radius, Exposed exposed) {
    constexpr int32_t kSize = 256, kSamples = 4;
    std::vector<double> sums, centers;
    for (int i = 0; i < 16; ++i) {
      const double middle_x = 120 + i * step, middle_y = 120 + i / 2 * step;
      Rgba frame = solid(kSize, kSize, {0, 0, 0, 255});
      for (int32_t y = 100; y < 150; ++y) {
        for (int32_t x = 100; x < 150; ++x) {
          double light = 0;
          for (int32_t sample = 0; sample < kSamples * kSamples; ++sample) {
            light += exposed(x + (sample % kSamples + 0.5) / kSamples - middle_x,
                             y + (sample / kSamples + 0.5) / kSamples - middle_y);
          }
          light = std::min(light / (kSamples * kSamples), 1.0);
          std::fill_n(frame.at(x, y), 3, static_cast<uint8_t>(std::lround(255 * std::sqrt(light))));
        }
      }
      const Rgba out = draw_uniform(frame, 0, disc(radius));
      double sum = 0, mean = 0;
      for (size_t p = 0; p < out.pixels.size(); p += 4) {
        const double light = out.pixels[p] * out.pixels[p];
        sum += light;
        mean += light * static_cast<double>(p / 4 % kSize);
      }
      sums.push_back(sum);
      centers.push_back(mean / sum - middle_x);
    }
    const auto [dimmest, brightest] = std::ranges::minmax(sums);
    const auto [first, last] = std::ranges::minmax(centers);
    return {(brightest - dimmest) / brightest, last - first};
  }
};

TEST_F(MovingLightTest, KeepsItsLight) {
  for (const int side : {1, 2, 3, 6}) {
    for (const float radius : {6.0F, 12.0F, 24.0F}) {
      const Motion found = move(1, radius, [&](double x, double y) {
        return std::max(std::abs(x - 0.5 * side), std::abs(y - 0.5 * side)) < 0.5 * side ? 1.0 : 0.0;
      });
      std::printf("light of %dx%d pixels, blur-radius %2.0f: light changes by %.1f %%, position by %.2f px\n", side,
                  side, static_cast<double>(radius), 100 * found.change, found.shift);
      EXPECT_LE(found.change, radius > 10 ? 0.04 : 0.1);
      EXPECT_LE(found.shift, 1.2);
    }
  }
}

// Four times as bright as white, as lamps are, and as soft as a lens makes it.
TEST_F(MovingLightTest, KeepsItsLightBetweenPixels) {
  for (const double deviation : {0.8, 1.2, 2.0}) {
    const Motion found = move(
        0.25, 24, [&](double x, double y) { return 4 * std::exp(-0.5 * (x * x + y * y) / (deviation * deviation)); });
    std::printf("lamp, standard deviation %.1f px, steps of a quarter of a pixel: light changes by %.1f %%\n",
                deviation, 100 * found.change);
    EXPECT_LE(found.change, deviation < 1 ? 0.4 : 0.1);
  }
}

// A white person whose mask is too small by three pixels makes no halo.
TEST_F(DiscTest, ABrightForegroundDoesNotGlow) {
  constexpr int32_t kSize = 512, kMask = 128;
  std::vector<float> mask;
  for (int i = 0; i < kMask * kMask; ++i) mask.push_back(i % kMask < kMask / 2 ? 1 : 0);
  for (const int32_t excess : {0, 3}) {
    Rgba frame = solid(kSize, kSize, {60, 60, 60, 255});
    fill(frame, 0, 0, kSize / 2 + excess, kSize, {255, 255, 255});
    for (const Bokeh bokeh : {Bokeh::kGaussian, Bokeh::kDisc}) {
      SegmentLook look = disc(24);
      look.bokeh = bokeh;
      const int beside = draw(frame, kMask, kMask, mask, look).at(kSize / 2 + 8, kSize / 2)[0];
      std::printf("%s, mask too small by %d pixels: %d beside the foreground, 60 expected\n",
                  bokeh == Bokeh::kDisc ? "disc" : "gaussian", excess, beside);
      EXPECT_LE(beside, excess == 0 ? 66 : 120);
    }
  }
}

// On a software renderer, CPU time of all threads is measured in place of GPU time: other load does not count.
TEST_F(DiscTest, CostsAtMostTwiceTheGaussian) {
  constexpr int32_t kWidth = 1280, kHeight = 720, kMask = 256;
  const Rgba frame = furnished_room(kWidth, kHeight);
  const GlTexture in = upload(gl(), frame), out = make_texture(gl(), GL_RGBA8, kWidth, kHeight);
  const GlTexture mask = upload_mask(gl(), kMask, kMask, std::vector<float>(kMask * kMask, 0));
  ASSERT_TRUE(compositor_->resize(kWidth, kHeight).ok());
  const bool software = device_family(device().vendor, device().renderer).software;
  const auto seconds = [&]() -> double {
    if (software) return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  };
  const auto milliseconds = [&](const SegmentLook& look) {
    gl().Finish();
    const double before = seconds();
    constexpr int kFrames = 3;
    for (int i = 0; i < kFrames; ++i) {
      EXPECT_TRUE(compositor_
                      ->draw(TextureRef{in.id(), GL_TEXTURE_2D, kWidth, kHeight}, {},
                             {mask.id(), GL_TEXTURE_2D, kMask, kMask}, {}, out.id(), look)
                      .ok());
    }
    gl().Finish();
    return 1000 * (seconds() - before) / kFrames;
  };
  for (const float radius : {4.0F, 9.9F, 24.0F, 57.6F, 144.0F}) {
    std::array<double, 2> best{1e9, 1e9};
    for (int i = 0; i < 3; ++i) {
      for (const Bokeh bokeh : {Bokeh::kGaussian, Bokeh::kDisc}) {
        SegmentLook look = disc(radius);
        look.bokeh = bokeh;
        double& least = best[static_cast<size_t>(bokeh)];
        least = std::min(least, milliseconds(look));
      }
    }
    std::printf("blur-radius %5.1f at 720p: gaussian %.1f ms, disc %.1f ms, ratio %.2f\n", static_cast<double>(radius),
                best[0], best[1], best[1] / best[0]);
    EXPECT_LE(best[1], 2 * best[0]);
  }
}

}  // namespace
}  // namespace sightglass::test
