#include "segment/blur.h"

#include <utility>

#include "gl/compute.h"

namespace sightglass {

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

const Blur::Level& Blur::descend(int levels) {
  if (levels > 1) gl_->UseProgram(down_->id());
  for (size_t i = 1; i < static_cast<size_t>(levels); ++i) {
    gl_->BindTexture(GL_TEXTURE_2D, levels_[i - 1].texture.id());
    store(levels_[i], levels_[i].texture);
  }
  return levels_[static_cast<size_t>(levels - 1)];
}

TextureRef Blur::finish(const BlurRecipe& recipe) {
  const Level& last = descend(recipe.levels);
  if (recipe.center < 1) {
    gl_->UseProgram(gauss_->id());
    rows_.bind(kParamsBinding, {recipe.taps, {1, 0, recipe.center, 0}});
    gl_->BindTexture(GL_TEXTURE_2D, last.texture.id());
    store(last, last.scratch);
    columns_.bind(kParamsBinding, {recipe.taps, {0, 1, recipe.center, 0}});
    gl_->BindTexture(GL_TEXTURE_2D, last.scratch.id());
    store(last, last.texture);
  }
  return {last.texture.id(), GL_TEXTURE_2D, last.width, last.height};
}

TextureRef Blur::run_disc(const SharedProgram& first, const DiscRecipe& recipe) {
  begin(first);
  const Level& last = descend(recipe.levels);
  gl_->UseProgram(disc_->id());
  disc_block_.bind(kParamsBinding, {recipe.taps, {recipe.center, static_cast<float>(recipe.count), 0, 0}});
  gl_->BindTexture(GL_TEXTURE_2D, last.texture.id());
  store(last, last.scratch);
  return {last.scratch.id(), GL_TEXTURE_2D, last.width, last.height};
}

}  // namespace sightglass
