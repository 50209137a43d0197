// The functions of the guided filter, whose windows move along rows, compared with windows that are added up one by
// one. Removing islands from masks and filling holes in them: compared with a scalar reference, and on masks whose
// result is known.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <utility>
#include <vector>

#include "gl/compute.h"
#include "gl/pass.h"
#include "gl/shaders.h"
#include "gl_pictures.h"
#include "harness/gl_test.h"
#include "harness/value_of.h"
#include "segment/mask_filters.h"
#include "segment/shaders.h"

namespace sightglass::test {
namespace {

struct Function {
  std::array<double, 4> a_b{};  // for colors less one half
  double trust = 0;
};

using Guide = Rgba;  // colors, and the mask in A

// As shaders/segment/guided_fit.comp, without variance within pixels of the guide.
class Reference {
 public:
  explicit Reference(const Guide& guide) : guide_(guide) {}

  Function at(int x, int y) const {
    double wide_share = 0, close_share = 0;
    const auto wide = fit(x, y, 7, true, 2e-5, wide_share), close = fit(x, y, 3, false, 1e-4, close_share);
    Function result;
    const double wide_trust = smoothstep(0.6, 0.95, wide_share);
    result.trust = wide_trust + (1 - wide_trust) * smoothstep(0.6, 0.95, close_share);
    for (size_t i = 0; i < 4; ++i) result.a_b[i] = std::lerp(close[i], wide[i], wide_trust);
    return result;
  }

 private:
  static double smoothstep(double low, double high, double value) {
    const double t = std::clamp((value - low) / (high - low), 0.0, 1.0);
    return t * t * (3 - 2 * t);
  }

  std::array<double, 4> fit(int x, int y, int taps, bool by_sureness, double epsilon, double& share) const {
    double weights = 0, mask_mean = 0, mask_variance = 0;
    std::array<double, 3> mean{}, covariance{};
    std::array<std::array<double, 3>, 3> s{};
    const auto each = [&](const auto& add) {
      for (int v = y - taps; v <= y + taps; ++v) {
        for (int u = x - taps; u <= x + taps; ++u) {
          const int odd = (u + v) & 1;
          const uint8_t* p =
              guide_.at(std::clamp(2 * u + odd, 0, guide_.width - 1), std::clamp(2 * v + odd, 0, guide_.height - 1));
          const double mask = p[3] / 255.0;
          add(by_sureness ? std::pow(2 * mask - 1, 8) + 1e-3 : 1.0,
              std::array{p[0] / 255.0, p[1] / 255.0, p[2] / 255.0}, mask);
        }
      }
    };
    each([&](double weight, const auto& color, double mask) {
      weights += weight;
      mask_mean += weight * mask;
      for (size_t i = 0; i < 3; ++i) mean[i] += weight * color[i];
    });
    mask_mean /= weights;
    for (double& m : mean) m /= weights;
    each([&](double weight, const auto& color, double mask) {
      mask_variance += weight * (mask - mask_mean) * (mask - mask_mean) / weights;
      for (size_t i = 0; i < 3; ++i) {
        covariance[i] += weight * (color[i] - mean[i]) * (mask - mask_mean) / weights;
        for (size_t j = 0; j < 3; ++j) s[i][j] += weight * (color[i] - mean[i]) * (color[j] - mean[j]) / weights;
      }
    });
    for (size_t i = 0; i < 3; ++i) s[i][i] += epsilon;
    // Cramer's rule.
    const auto determinant = [](const auto& m) {
      return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
             m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    };
    std::array<double, 4> result{};
    result[3] = mask_mean;
    double explained = 0;
    for (size_t i = 0; i < 3; ++i) {
      auto replaced = s;
      for (size_t j = 0; j < 3; ++j) replaced[j][i] = covariance[j];
      result[i] = determinant(replaced) / determinant(s);
      result[3] -= result[i] * (mean[i] - 0.5);
      explained += result[i] * covariance[i];
    }
    share = (explained + 1e-5) / (mask_variance + 1e-5);
    return result;
  }

