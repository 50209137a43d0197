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
