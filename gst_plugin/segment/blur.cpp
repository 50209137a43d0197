#include "segment/blur.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "gl/compute.h"

namespace sightglass {

namespace {

// The B-spline that enlarges the last level, in texels² of that level. Variances add up.
constexpr float kSplineVariance = 1.0F / 3.0F;

float share_of(float radius) { return std::clamp(radius / BlurRecipe::kLeastRadius, 0.0F, 1.0F); }

// The largest number of halvings after which `length` pixels still have `texels` texels.
int levels_for(float length, float texels) {
  return std::clamp(static_cast<int>(std::floor(std::log2(length / texels))), 1, kMaxBlurLevels);
}

// The area that a disc around 0 and the unit square around (x, y) share, with y as 16 lines.
float covered(float x, float y, float radius) {
  constexpr int kLines = 16;
  float sum = 0;
  for (int line = 0; line < kLines; ++line) {
    const float height = y - 0.5F + (static_cast<float>(line) + 0.5F) / kLines;
    const float half = std::sqrt(std::max(radius * radius - height * height, 0.0F));
    sum += std::max(std::min(x + 0.5F, half) - std::max(x - 0.5F, -half), 0.0F);
  }
  return sum / kLines;
}

class TapList {
 public:
  explicit TapList(DiscRecipe& recipe) : recipe_(recipe) {}

  // Adds two texels of a row with the given weights; one bilinear fetch reads both.
  void add_pair(float x, float y, float near, float far) { add(x, y, near, far, 0); }
  // Adds the texels at x and x + 1 of the rows y and y + 1. One bilinear fetch reads all four if their weights are a
  // product of one factor per column and one per row.
  void add_square(float x, float y, const std::array<float, 4>& weights) {
    constexpr float kRounding = 1e-4F;
    const auto& [a, b, c, d] = weights;
    const float sum = a + b + c + d;
    if (std::abs(a * d - b * c) < kRounding * sum * sum) return add(x, y, a + c, b + d, c + d);
    add_pair(x, y, a, b);
    add_pair(x, y + 1, c, d);
  }

 private:
  // `near` and `far` are the weights of the columns, `upper` that of the second row.
  void add(float x, float y, float near, float far, float upper) {
    const float weight = near + far;
    if (weight <= 0) return;
    recipe_.taps[static_cast<size_t>(recipe_.count++)] = {x + far / weight, y + upper / weight, weight, 0};
  }

  DiscRecipe& recipe_;
};

}  // namespace

// In texels² of level k: [1 3 3 1] / 8 has 3/4 texel² of the level that it reads, so k of them make (1 - 4^-k) / 4. The
// Gaussian adds the difference.
BlurRecipe BlurRecipe::for_radius(float radius) {
  constexpr float kLeastSigma = 1.26F;  // in texels of the last level, including a Gaussian of 1
  const float sigma = 0.5F * std::min(radius, kMaxBlurRadius);

  BlurRecipe recipe;
  recipe.share = share_of(radius);
  recipe.levels = levels_for(std::max(sigma, 1.0F), kLeastSigma);
  const float scale = std::exp2(static_cast<float>(-recipe.levels));
  const float variance = sigma * sigma * scale * scale - 0.25F * (1.0F - scale * scale) - kSplineVariance;
  if (variance < 0.01F) return recipe;

  // Texels 2i+1 and 2i+2 share one bilinear fetch at their center of gravity.
  std::array<float, 9> weight{};
  float total = 0;
  for (size_t i = 0; i < weight.size(); ++i) {
    const float distance = static_cast<float>(i);
    weight[i] = std::exp(-0.5F * distance * distance / variance);
    total += (i == 0 ? 1.0F : 2.0F) * weight[i];
  }
  recipe.center = weight[0] / total;
  for (size_t i = 0; i < 4; ++i) {
    const float near = weight[2 * i + 1], far = weight[2 * i + 2];
    const float both = near + far;
    recipe.taps[4 * i] = static_cast<float>(2 * i + 1) + (both > 0 ? far / both : 0.0F);
    recipe.taps[4 * i + 1] = both / total;
  }
  return recipe;
}

// The first halving is the mean of four pixels, with a variance of 1/4 pixel², so k halvings make (1 - 3 · 4^-k) / 4.
// The area that texels share with the disc is the disc blurred by a texel, with a variance of 1/12. A disc of radius r
// has r² / 4. The disc on the last level is between the one that has the radius before its edge is softened so, and the
// smaller one that has the variance afterwards.
DiscRecipe DiscRecipe::for_radius(float radius) {
  constexpr float kLeastTexels = 4;          // of the last level to the radius, so that the edge looks sharp
  constexpr float kLeastQuarterRadius = 10;  // larger discs cost too much at half the frame size
  constexpr float kLeastRadius = 0.1F;       // in texels: only the central one
  constexpr size_t kReach = 10;              // more than twice kLeastTexels
  const float pixels = std::min(radius, kMaxBlurRadius);

  DiscRecipe recipe;
  recipe.share = share_of(radius);
  recipe.levels = levels_for(std::max(pixels, 1.0F), kLeastTexels);
  if (pixels >= kLeastQuarterRadius) recipe.levels = std::max(recipe.levels, 2);
  const float scale = std::exp2(static_cast<float>(-recipe.levels));
  const float softness = 0.25F * (1 - 3 * scale * scale) + kSplineVariance + 1.0F / 12.0F;
  const float texels = std::sqrt(std::max(pixels * pixels * scale * scale - 2 * softness, kLeastRadius * kLeastRadius));

  std::array<std::array<float, kReach + 1>, kReach + 1> weight{};
  float total = 0;
  for (size_t y = 0; y <= kReach; ++y) {
    for (size_t x = 0; x <= kReach; ++x) {
      weight[y][x] = covered(static_cast<float>(x), static_cast<float>(y), texels);
      if (x > 0) total += 4 * weight[y][x];  // the quarter to the right of the center
    }
  }
  total += weight[0][0];
  for (auto& row : weight) {
    for (float& one : row) one /= total;
  }
  recipe.center = weight[0][0];
  TapList taps(recipe);
  for (size_t x = 1; x < kReach; x += 2) {
    const float column = static_cast<float>(x);
    taps.add_pair(column, 0, weight[0][x], weight[0][x + 1]);
    for (size_t y = 1; y < kReach; y += 2) {
      taps.add_square(column, static_cast<float>(y),
                      {weight[y][x], weight[y][x + 1], weight[y + 1][x], weight[y + 1][x + 1]});
    }
  }
  return recipe;
}

std::vector<ProgramKey> Blur::programs() { return {{kBlurDownShader}, {kBlurGaussShader}, {kBlurDiscShader}}; }

Result<Blur> Blur::create(const std::shared_ptr<ShareGroup>& group) {
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(Blur::programs()));
  return Blur(group->gl(), std::move(programs));
}

