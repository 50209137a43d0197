// Removing islands from masks: compared with a scalar reference, and on masks whose result is known.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <utility>
#include <vector>

#include "gl/shaders.h"
#include "gl_pictures.h"
#include "harness/gl_test.h"
#include "segment/mask_filters.h"
#include "segment/shaders.h"

namespace sightglass::test {
namespace {

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

// By the definition: all sure regions, at their distance as the crow flies.
Mask reference(const Mask& mask) {
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
  const auto weights = [](double f) {
    const double g = 1 - f;
    return std::array{g * g * g / 6, (4 - 6 * f * f + 3 * f * f * f) / 6, (4 - 6 * g * g + 3 * g * g * g) / 6,
                      f * f * f / 6};
  };
  return {mask.width, mask.height, [&](int x, int y) {
            const double cx = (x + 0.5) / kIslandCell - 0.5, cy = (y + 0.5) / kIslandCell - 0.5;
            const auto wx = weights(cx - std::floor(cx)), wy = weights(cy - std::floor(cy));
            double near = 0;
            for (int i = 0; i < 16; ++i) {
              near += wx[static_cast<size_t>(i % 4)] * wy[static_cast<size_t>(i / 4)] *
                      influence.at(static_cast<int>(std::floor(cx)) + i % 4 - 1,
                                   static_cast<int>(std::floor(cy)) + i / 4 - 1);
            }
            const double kept = smoothstep(0, kNearInfluence, near),
                         sure = smoothstep(kSureFrom, kSureTo, mask.at(x, y));
            return mask.at(x, y) * (kept + (1 - kept) * sure);
          }};
}

// 1 within `radius` pixels of a point, and 0 four pixels farther away.
double disc(double x, double y, double radius) { return std::clamp(1 - (std::hypot(x, y) - radius) / 4, 0.0, 1.0); }

class IslandsTest : public GlTest {
 protected:
  Mask run(const Mask& mask) {
    const GlTexture texture = upload_mask(gl(), mask.width, mask.height, mask.values);
    auto remover = IslandRemover::create(ShareGroup::create(gl(), nullptr, element_shaders()),
                                         {texture.id(), GL_TEXTURE_2D, mask.width, mask.height});
    EXPECT_TRUE(remover.ok()) << remover.status().message();
    const TextureRef result = remover->run();
    const Rgba pixels = download(gl(), result.id, result.width, result.height);
    return {mask.width, mask.height, [&](int x, int y) { return pixels.at(x, y)[0] / 255.0; }};
  }
  static double difference(const Mask& a, const Mask& b) {
    double most = 0;
    for (size_t i = 0; i < a.values.size(); ++i) most = std::max<double>(most, std::abs(a.values[i] - b.values[i]));
    return most;
  }
  void expect_unchanged(const Mask& mask, const char* what) {
    const double changed = difference(run(mask), mask);
    std::printf("%s: changed by at most %.4f\n", what, changed);
    EXPECT_LE(changed, 1.5 / 255) << what;
  }
};

constexpr int kSide = 256;
// Head and shoulders, with soft edges.
double person(double x, double y) { return std::max(disc(x, y, 24), disc(x / 2, y - 70, 34)); }

TEST_F(IslandsTest, MatchesTheReference) {
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
      return std::clamp(most + 0.05 * (uniform(random) - 0.5), 0.0, 1.0);
    });
    const Mask expected = reference(mask), found = run(mask);
    const double most = difference(found, expected), removed = difference(mask, expected);
    std::printf("%dx%d: largest difference from the reference %.4f; the reference removes up to %.2f\n", width, height,
                most, removed);
    EXPECT_LE(most, 2.5 / 255);
    if (width == kSide) {
      EXPECT_GT(removed, 0.4) << "there are islands";
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

}  // namespace
}  // namespace sightglass::test
