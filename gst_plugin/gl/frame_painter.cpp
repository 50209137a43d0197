#include "gl/frame_painter.h"

#include <utility>
#include <vector>

#include "gl/objects.h"
#include "gl/pass.h"
#include "gl/shaders.h"

namespace sightglass {

Result<FramePainter> FramePainter::create(const std::shared_ptr<ShareGroup>& group, FrameKind kind) {
  const ProgramKey keys[] = {{kFullscreenShader, copy_shader(kind)}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  const GlApi& gl = group->gl();
  clear_gl_errors(gl);
  FramePainter painter(gl, std::move(programs[0]));
  const GlTexture picture = make_texture(gl, GL_RGBA8, 1, 1);
  // A unit without a texture samples as black.
  FrameRef nothing;
  nothing.kind = kind;
  nothing.width = nothing.height = 1;
  nothing.chroma_size = {1, 1};
  SIGHTGLASS_RETURN_IF_ERROR(painter.draw(nothing, {}, {picture.id(), GL_TEXTURE_2D, 1, 1}));
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(gl, "drawing a frame for the first time"));
  return painter;
}

FramePainter::FramePainter(const GlApi& gl, SharedProgram program)
    : gl_(&gl),
      program_(std::move(program)),
      block_(gl),
      vertex_array_(make_vertex_array(gl)),
      target_(gl),
      sampler_(make_sampler(gl, GL_LINEAR)) {}

Status FramePainter::draw(const FrameRef& frame, const InputTransform& picture_to_frame, const TextureRef& picture) {
  Pass pass(*gl_, sampler_.id());
  return target_.draw(pass, {&picture, 1}, "the frame", [&] {
    pass.uniforms(kFrameBinding, block_, frame_block(frame, picture_to_frame));
    pass.read(frame);
    pass.draw(program_->id(), vertex_array_.id());
  });
}

}  // namespace sightglass
