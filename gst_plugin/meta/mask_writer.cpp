#include "meta/mask_writer.h"

#include <utility>
#include <vector>

#include "gl/gl_state_guard.h"
#include "gl/objects.h"
#include "gl/pass.h"
#include "gl/shaders.h"
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
  vertex_array_ = make_vertex_array(*gl_);
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
  Pass pass(gl, sampler_.id());
  return target_.draw(pass, {textures, regions != 0 ? 2U : 1U}, "the mask texture", [&] {
    pass.uniforms(kRegionsBinding, block_, {threshold});
    pass.read(kProbabilityUnit, mask.id);
    pass.draw(program_->id(), vertex_array_.id());
  });
}

}  // namespace sightglass
