#include "gl/objects.h"

#include <array>
#include <string>

namespace sightglass {

namespace {

GLenum query_of(GLenum target) {
  switch (target) {
    case GL_ARRAY_BUFFER:
      return GL_ARRAY_BUFFER_BINDING;
    case GL_UNIFORM_BUFFER:
      return GL_UNIFORM_BUFFER_BINDING;
    default:  // GL_COPY_READ_BUFFER and GL_COPY_WRITE_BUFFER have queries of the same names
      return target;
  }
}

}  // namespace

BufferBinding::BufferBinding(const GlApi& gl, GLenum target, GLuint buffer) : gl_(gl), target_(target) {
  gl.GetIntegerv(query_of(target), &before_);
  gl.BindBuffer(target, buffer);
}

GlBuffer make_buffer(const GlApi& gl, GLsizeiptr size, const void* data, GLenum usage) {
  GLuint id = 0;
  gl.GenBuffers(1, &id);
  GlBuffer buffer(gl, id);
  const BufferBinding bound(gl, GL_COPY_WRITE_BUFFER, id);
  gl.BufferData(GL_COPY_WRITE_BUFFER, size, data, usage);
  return buffer;
}

void copy_buffer(const GlApi& gl, const BufferRange& from, GLuint to, GLintptr offset) {
  const BufferBinding read(gl, GL_COPY_READ_BUFFER, from.buffer), write(gl, GL_COPY_WRITE_BUFFER, to);
  gl.CopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, from.offset, offset, from.size);
}

GlVertexArray make_vertex_array(const GlApi& gl) {
  GLuint id = 0;
  gl.GenVertexArrays(1, &id);
  return {gl, id};
}

GlVertexArray make_vertex_array(const GlApi& gl, const GlBuffer& indices) {
  GlVertexArray array = make_vertex_array(gl);
  gl.BindVertexArray(array.id());
  gl.BindBuffer(GL_ELEMENT_ARRAY_BUFFER, indices.id());
  gl.BindVertexArray(0);
  return array;
}

void fill_texture(const GlApi& gl, const TextureRef& texture, GLenum format, const void* data) {
  gl.BindTexture(GL_TEXTURE_2D, texture.id);
  gl.TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, texture.width, texture.height, format, GL_UNSIGNED_BYTE, data);
  gl.BindTexture(GL_TEXTURE_2D, 0);
}

GlRenderbuffer make_renderbuffer(const GlApi& gl, GLint samples, GLenum format, int32_t width, int32_t height) {
  GLint before = 0;
  gl.GetIntegerv(GL_RENDERBUFFER_BINDING, &before);
  GLuint id = 0;
  gl.GenRenderbuffers(1, &id);
  GlRenderbuffer renderbuffer(gl, id);
  gl.BindRenderbuffer(GL_RENDERBUFFER, id);
  gl.RenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, width, height);
  gl.BindRenderbuffer(GL_RENDERBUFFER, static_cast<GLuint>(before));
  return renderbuffer;
}

Result<GlFramebuffer> make_framebuffer(const GlApi& gl, const char* what, std::initializer_list<ColorAttachment> colors,
                                       GLuint depth) {
  constexpr std::array<GLenum, 2> kAttachments{GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
  GLuint id = 0;
  gl.GenFramebuffers(1, &id);
  GlFramebuffer framebuffer(gl, id);
  gl.BindFramebuffer(GL_FRAMEBUFFER, id);
  size_t i = 0;
  for (const ColorAttachment& color : colors) {
    const GLenum attachment = kAttachments.at(i++);
    if (color.texture != 0) {
      gl.FramebufferTexture2D(GL_FRAMEBUFFER, attachment, GL_TEXTURE_2D, color.texture, 0);
    } else {
      gl.FramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, color.renderbuffer);
    }
  }
  if (depth != 0) gl.FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
  gl.DrawBuffers(static_cast<GLsizei>(colors.size()), kAttachments.data());
  const Status drawable = check_framebuffer(gl, what);
  gl.BindFramebuffer(GL_FRAMEBUFFER, 0);
  SIGHTGLASS_RETURN_IF_ERROR(drawable);
  return framebuffer;
}

}  // namespace sightglass
