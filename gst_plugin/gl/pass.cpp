#include "gl/pass.h"

#include <array>
#include <string>

#include "gpu_engine/build_programs.h"

namespace sightglass {

Pass::~Pass() {
  for (GLuint unit = 0; unit < kImages; ++unit) {
    if (images_[unit].texture != 0) gl_.BindImageTexture(unit, 0, 0, GL_FALSE, 0, GL_READ_ONLY, GL_R32UI);
  }
  if (external_ != 0) {
    activate(kFirstFrameUnit);
    gl_.BindTexture(GL_TEXTURE_EXTERNAL_OES, 0);
  }
  for (GLuint unit = kTextures; unit-- > 0;) {
    if (textures_[unit]) read(unit, 0, 0);
  }
  if (active_) activate(0);
  for (GLuint block = 0; block < kBlocks; ++block) {
    if (storage_[block]) gl_.BindBufferBase(GL_SHADER_STORAGE_BUFFER, block, 0);
    if (uniforms_[block]) gl_.BindBufferBase(GL_UNIFORM_BUFFER, block, 0);
  }
  for (GLuint binding = 0; binding < kVertices; ++binding) {
    if (strides_[binding] != 0) gl_.BindVertexBuffer(binding, 0, 0, strides_[binding]);
  }
  if (vertex_array_ != 0) gl_.BindVertexArray(0);
  into(0);
  gl_.UseProgram(0);
}

void Pass::keep(GLuint unit) {
  if (!kept_) kept_.emplace(gl_);
  kept_->save(unit);
  active_ = unit;
}

void Pass::activate(GLuint unit) {
  if (active_ == unit) return;
  gl_.ActiveTexture(GL_TEXTURE0 + unit);
  active_ = unit;
}

void Pass::use(GLuint program) {
  if (program_ == program) return;
  gl_.UseProgram(program);
  program_ = program;
}

void Pass::use(GLuint program, GLuint vertex_array) {
  use(program);
  if (vertex_array_ != vertex_array) gl_.BindVertexArray(vertex_array);
  vertex_array_ = vertex_array;
}

void Pass::read(GLuint unit, GLuint texture, GLuint sampler) {
  std::optional<Texture>& bound = textures_.at(unit);
  if (!bound || bound->texture != texture) {
    activate(unit);
    gl_.BindTexture(GL_TEXTURE_2D, texture);
  }
  if (!bound || bound->sampler != sampler) gl_.BindSampler(unit, sampler);
  bound = {texture, sampler};
}

void Pass::read(const FrameRef& frame, GLuint first, GLuint others) {
  if (frame.kind != FrameKind::kExternal) {
    for (auto i = static_cast<size_t>(planes_of(frame.kind)); i-- > 0;) {
      read(kFrameUnits[i], frame.textures[i], i == 0 ? first : others);
    }
    return;
  }
  // Such a texture has a binding of its own in the unit, and shares the sampler.
  read(kFirstFrameUnit, 0, first);
  if (external_ == frame.textures[0]) return;
  activate(kFirstFrameUnit);
  gl_.BindTexture(GL_TEXTURE_EXTERNAL_OES, frame.textures[0]);
  external_ = frame.textures[0];
}

void Pass::bind_image(GLuint unit, GLuint texture, GLenum format, GLenum access) {
  Image& bound = images_.at(unit);
  if (bound.texture == texture && bound.access == access) return;
  gl_.BindImageTexture(unit, texture, 0, GL_FALSE, 0, access, format);
  bound = {texture, access};
}

void Pass::storage(GLuint block, const BufferRange& range) {
  gl_.BindBufferRange(GL_SHADER_STORAGE_BUFFER, block, range.buffer, range.offset, range.size);
  storage_.at(block) = true;
}

void Pass::storage(std::initializer_list<BufferRange> ranges) {
  GLuint block = 0;
  for (const BufferRange& range : ranges) storage(block++, range);
}

void Pass::uniforms(GLuint binding, const BufferRange& range) {
  gl_.BindBufferRange(GL_UNIFORM_BUFFER, binding, range.buffer, range.offset, range.size);
  uniforms_.at(binding) = true;
}

void Pass::vertices(GLuint binding, GLuint buffer, GLintptr offset, GLsizei stride) {
  gl_.BindVertexBuffer(binding, buffer, offset, stride);
  strides_.at(binding) = stride;
}

void Pass::upload(GLuint buffer, GLsizeiptr size, const void* data) {
  gl_.BindBuffer(GL_UNIFORM_BUFFER, buffer);
  gl_.BufferData(GL_UNIFORM_BUFFER, size, data, GL_STREAM_DRAW);
}

void Pass::into(GLuint framebuffer) {
  if (source_ == framebuffer && target_ == framebuffer) return;
  gl_.BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  source_ = target_ = framebuffer;
}

void Pass::blit(GLuint from, GLuint to, int32_t width, int32_t height) {
  if (source_ != from) gl_.BindFramebuffer(GL_READ_FRAMEBUFFER, from);
  if (target_ != to) gl_.BindFramebuffer(GL_DRAW_FRAMEBUFFER, to);
  source_ = from;
  target_ = to;
  gl_.BlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
}

void Pass::dispatch(GLuint program, GLuint groups_x, GLuint groups_y) {
  use(program);
  const auto alone = CompileScope::use_alone(program);
  gl_.DispatchCompute(groups_x, groups_y, 1);
  show_written();
}

void Pass::dispatch_indirect(GLuint program, GLuint buffer, GLintptr offset) {
  use(program);
  const auto alone = CompileScope::use_alone(program);
  gl_.MemoryBarrier(GL_COMMAND_BARRIER_BIT);
  gl_.BindBuffer(GL_DISPATCH_INDIRECT_BUFFER, buffer);
  gl_.DispatchComputeIndirect(offset);
  gl_.BindBuffer(GL_DISPATCH_INDIRECT_BUFFER, 0);
  show_written();
}

void Pass::show_written() {
  GLbitfield written = 0;
  for (const Image& image : images_) {
    if (image.texture != 0 && image.access != GL_READ_ONLY) {
      written |= GL_TEXTURE_FETCH_BARRIER_BIT | GL_SHADER_IMAGE_ACCESS_BARRIER_BIT;
    }
  }
  for (const bool block : storage_) {
    if (block) written |= GL_SHADER_STORAGE_BARRIER_BIT | GL_UNIFORM_BARRIER_BIT;
  }
  gl_.MemoryBarrier(written);
}

void Pass::draw(GLuint program, GLuint vertex_array, GLsizei vertices) {
  use(program, vertex_array);
  const auto alone = CompileScope::use_alone(program);
  gl_.DrawArrays(GL_TRIANGLES, 0, vertices);
}

namespace {
constexpr std::array<GLenum, 2> kAttachments{GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
}

DrawTarget::DrawTarget(const GlApi& gl) : gl_(&gl) {
  GLuint id = 0;
  gl.GenFramebuffers(1, &id);
  framebuffer_ = {gl, id};
}

Status DrawTarget::fill_black(GLuint picture) {
  constexpr std::array<GLfloat, 4> kBlack{0, 0, 0, 1};
  const TextureRef texture{picture, GL_TEXTURE_2D, 1, 1};  // clearing ignores the viewport
  Pass pass(*gl_);
  return draw(pass, {&texture, 1}, "the frame", [&] { gl_->ClearBufferfv(GL_COLOR, 0, kBlack.data()); });
}

Status DrawTarget::attach(Pass& pass, std::span<const TextureRef> pictures, const char* what) {
  const GlApi& gl = *gl_;
  pass.into(framebuffer_.id());
  for (size_t i = 0; i < pictures.size(); ++i) {
    gl.FramebufferTexture2D(GL_FRAMEBUFFER, kAttachments[i], GL_TEXTURE_2D, pictures[i].id, 0);
  }
  if (drawn_buffers_ != pictures.size()) {
    drawn_buffers_ = pictures.size();
    gl.DrawBuffers(static_cast<GLsizei>(drawn_buffers_), kAttachments.data());
  }
  return check_framebuffer(gl, what);
}

void DrawTarget::detach(size_t count) {
  for (size_t i = 0; i < count; ++i) {
    gl_->FramebufferTexture2D(GL_FRAMEBUFFER, kAttachments[i], GL_TEXTURE_2D, 0, 0);
  }
}

}  // namespace sightglass