  const Guide& guide_;
};

class GuidedFitTest : public GlTest {
 protected:
  // The greatest differences of the values of functions in the middle of their windows, and of their trusts.
  void compare(const char* what, const Guide& guide, double tolerance) {
    const auto group = ShareGroup::create(gl(), nullptr, element_shaders());
    const ProgramKey keys[] = {{kCloseFitShader}, {kWideFitShader}};
    auto programs = value_of(group->programs(keys));
    const int width = (guide.width + 1) / 2, height = (guide.height + 1) / 2;
    const GlTexture image = upload(gl(), guide);
    const GlTexture surroundings = upload_mask(
        gl(), guide.width, guide.height, std::vector<float>(static_cast<size_t>(guide.width) * guide.height, 0.0F));
    const auto make = [&] { return make_texture(gl(), GL_RGBA16F, width, height); };
    const GlTexture close = make(), close_trusts = make(), functions = make(), trusts = make();
    {
      Pass pass(gl());
      pass.read(kSurroundingsUnit, surroundings.id());
      pass.read(0, image.id());
      const auto run = [&](const SharedProgram& program, const GlTexture& to, const GlTexture& trusts_to) {
        pass.write(0, to.id(), GL_RGBA16F);
        pass.write(1, trusts_to.id(), GL_RGBA16F);
        pass.dispatch(program->id(), groups_across((width + kFunctionsPerInvocation - 1) / kFunctionsPerInvocation),
                      groups_across(height));
      };
      run(programs[0], close, close_trusts);
      pass.read(kCloseUnit, close.id());
      pass.read(kCloseTrustUnit, close_trusts.id());
      run(programs[1], functions, trusts);
    }
    gl().MemoryBarrier(GL_FRAMEBUFFER_BARRIER_BIT);
    const auto found = read_texture({functions.id(), GL_TEXTURE_2D, width, height});
    const auto trust = read_texture({trusts.id(), GL_TEXTURE_2D, width, height});
    const Reference reference(guide);
    double most = 0, most_trust = 0;
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const Function expected = reference.at(x, y);
        const uint8_t* color = guide.at(std::min(2 * x, guide.width - 1), std::min(2 * y, guide.height - 1));
        const size_t at = 4 * (static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x));
        double difference = found[at + 3] - expected.a_b[3];
        for (size_t i = 0; i < 3; ++i) difference += (found[at + i] - expected.a_b[i]) * (color[i] / 255.0 - 0.5);
        // Where a function does not count, its value does not matter.
        most = std::max(most, std::abs(difference) * expected.trust);
        most_trust = std::max(most_trust, std::abs(trust[at] - expected.trust));
      }
    }
    std::printf("%s, %dx%d: values differ by at most %.4f, trusts by %.4f\n", what, guide.width, guide.height, most,
                most_trust);
    EXPECT_LE(most, tolerance) << what;
    EXPECT_LE(most_trust, tolerance) << what;
  }

  // Colors and mask of a position, in [0,1], with noise.
  template <typename Scene>
  Guide render(int width, int height, double noise, const Scene& scene) {
    std::normal_distribution<double> normal(0, noise > 0 ? noise : 1);
    Guide guide(width, height);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const std::array<double, 4> values = scene(x, y);
        for (size_t c = 0; c < 4; ++c) {
          const double value = values[c] + (noise > 0 && c < 3 ? normal(random_) : 0);
          guide.at(x, y)[c] = static_cast<uint8_t>(std::clamp(255 * value + 0.5, 0.0, 255.0));
        }
      }
    }
    return guide;
  }

  std::mt19937 random_{7};
};

TEST_F(GuidedFitTest, MatchesTheReference) {
  for (const auto& [width, height] : {std::pair{128, 96}, {37, 29}, {3, 70}, {1, 1}}) {
    compare("disc in front of noise",
            render(width, height, 0.02,
                   [&, w = width, h = height](int x, int y) {
                     const double r = std::hypot(x - w / 2.0, y - h / 2.0) - w / 4.0,
                                  mask = std::clamp(0.5 - r / 6, 0.0, 1.0);
                     return std::array{0.2 + 0.5 * mask, 0.7 - 0.3 * mask, 0.4, mask};
                   }),
            0.01);
  }
}

// Windows lose nearly all of their weight as they move: rounding errors of the sums must not stay.
TEST_F(GuidedFitTest, SureBesideUnsure) {
  for (const double noise : {0.0, 0.004}) {
    compare("sure, then unsure",
            render(192, 64, noise,
                   [](int x, int y) {
                     const double mask = x < 80 ? (y < 32 ? 0.0 : 1.0) : 0.5 + 0.01 * std::sin(0.7 * x + 0.3 * y);
                     return std::array{x < 80 ? (y < 32 ? 0.05 : 0.95) : 0.5 + 0.02 * std::sin(0.7 * x + 0.3 * y), 0.5,
                                       0.9, mask};
                   }),
            0.01);
  }
}

