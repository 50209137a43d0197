#include "render/external_copy.h"

#include <string>
#include <utility>
#include <vector>

#include "render/shaders.h"

namespace sightglass {

bool ExternalCopy::is_needed(const DeviceInfo& device, FrameKind kind) {
  return kind == FrameKind::kExternal && device.limits.external_textures &&
         device.version.find("Mesa") != std::string::npos;
}

Result<ExternalCopy> ExternalCopy::create(const std::shared_ptr<ShareGroup>& group) {
  const ProgramKey keys[] = {{kFullscreenShader, copy_shader(FrameKind::kExternal)}};
  SG_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  const GlApi& gl = group->gl();
  ExternalCopy result(gl, std::move(programs[0]));
  clear_gl_errors(gl);
  // A unit without a texture reads as black.
  FrameRef nothing;
  nothing.kind = FrameKind::kExternal;
  nothing.width = nothing.height = 1;
  const Result<FrameRef> first = result.copy(nothing);
  if (!first.ok()) return first.status();
  SG_RETURN_IF_ERROR(check_gl(gl, "copying a frame for the first time"));
  return result;
}

ExternalCopy::ExternalCopy(const GlApi& gl, SharedProgram program)
    : gl_(&gl), program_(std::move(program)), block_(gl), sampler_(make_sampler(gl, GL_NEAREST)) {
  GLuint id = 0;
  gl.GenVertexArrays(1, &id);
  vertex_array_ = {gl, id};
  gl.GenFramebuffers(1, &id);
  framebuffer_ = {gl, id};
}

Result<FrameRef> ExternalCopy::copy(const FrameRef& external) {
  const GlApi& gl = *gl_;
  if (external.width != width_ || external.height != height_) {
    clear_gl_errors(gl);
    texture_ = make_texture(gl, GL_RGBA8, external.width, external.height);
    SG_RETURN_IF_ERROR(check_gl(gl, "allocating the copy of an external texture"));
    width_ = external.width;
    height_ = external.height;
  }
  std::array<GLint, 4> viewport{};
  gl.GetIntegerv(GL_VIEWPORT, viewport.data());
  gl.BindFramebuffer(GL_FRAMEBUFFER, framebuffer_.id());
  gl.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture_.id(), 0);
  gl.Viewport(0, 0, width_, height_);
  gl.UseProgram(program_->id());
  block_.bind(kFrameBinding, frame_block(external, {}));
  bind_frame(gl, external, sampler_.id(), sampler_.id());
  gl.BindVertexArray(vertex_array_.id());
  gl.DrawArrays(GL_TRIANGLES, 0, 3);

  gl.BindVertexArray(0);
  gl.UseProgram(0);
  unbind_frame(gl, FrameKind::kExternal);
  gl.BindBufferBase(GL_UNIFORM_BUFFER, kFrameBinding, 0);
  gl.BindFramebuffer(GL_FRAMEBUFFER, 0);
  gl.Viewport(viewport[0], viewport[1], viewport[2], viewport[3]);
  FrameRef copy(TextureRef{texture_.id(), GL_TEXTURE_2D, width_, height_});
  copy.visible = external.visible;
  return copy;
}

Result<FrameReader> FrameReader::create(const std::shared_ptr<ShareGroup>& group, const DeviceInfo& device,
                                        FrameKind kind) {
  FrameReader reader;
  if (planned_kind(device, kind) == kind) return reader;
  SG_ASSIGN_OR_RETURN(ExternalCopy copy, ExternalCopy::create(group));
  reader.copy_.emplace(std::move(copy));
  return reader;
}

Result<FrameRef> FrameReader::readable(const FrameRef& frame) {
  if (!copy_) return frame;
  return copy_->copy(frame);
}

}  // namespace sightglass
