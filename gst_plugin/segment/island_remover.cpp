#include "segment/island_remover.h"

#include <algorithm>

#include "gl/compute.h"
#include "gl/pass.h"
#include "segment/islands.h"
#include "segment/shaders.h"

namespace sightglass {

namespace {

int32_t cells(int32_t pixels) { return (pixels + kIslandCell - 1) / kIslandCell; }

}  // namespace

Result<IslandRemover> IslandRemover::create(const std::shared_ptr<ShareGroup>& group, const TextureRef& mask) {
  const ProgramKey keys[] = {{kIslandCoreShader}, {kIslandReachShader}, {kIslandKeepShader}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  clear_gl_errors(group->gl());
  IslandRemover remover(group->gl(), std::move(programs), mask);
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(group->gl(), "allocating the textures that remove islands from the mask"));
  return remover;
}

IslandRemover::IslandRemover(const GlApi& gl, std::vector<SharedProgram> programs, const TextureRef& mask)
    : gl_(&gl),
      programs_(std::move(programs)),
      mask_(mask),
      cells_x_(cells(mask.width)),
      cells_y_(cells(mask.height)),
      reach_(std::max(kIslandReach * static_cast<float>(std::max(mask.width, mask.height)) / kIslandCell, 1.0F)),
      blocks_{UniformBlock<Reach>(gl), UniformBlock<Reach>(gl)} {
  for (GlTexture& texture : cells_) texture = make_texture(gl, GL_RGBA16F, cells_x_, cells_y_);
  kept_ = make_texture(gl, GL_RGBA8, mask.width, mask.height);
  linear_ = make_sampler(gl, GL_LINEAR);
}

TextureRef IslandRemover::run() {
  Pass pass(*gl_);
  pass.read(0, mask_.id);
  pass.write(0, cells_[0].id(), GL_RGBA16F);
  pass.dispatch(programs_[0]->id(), groups_across(cells_x_), groups_across(cells_y_));
  for (size_t axis = 0; axis < 2; ++axis) {
    pass.read(0, cells_[axis].id());
    pass.uniforms(kParamsBinding, blocks_[axis], {{axis == 0 ? 1.0F : 0.0F, axis == 0 ? 0.0F : 1.0F, reach_}});
    pass.write(0, cells_[1 - axis].id(), GL_RGBA16F);
    pass.dispatch(programs_[1]->id(), groups_across(cells_x_), groups_across(cells_y_));
  }
  pass.read(kIslandCellsUnit, cells_[0].id(), linear_.id());
  pass.read(0, mask_.id);
  pass.write(0, kept_.id(), GL_RGBA8);
  pass.dispatch(programs_[2]->id(), groups_across(mask_.width), groups_across(mask_.height));
  return {kept_.id(), GL_TEXTURE_2D, mask_.width, mask_.height};
}

}  // namespace sightglass
