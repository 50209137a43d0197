// Makes and fills GL objects, in addition to sightglass/gl_objects.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

#include "sightglass/gl_objects.h"
#include "sightglass/session.h"
#include "sightglass/status.h"

namespace sightglass {

// Binds a buffer to a target that is not indexed. The destructor restores what other code had there.
class BufferBinding {
 public:
  BufferBinding(const GlApi& gl, GLenum target, GLuint buffer);
  ~BufferBinding() { gl_.BindBuffer(target_, static_cast<GLuint>(before_)); }
  BufferBinding(const BufferBinding&) = delete;
  BufferBinding& operator=(const BufferBinding&) = delete;

 private:
  const GlApi& gl_;
  GLenum target_;
  GLint before_ = 0;
};

// A buffer of `size` bytes filled with `data`, or undefined if that is null. `usage` is that of glBufferData.
GlBuffer make_buffer(const GlApi& gl, GLsizeiptr size, const void* data, GLenum usage);
// The same for shaders that read and write it.
inline GlBuffer make_storage(const GlApi& gl, GLsizeiptr size, const void* data = nullptr) {
  return make_buffer(gl, size, data, GL_DYNAMIC_COPY);
}
// Copies a range to another buffer, at `offset`. The caller makes writes of shaders visible.
void copy_buffer(const GlApi& gl, const BufferRange& from, GLuint to, GLintptr offset = 0);

// A vertex array without attributes, as desktop GL requires for every draw, and one with indices.
GlVertexArray make_vertex_array(const GlApi& gl);
GlVertexArray make_vertex_array(const GlApi& gl, const GlBuffer& indices);

// Replaces all pixels of a texture by bytes of that format (GL_RGBA, GL_RED). Leaves the active unit without one.
void fill_texture(const GlApi& gl, const TextureRef& texture, GLenum format, const void* data);

// Multisampled storage. Restores the renderbuffer binding.
GlRenderbuffer make_renderbuffer(const GlApi& gl, GLint samples, GLenum format, int32_t width, int32_t height);

struct ColorAttachment {
  GLuint texture = 0, renderbuffer = 0;  // one of them
};
// A framebuffer whose draws go to the color attachments in this order. Attaches `depth`, a renderbuffer, unless it is
// 0. The error calls what cannot be drawn into `what`. Leaves no framebuffer bound.
Result<GlFramebuffer> make_framebuffer(const GlApi& gl, const char* what, std::initializer_list<ColorAttachment> colors,
                                       GLuint depth = 0);

// A uniform block in its own buffer, uploaded only when its content changes. Other threads may use the same programs,
// so state that differs between elements cannot be in them.
// `Content` has the std140 layout of the block and is comparable.
template <typename Content>
class UniformBlock {
 public:
  explicit UniformBlock(const GlApi& gl)
      : gl_(&gl), buffer_(make_buffer(gl, sizeof(Content), nullptr, GL_DYNAMIC_DRAW)) {}

  // Binds the block to `binding`, with `content`.
  void bind(GLuint binding, const Content& content) {
    gl_->BindBufferBase(GL_UNIFORM_BUFFER, binding, buffer_.id());  // also binds the buffer to the target
    if (content_ == content) return;
    gl_->BufferSubData(GL_UNIFORM_BUFFER, 0, sizeof(Content), &content);
    content_ = content;
  }

 private:
  const GlApi* gl_;
  GlBuffer buffer_;
  std::optional<Content> content_;
};

// One block per item of a list that every frame repeats, so that none of them changes.
template <typename Content>
std::vector<UniformBlock<Content>> make_blocks(const GlApi& gl, int32_t count) {
  std::vector<UniformBlock<Content>> blocks;
  blocks.reserve(static_cast<size_t>(count));
  for (int32_t i = 0; i < count; ++i) blocks.emplace_back(gl);
  return blocks;
}

}  // namespace sightglass
