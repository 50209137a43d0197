#include "meta/mask_writer.h"

#include <utility>
#include <vector>

#include "gl/gl_state_guard.h"
#include "gl/shaders.h"
#include "gl/texture_unit.h"
#include "meta/shaders.h"

namespace sightglass {

Result<MaskWriter> MaskWriter::create(const std::shared_ptr<ShareGroup>& group) {
  const ProgramKey keys[] = {{kFullscreenShader, kWriteMaskShader}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  MaskWriter writer(group, std::move(programs[0]));
  SIGHTGLASS_RETURN_IF_ERROR(writer.warm_up());
  return writer;
}

MaskWriter::MaskWriter(std::shared_ptr<ShareGroup> group, SharedProgram program)
    : group_(std::move(group)), gl_(&group_->gl()), program_(std::move(program)), block_(*gl_), target_(*gl_) {
  GLuint id = 0;
  gl_->GenVertexArrays(1, &id);
  vertex_array_ = {*gl_, id};
  sampler_ = make_sampler(*gl_, GL_NEAREST);
}

Status MaskWriter::warm_up() {
  clear_gl_errors(*gl_);
  const GlTexture mask = make_texture(*gl_, GL_RGBA8, 1, 1);
  const GlTexture probabilities = make_texture(*gl_, GL_R8, 1, 1), regions = make_texture(*gl_, GL_R8, 1, 1);
  SIGHTGLASS_RETURN_IF_ERROR(write({mask.id(), GL_TEXTURE_2D, 1, 1}, 0.5F, probabilities.id(), regions.id()));
  return check_gl(*gl_, "drawing a mask for the first time");
}

Status MaskWriter::write(const TextureRef& mask, float threshold, GLuint probabilities, GLuint regions) {
  const GlApi& gl = *gl_;
  const GlStateGuard guard(gl);
  const TextureRef textures[] = {{probabilities, GL_TEXTURE_2D, mask.width, mask.height},
                                 {regions, GL_TEXTURE_2D, mask.width, mask.height}};
  const Status drawn = target_.draw({textures, regions != 0 ? 2U : 1U}, "the mask texture", [&] {
    gl.UseProgram(program_->id());
    block_.bind(kRegionsBinding, {threshold});
    bind_texture(gl, kProbabilityUnit, mask.id, sampler_.id());
    gl.BindVertexArray(vertex_array_.id());
    gl.DrawArrays(GL_TRIANGLES, 0, 3);
  });
  gl.BindVertexArray(0);
  gl.UseProgram(0);
  bind_texture(gl, kProbabilityUnit, 0, 0);
  gl.ActiveTexture(GL_TEXTURE0);
  gl.BindBufferBase(GL_UNIFORM_BUFFER, kRegionsBinding, 0);
  return drawn;
}

}  // namespace sightglass