Blur::Blur(const GlApi& gl, std::vector<SharedProgram> programs)
    : gl_(&gl),
      down_(std::move(programs[0])),
      gauss_(std::move(programs[1])),
      disc_(std::move(programs[2])),
      rows_(gl),
      columns_(gl),
      disc_block_(gl) {}

Status Blur::resize(int32_t width, int32_t height) {
  levels_.clear();
  clear_gl_errors(*gl_);
  for (int i = 0; i < kMaxBlurLevels; ++i) {
    width = (width + 1) / 2;
    height = (height + 1) / 2;
    levels_.push_back(
        {make_texture(*gl_, GL_RGBA16F, width, height), make_texture(*gl_, GL_RGBA16F, width, height), width, height});
  }
  return check_gl(*gl_, "allocating the blur pyramid");
}

void Blur::store(Pass& pass, const SharedProgram& program, const Level& level, const GlTexture& target) {
  pass.write(0, target.id(), GL_RGBA16F);
  pass.dispatch(program->id(), groups_across(level.width), groups_across(level.height));
}

void Blur::begin(Pass& pass, const SharedProgram& first) { store(pass, first, levels_[0], levels_[0].texture); }

void Blur::apply(Pass& pass, const SharedProgram& program) {
  Level& level = levels_[0];
  pass.read(0, level.texture.id());
  store(pass, program, level, level.scratch);
  std::swap(level.texture, level.scratch);
}

const Blur::Level& Blur::descend(Pass& pass, int levels) {
  for (size_t i = 1; i < static_cast<size_t>(levels); ++i) {
    pass.read(0, levels_[i - 1].texture.id());
    store(pass, down_, levels_[i], levels_[i].texture);
  }
  return levels_[static_cast<size_t>(levels - 1)];
}

TextureRef Blur::finish(Pass& pass, const BlurRecipe& recipe) {
  const Level& last = descend(pass, recipe.levels);
  if (recipe.center < 1) {
    pass.uniforms(kParamsBinding, rows_, {recipe.taps, {1, 0, recipe.center, 0}});
    pass.read(0, last.texture.id());
    store(pass, gauss_, last, last.scratch);
    pass.uniforms(kParamsBinding, columns_, {recipe.taps, {0, 1, recipe.center, 0}});
    pass.read(0, last.scratch.id());
    store(pass, gauss_, last, last.texture);
  }
  return {last.texture.id(), GL_TEXTURE_2D, last.width, last.height};
}

TextureRef Blur::run_disc(Pass& pass, const SharedProgram& first, const DiscRecipe& recipe) {
  begin(pass, first);
  const Level& last = descend(pass, recipe.levels);
  pass.uniforms(kParamsBinding, disc_block_, {recipe.taps, {recipe.center, static_cast<float>(recipe.count), 0, 0}});
  pass.read(0, last.texture.id());
  store(pass, disc_, last, last.scratch);
  return {last.scratch.id(), GL_TEXTURE_2D, last.width, last.height};
}

}  // namespace sightglass