struct Mask {
  Mask(int w, int h, const std::function<double(int, int)>& probability) : width(w), height(h) {
    for (int y = 0; y < h; ++y) {
      for (int x = 0; x < w; ++x) values.push_back(static_cast<float>(probability(x, y)));
    }
  }
  float at(int x, int y) const {
    return values[static_cast<size_t>(std::clamp(y, 0, height - 1) * width + std::clamp(x, 0, width - 1))];
  }
  int width, height;
  std::vector<float> values;
};

double smoothstep(double low, double high, double value) {
  const double t = std::clamp((value - low) / (high - low), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

using Parts = MaskCleaner::Parts;
constexpr Parts kIslands{.islands = true}, kHoles{.holes = true};

// By the definition: all sure regions, at their distance as the crow flies, and those on eight lines.
Mask reference(const Mask& mask, const Parts& parts) {
  const int across = (mask.width + kIslandCell - 1) / kIslandCell, down = (mask.height + kIslandCell - 1) / kIslandCell;
  const double reach =
      std::max(1.0F, kIslandReach * static_cast<float>(std::max(mask.width, mask.height)) / kIslandCell);
  const Mask core(across, down, [&](int cx, int cy) {
    double most = 0;
    for (int i = 0; i < kIslandCell * kIslandCell; ++i) {
      double least = 1;
      for (int n = 0; n < 9; ++n) {
        least = std::min<double>(least, mask.at(std::min(kIslandCell * cx + i % kIslandCell, mask.width) + n % 3 - 1,
                                                std::min(kIslandCell * cy + i / kIslandCell, mask.height) + n / 3 - 1));
      }
      most = std::max(most, least);
    }
    return smoothstep(kCoreFrom, kCoreTo, most);
  });
  const Mask influence(across, down, [&](int cx, int cy) {
    double most = 0;
    for (int y = 0; y < down; ++y) {
      for (int x = 0; x < across; ++x) {
        most = std::max(most, core.at(x, y) - (std::pow(x - cx, 2) + std::pow(y - cy, 2)) / (reach * reach));
      }
    }
    return most;
  });
  // The mean of the foreground of each cell times a power of its probability, and sums of that over squares.
  const auto mean_of = [&](int power) {
    return Mask(across, down, [&, power](int cx, int cy) {
      double sum = 0;
      for (int i = 0; i < kIslandCell * kIslandCell; ++i) {
        const double p = mask.at(kIslandCell * cx + i % kIslandCell, kIslandCell * cy + i / kIslandCell);
        sum += smoothstep(kForegroundFrom, kForegroundTo, p) * std::pow(p, power);
      }
      return sum / (kIslandCell * kIslandCell);
    });
  };
  const auto around = static_cast<int>(kSupportReach * reach);
  const auto sums_of = [&](const Mask& cells) {
    return Mask(across, down, [&, cells](int cx, int cy) {
      double sum = 0;
      for (int y = std::max(cy - around, 0); y <= std::min(cy + around, down - 1); ++y) {
        for (int x = std::max(cx - around, 0); x <= std::min(cx + around, across - 1); ++x) sum += cells.at(x, y);
      }
      return sum;
    });
  };
  const Mask foreground = sums_of(mean_of(0)), squares = sums_of(mean_of(2));
  const double longest = kHoleReach / kIslandReach * reach;
  const auto nearness = [&](int cx, int cy, int dx, int dy) {
    double most = 0;
    for (int n = 1; n < across + down; ++n) {
      const int x = cx + n * dx, y = cy + n * dy;
      if (x < 0 || y < 0 || x >= across || y >= down) break;
      most = std::max(most, core.at(x, y) * (1 - n * std::hypot(dx, dy) / longest));
    }
    return most;
  };
  const Mask enclosure(across, down, [&](int cx, int cy) {
    std::vector<double> lines;
    for (const auto& [x, y] : {std::pair{1, 0}, {0, 1}, {1, 1}, {1, -1}, {2, 1}, {2, -1}, {1, 2}, {1, -2}}) {
      lines.push_back(std::max(nearness(cx, cy, x, y) + nearness(cx, cy, -x, -y) - 1, 0.0));
    }
    return smoothstep(0, kClosed, *std::ranges::min_element(lines)) *
           smoothstep(kNarrowFrom, kNarrowTo, *std::ranges::max_element(lines));
  });
  const auto weights = [](double f) {
    const double g = 1 - f;
    return std::array{g * g * g / 6, (4 - 6 * f * f + 3 * f * f * f) / 6, (4 - 6 * g * g + 3 * g * g * g) / 6,
                      f * f * f / 6};
  };
  return {mask.width, mask.height, [&](int x, int y) {
            const double cx = (x + 0.5) / kIslandCell - 0.5, cy = (y + 0.5) / kIslandCell - 0.5;
            const auto wx = weights(cx - std::floor(cx)), wy = weights(cy - std::floor(cy));
            double near = 0, enclosed = 0, all = 0, of_it = 0;
            for (int i = 0; i < 16; ++i) {
              const double weight = wx[static_cast<size_t>(i % 4)] * wy[static_cast<size_t>(i / 4)];
              const int ix = static_cast<int>(std::floor(cx)) + i % 4 - 1,
                        iy = static_cast<int>(std::floor(cy)) + i / 4 - 1;
              near += weight * influence.at(ix, iy);
              enclosed += weight * enclosure.at(ix, iy);
              all += weight * foreground.at(ix, iy);
              of_it += weight * squares.at(ix, iy);
            }
            const double probability = mask.at(x, y), kept = smoothstep(0, kNearInfluence, near),
                         sure = smoothstep(kSureFrom, kSureTo, probability);
            const double support = smoothstep(kSupportFrom, kSupportTo, of_it / std::max(all, 0.01));
            const double result = parts.islands ? support * std::lerp(kept, 1.0, sure) * probability : probability;
            if (!parts.holes) return result;
            const double filled = smoothstep(kEnclosedFrom, kEnclosedTo, enclosed);
            return std::lerp(result, 1.0, filled * smoothstep(kGapTo, kHoleFrom, probability));
          }};
}

// 1 within `radius` pixels of a point, and 0 four pixels farther away.
double disc(double x, double y, double radius) { return std::clamp(1 - (std::hypot(x, y) - radius) / 4, 0.0, 1.0); }

class MaskCleanerTest : public GlTest {
 protected:
  explicit MaskCleanerTest(const Parts& parts = {.islands = true, .holes = true}) : parts_(parts) {}
  Mask run(const Mask& mask) { return run(mask, parts_); }
  Mask run(const Mask& mask, const Parts& parts) {
    const GlTexture texture = upload_mask(gl(), mask.width, mask.height, mask.values);
    auto cleaner = value_of(MaskCleaner::create(ShareGroup::create(gl(), nullptr, element_shaders()),
                                                {texture.id(), GL_TEXTURE_2D, mask.width, mask.height}));
    const TextureRef result = cleaner.run(parts);
    const Rgba pixels = download(gl(), result.id, result.width, result.height);
    return {mask.width, mask.height, [&](int x, int y) { return pixels.at(x, y)[0] / 255.0; }};
  }
  static double difference(const Mask& a, const Mask& b) {
    double most = 0;
    for (size_t i = 0; i < a.values.size(); ++i) most = std::max<double>(most, std::abs(a.values[i] - b.values[i]));
    return most;
  }
  void expect_unchanged(const Mask& mask, const char* what, double tolerance = 1.5 / 255) {
    const double changed = difference(run(mask), mask);
    std::printf("%s: changed by at most %.4f\n", what, changed);
    EXPECT_LE(changed, tolerance) << what;
  }

 private:
  Parts parts_;
};

class IslandsTest : public MaskCleanerTest {
 protected:
  IslandsTest() : MaskCleanerTest(kIslands) {}
};
class HolesTest : public MaskCleanerTest {
 protected:
  HolesTest() : MaskCleanerTest(kHoles) {}
};

constexpr int kSide = 256;
// Head and shoulders, with soft edges.
double person(double x, double y) { return std::max(disc(x, y, 24), disc(x / 2, y - 70, 34)); }

TEST_F(MaskCleanerTest, MatchesTheReference) {
  std::minstd_rand random(7);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (const auto& [width, height] : {std::pair{256, 256}, {256, 144}, {33, 33}, {61, 47}, {1, 1}}) {
    struct Blob {
      double x, y, radius, value;
    };
    std::vector<Blob> blobs;
    for (int i = 0; i < 24; ++i) {
      const double radius = 0.08 * uniform(random) * uniform(random) * width + 1;
      blobs.push_back({uniform(random) * width, uniform(random) * height, radius, uniform(random)});
    }
    const Mask mask(width, height, [&](int x, int y) {
      double most = 0;
      for (const Blob& blob : blobs) most = std::max(most, blob.value * disc(x - blob.x, y - blob.y, blob.radius));
      // A person with a hole in the middle of the others.
      const double body = disc(x - 0.5 * width, y - 0.5 * height, 0.2 * width);
      const double hole = 0.8 * disc(x - 0.5 * width, y - 0.5 * height, 0.02 * width);
      return std::clamp(std::max(most, body) - hole + 0.05 * (uniform(random) - 0.5), 0.0, 1.0);
    });
    for (const Parts& parts : {kIslands, kHoles, Parts{.islands = true, .holes = true}}) {
      const Mask expected = reference(mask, parts), found = run(mask, parts);
      const double most = difference(found, expected), changed = difference(mask, expected);
      std::printf("%dx%d,%s%s: largest difference from the reference %.4f; the reference changes up to %.2f\n", width,
                  height, parts.islands ? " islands" : "", parts.holes ? " holes" : "", most, changed);
      EXPECT_LE(most, 2.5 / 255);
      if (width == kSide) {
        EXPECT_GT(changed, 0.4) << "there are islands and holes";
      }
    }
  }
}

TEST_F(IslandsTest, KeepsWhatIsSure) {
  expect_unchanged({kSide, kSide, [](int, int) { return 0; }}, "nothing");
  expect_unchanged({kSide, kSide, [](int, int) { return 1; }}, "everything");
  expect_unchanged({kSide, kSide, [](int x, int y) { return person(x - 128, y - 100); }}, "one person");
  expect_unchanged(
      {kSide, kSide, [](int x, int y) { return std::max(person(x - 60, y - 90), person(x - 190, y - 120)); }},
      "two persons");
  expect_unchanged(
      {kSide, kSide, [](int x, int y) { return std::max(person(x - 60, y - 150), disc(x - 230, y - 30, 3)); }},
      "a raised hand, sure, apart from the body");
  expect_unchanged(
      {kSide, kSide, [](int x, int y) { return std::max(person(x - 60, y - 150), x == 230 || y == 20 ? 1.0 : 0); }},
      "sure lines of one pixel");
  expect_unchanged(
      {kSide, kSide, [](int x, int y) { return std::max(person(x - 128, y - 100), 0.6 * disc(x - 128, y - 74, 10)); }},
      "uncertain hair");
}

TEST_F(IslandsTest, RemovesUncertainForegroundFarAway) {
  const auto largest_far = [this](const char* what, double value, const std::function<double(int, int)>& island) {
    const Mask mask(kSide, kSide,
                    [&](int x, int y) { return std::max(person(x - 60, y - 150), value * island(x, y)); });
    const Mask result = run(mask);
    double most = 0;
    for (int y = 0; y < 60; ++y) {
      for (int x = 190; x < kSide; ++x) most = std::max<double>(most, result.at(x, y));
    }
    std::printf("%s of %.2f: at most %.3f remains\n", what, value, most);
    return most;
  };
  EXPECT_EQ(largest_far("a line of two pixels", 0.75, [](int, int y) { return y == 20 || y == 21; }), 0);
  EXPECT_LE(largest_far("a disc", 0.55, [](int x, int y) { return disc(x - 220, y - 30, 8); }), 0.02);
  EXPECT_LE(largest_far("a bridge", 0.75, [](int x, int y) { return std::abs(x + y - 250) < 2; }), 0.02);
  EXPECT_GE(largest_far("a disc", 0.9, [](int x, int y) { return disc(x - 220, y - 30, 8); }), 0.85);
  // Foreground of which the model is sure in a small part only, and that part.
  const auto blob = [](int x, int y) { return std::max(0.5 * disc(x - 120, y - 120, 50), disc(x - 130, y - 130, 6)); };
  const Mask doubtful = run({kSide, kSide, blob});
  EXPECT_LE(doubtful.at(120, 100), 0.01);
  EXPECT_LE(doubtful.at(130, 130), 0.5);
  // Nothing of which the model is sure.
  const Mask unsure = run({kSide, kSide, [](int, int) { return 0.5; }});
  EXPECT_EQ(*std::ranges::max_element(unsure.values), 0);
}

// An island that becomes surer, and one that moves away, fade: no small step makes a large one.
TEST_F(IslandsTest, FadesSmoothly) {
  const auto largest_step = [this](int steps, const std::function<double(int, double, double)>& island) {
    std::vector<double> shown;
    for (int i = 0; i <= steps; ++i) {
      const Mask result =
          run({kSide, kSide, [&](int x, int y) { return std::max(person(x - 60, y - 150), island(i, x, y)); }});
      double sum = 0;
      for (int y = 0; y < 80; ++y) {
        for (int x = 0; x < kSide; ++x) sum += result.at(x, y);
      }
      shown.push_back(sum);
    }
    double most = 0;
    for (size_t i = 1; i < shown.size(); ++i) most = std::max(most, std::abs(shown[i] - shown[i - 1]));
    return most / *std::ranges::max_element(shown);
  };
  const double surer =
      largest_step(50, [](int i, double x, double y) { return (0.5 + 0.01 * i) * disc(x - 200, y - 40, 8); });
  const double farther =
      largest_step(40, [](int i, double x, double y) { return 0.7 * disc(x - 60 - 2 * i, y - 70, 4); });
  std::printf("largest step, as a share: %.3f per hundredth of probability, %.3f per two pixels\n", surer, farther);
  EXPECT_LT(surer, 0.1);
  EXPECT_LT(farther, 0.2);
}

// A wide person, less `hole` at a place in the middle of the chest.
Mask with_hole(const std::function<double(int, int)>& hole) {
  return {kSide, kSide, [&](int x, int y) {
            return std::max(std::max(person(x - 128, y - 100), disc(x - 128, y - 170, 60)) - hole(x - 128, y - 170),
                            0.0);
          }};
}

TEST_F(HolesTest, FillsUncertainHoles) {
  const auto least = [this](const char* what, const std::function<double(int, int)>& hole) {
    const Mask result = run(with_hole(hole));
    double found = 1;
    for (int y = 130; y < 210; ++y) {
      for (int x = 90; x < 166; ++x) found = std::min<double>(found, result.at(x, y));
    }
    std::printf("%s: at least %.3f\n", what, found);
    return found;
  };
  EXPECT_EQ(least("one pixel", [](int x, int y) { return x == 3 && y == 5 ? 0.6 : 0; }), 1);
  EXPECT_GE(least("a collar", [](int x, int y) { return 0.7 * disc(x, 0.4 * y, 4); }), 0.99);
  EXPECT_GE(least("stripes", [](int x, int y) { return (x + 200) % 10 < 4 && std::abs(y) < 20 ? 0.75 : 0; }), 0.99);
  EXPECT_GE(least("a button", [](int x, int y) { return 0.7 * disc(x, y, 6); }), 0.99);
}

TEST_F(HolesTest, KeepsGapsAndOutlines) {
  expect_unchanged({kSide, kSide, [](int, int) { return 0; }}, "nothing");
  expect_unchanged({kSide, kSide, [](int, int) { return 0.5; }}, "nothing that is sure");
  expect_unchanged(with_hole([](int, int) { return 0; }), "one person");
  expect_unchanged(with_hole([](int x, int y) { return std::hypot(x, y) < 12 ? 0.97 : 0; }), "a gap that is sure");
  // Its end has a cell of which a part is enclosed.
  expect_unchanged(with_hole([](int x, int y) { return std::abs(x) < 5 && y > -30 ? 0.6 : 0; }), "a gap between legs",
                   0.1);
  expect_unchanged(
      {kSide, kSide, [](int x, int y) { return std::max(person(x - 128, y - 100), 0.6 * disc(x - 128, y - 74, 34)); }},
      "uncertain hair around a head");
  expect_unchanged({kSide, kSide,
                    [](int x, int y) {
                      return std::max({person(x - 60, y - 90), person(x - 190, y - 90), x > 90 && x < 160 ? 0.4 : 0});
                    }},
                   "uncertain background between two persons");
}

// Holes close gradually, whether they become surer or smaller: nothing blinks.
TEST_F(HolesTest, FadesSmoothly) {
  const auto largest_step = [this](int steps, const std::function<double(int, int, int)>& hole) {
    double most = 0, before = 0;
    for (int i = 0; i <= steps; ++i) {
      const double middle = run(with_hole([&](int x, int y) { return hole(i, x, y); })).at(128, 170);
      if (i > 0) most = std::max(most, std::abs(middle - before));
      before = middle;
    }
    return most;
  };
  const double surer = largest_step(40, [](int i, int x, int y) { return (0.75 + 0.00625 * i) * disc(x, y, 5); });
  const double larger = largest_step(60, [](int i, int x, int y) { return 0.7 * disc(x, y, 5 + 0.5 * i); });
  std::printf("largest step: %.3f per 0.00625 of probability, %.3f per half a pixel\n", surer, larger);
  EXPECT_LT(surer, 0.15);
  EXPECT_LT(larger, 0.4);
}

}  // namespace
}  // namespace sightglass::test
