#include "segment/blur.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gl/compute.h"
#include "segment/shaders.h"

namespace sightglass {

// Variances add up. In texels² of level k: [1 3 3 1] / 8 has 3/4 of a texel² of the level it reads, so that k of them
// make (1 - 4^-k) / 4; the B-spline that enlarges has 1/3; the Gaussian supplies what is missing.
BlurRecipe BlurRecipe::for_radius(float radius) {
  constexpr float kSpline = 1.0F / 3.0F;
  constexpr float kLeastSigma = 1.26F;  // in texels of the last level, Gaussian of 1 included
  const float sigma = 0.5F * std::min(radius, Blur::kMaxRadius);

  BlurRecipe recipe;
  recipe.share = std::clamp(radius / kLeastRadius, 0.0F, 1.0F);
  recipe.levels =
      std::clamp(static_cast<int>(std::floor(std::log2(std::max(sigma, 1.0F) / kLeastSigma))), 1, Blur::kMaxLevels);
  const float scale = std::exp2(static_cast<float>(-recipe.levels));
  const float variance = sigma * sigma * scale * scale - 0.25F * (1.0F - scale * scale) - kSpline;
  if (variance < 0.01F) return recipe;

  // Texels 2i+1 and 2i+2 share one bilinear fetch, placed at their centre of gravity.
  std::array<float, 9> weight{};
  float total = 0;
  for (size_t i = 0; i < weight.size(); ++i) {
    const float distance = static_cast<float>(i);
    weight[i] = std::exp(-0.5F * distance * distance / variance);
    total += (i == 0 ? 1.0F : 2.0F) * weight[i];
  }
  recipe.centre = weight[0] / total;
  for (size_t i = 0; i < 4; ++i) {
    const float near = weight[2 * i + 1], far = weight[2 * i + 2];
    const float both = near + far;
    recipe.taps[4 * i] = static_cast<float>(2 * i + 1) + (both > 0 ? far / both : 0.0F);
    recipe.taps[4 * i + 1] = both / total;
  }
  return recipe;
}

Result<Blur> Blur::create(const std::shared_ptr<ShareGroup>& group) {
  const ProgramKey keys[] = {{kBlurDownShader}, {kBlurGaussShader}};
  SG_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  return Blur(group->gl(), std::move(programs));
}

Blur::Blur(const GlApi& gl, std::vector<SharedProgram> programs)
    : gl_(&gl), down_(std::move(programs[0])), gauss_(std::move(programs[1])), rows_(gl), columns_(gl) {}

Status Blur::resize(int32_t width, int32_t height) {
  levels_.clear();
  clear_gl_errors(*gl_);
  for (int i = 0; i < kMaxLevels; ++i) {
    width = (width + 1) / 2;
    height = (height + 1) / 2;
    levels_.push_back(
        {make_texture(*gl_, GL_RGBA16F, width, height), make_texture(*gl_, GL_RGBA16F, width, height), width, height});
  }
  return check_gl(*gl_, "allocating the blur pyramid");
}

void Blur::store(const Level& level, const GlTexture& target) const {
  gl_->BindImageTexture(0, target.id(), 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA16F);
  gl_->DispatchCompute(groups_across(level.width), groups_across(level.height), 1);
  gl_->MemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT | GL_SHADER_IMAGE_ACCESS_BARRIER_BIT);
}

void Blur::begin(const SharedProgram& first) {
  gl_->UseProgram(first->id());
  store(levels_[0], levels_[0].texture);
}

void Blur::apply(const SharedProgram& program) {
  Level& level = levels_[0];
  gl_->UseProgram(program->id());
  gl_->BindTexture(GL_TEXTURE_2D, level.texture.id());
  store(level, level.scratch);
  std::swap(level.texture, level.scratch);
}

TextureRef Blur::finish(const BlurRecipe& recipe) {
  if (recipe.levels > 1) gl_->UseProgram(down_->id());
  for (size_t i = 1; i < static_cast<size_t>(recipe.levels); ++i) {
    gl_->BindTexture(GL_TEXTURE_2D, levels_[i - 1].texture.id());
    store(levels_[i], levels_[i].texture);
  }
  const Level& last = levels_[static_cast<size_t>(recipe.levels - 1)];
  if (recipe.centre < 1) {
    gl_->UseProgram(gauss_->id());
    rows_.bind(kParamsBinding, {recipe.taps, {1, 0, recipe.centre, 0}});
    gl_->BindTexture(GL_TEXTURE_2D, last.texture.id());
    store(last, last.scratch);
    columns_.bind(kParamsBinding, {recipe.taps, {0, 1, recipe.centre, 0}});
    gl_->BindTexture(GL_TEXTURE_2D, last.scratch.id());
    store(last, last.texture);
  }
  return {last.texture.id(), GL_TEXTURE_2D, last.width, last.height};
}

}  // namespace sightglass
