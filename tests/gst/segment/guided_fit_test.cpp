// The functions of the guided filter, whose windows move along rows, compared with windows that are added up one by
// one.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "gl/compute.h"
#include "gl/pass.h"
#include "gl/shaders.h"
#include "gl_pictures.h"
#include "harness/gl_test.h"
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
    auto programs = group->programs(keys);
    ASSERT_TRUE(programs.ok()) << programs.status().message();
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
      run(programs.value()[0], close, close_trusts);
      pass.read(kCloseUnit, close.id());
      pass.read(kCloseTrustUnit, close_trusts.id());
      run(programs.value()[1], functions, trusts);
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

}  // namespace
}  // namespace sightglass::test
