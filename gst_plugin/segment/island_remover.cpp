#include "segment/island_remover.h"

#include <algorithm>

#include "gl/compute.h"
#include "gl/texture_unit.h"
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

void IslandRemover::dispatch(const SharedProgram& program, const GlTexture& target, GLenum format, int32_t width,
                             int32_t height) const {
  gl_->UseProgram(program->id());
  gl_->BindImageTexture(0, target.id(), 0, GL_FALSE, 0, GL_WRITE_ONLY, format);
  gl_->DispatchCompute(groups_across(width), groups_across(height), 1);
  gl_->MemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT | GL_SHADER_IMAGE_ACCESS_BARRIER_BIT);
}

TextureRef IslandRemover::run() {
  bind_texture(*gl_, 0, mask_.id, 0);
  dispatch(programs_[0], cells_[0], GL_RGBA16F, cells_x_, cells_y_);
  for (size_t axis = 0; axis < 2; ++axis) {
    bind_texture(*gl_, 0, cells_[axis].id(), 0);
    blocks_[axis].bind(kParamsBinding, {{axis == 0 ? 1.0F : 0.0F, axis == 0 ? 0.0F : 1.0F, reach_}});
    dispatch(programs_[1], cells_[1 - axis], GL_RGBA16F, cells_x_, cells_y_);
  }
  bind_texture(*gl_, kIslandCellsUnit, cells_[0].id(), linear_.id());
  bind_texture(*gl_, 0, mask_.id, 0);
  dispatch(programs_[2], kept_, GL_RGBA8, mask_.width, mask_.height);
  gl_->BindImageTexture(0, 0, 0, GL_FALSE, 0, GL_READ_ONLY, GL_R32UI);
  bind_texture(*gl_, kIslandCellsUnit, 0, 0);
  bind_texture(*gl_, 0, 0, 0);
  gl_->BindBufferBase(GL_UNIFORM_BUFFER, kParamsBinding, 0);
  gl_->UseProgram(0);
  return {kept_.id(), GL_TEXTURE_2D, mask_.width, mask_.height};
}

}  // namespace sightglass
