// A sequence of dispatches and draws. What they read and write is stated once: it is bound, and unbound at the end.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <utility>

#include "gl/gl_state_guard.h"
#include "gl/objects.h"
#include "sightglass/frame_ref.h"
#include "sightglass/gl_objects.h"
#include "sightglass/session.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"
#include "sightglass/texture_ref.h"

namespace sightglass {

// The context must be current. Nothing is expected of its bindings: other elements of a pipeline share it. The
// destructor clears those that the pass has set, and leaves texture unit 0 active if it has read textures, and no
// program, vertex array or framebuffer bound. Bindings stay for the following dispatches and draws, and those that the
// pass has set already cost no call. Buffers, textures and programs are borrowed until the end of the pass.
class Pass {
 public:
  // `gl` must outlive the pass. `sampler` is that of textures that are read without one of their own; 0: the parameters
  // of the texture.
  explicit Pass(const GlApi& gl, GLuint sampler = 0) : gl_(gl), sampler_(sampler) {}
  ~Pass();
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;

  // At the end, the texture unit gets back the 2D texture and the sampler that it has now. For at most six units, each
  // before the first texture is read in it.
  void keep(GLuint unit);

  // Binds a 2D texture to a texture unit.
  void read(GLuint unit, GLuint texture) { read(unit, texture, sampler_); }
  void read(GLuint unit, GLuint texture, GLuint sampler);
  // Binds the planes of a frame to the units in frame_ref.h: the first one with a sampler of its own.
  void read(const FrameRef& frame) { read(frame, sampler_, sampler_); }
  void read(const FrameRef& frame, GLuint first, GLuint others);
  // Binds a texture to an image unit, for writing, for reading, or for both.
  void write(GLuint unit, GLuint texture, GLenum format) { bind_image(unit, texture, format, GL_WRITE_ONLY); }
  void load(GLuint unit, GLuint texture, GLenum format) { bind_image(unit, texture, format, GL_READ_ONLY); }
  void modify(GLuint unit, GLuint texture, GLenum format) { bind_image(unit, texture, format, GL_READ_WRITE); }
  // Binds a part of a buffer, which shaders read and write, to a storage block; or a list to the blocks 0, 1, and so
  // on.
  void storage(GLuint block, const BufferRange& range);
  void storage(std::initializer_list<BufferRange> ranges);
  // Binds a uniform block with its content, or one whose content is in the buffer.
  template <typename Content>
  void uniforms(GLuint binding, UniformBlock<Content>& block, const Content& content) {
    block.bind(binding, content);
    uniforms_.at(binding) = true;
  }
  void uniforms(GLuint binding, const BufferRange& range);

  // Binds vertices to a binding of the vertex array in use, which has no other one at the end.
  void vertices(GLuint binding, GLuint buffer, GLintptr offset, GLsizei stride);
  // Replaces the content of a buffer by new storage, for uniforms() that follow.
  void upload(GLuint buffer, GLsizeiptr size, const void* data);
  // Binds a framebuffer, to draw into it.
  void into(GLuint framebuffer);
  // Resolves and copies the first color attachment of a framebuffer to that of another one, and leaves both bound.
  void blit(GLuint from, GLuint to, int32_t width, int32_t height);

  // Runs work groups of the program. Following dispatches, and draws that sample the textures or have a written buffer
  // as a uniform block, see what it has written.
  void dispatch(GLuint program, GLuint groups_x = 1, GLuint groups_y = 1);
  // The same with the numbers of groups, three unsigned integers, that an earlier dispatch has written; 0: none.
  void dispatch_indirect(GLuint program, GLuint buffer, GLintptr offset);
  // Draws triangles without attributes in `vertex_array`: one, which covers the viewport, or those of the program.
  void draw(GLuint program, GLuint vertex_array, GLsizei vertices = 3);
  // For draw calls of the caller.
  void use(GLuint program, GLuint vertex_array);

 private:
  void activate(GLuint unit);
  void use(GLuint program);
  void show_written();
  void bind_image(GLuint unit, GLuint texture, GLenum format, GLenum access);

  struct Texture {
    GLuint texture = 0, sampler = 0;
  };
  struct Image {
    GLuint texture = 0;
    GLenum access = GL_READ_ONLY;
  };
  static constexpr size_t kTextures = 16, kImages = 4, kBlocks = 8, kVertices = 1;

  const GlApi& gl_;
  GLuint sampler_;
  std::optional<TextureUnitGuard> kept_;  // restores after the destructor has cleared
  GLuint program_ = 0, vertex_array_ = 0, external_ = 0;
  GLuint source_ = 0, target_ = 0;  // framebuffers
  std::array<GLsizei, kVertices> strides_{};
  std::optional<GLuint> active_;  // texture unit
  std::array<std::optional<Texture>, kTextures> textures_;
  std::array<Image, kImages> images_{};
  std::array<bool, kBlocks> storage_{}, uniforms_{};
};

// A framebuffer for drawing into textures, which it holds only while drawing.

// All calls, including the destructor, need the context current.
class DrawTarget {
 public:
  explicit DrawTarget(const GlApi& gl);

  // Calls draw() while `pictures`, 2D textures of equal size, are the color attachments in this order, the viewport
  // covers them, and blending, tests and masks are off (OpaqueStateGuard). Afterwards, no reference to a texture
  // remains, as it may belong to a pool. If the driver cannot draw into them, draw() is not called, and the error calls
  // them `what`. The framebuffer stays bound until the end of the pass.
  template <typename F>
  Status draw(Pass& pass, std::span<const TextureRef> pictures, const char* what, F&& draw) {
    const OpaqueStateGuard state(*gl_);
    gl_->Viewport(0, 0, pictures[0].width, pictures[0].height);
    return draw_in_state(pass, pictures, what, std::forward<F>(draw));
  }
  // The same in the state and the viewport that the caller has set.
  template <typename F>
  Status draw_in_state(Pass& pass, std::span<const TextureRef> pictures, const char* what, F&& draw) {
    Status attached = attach(pass, pictures, what);
    if (attached.ok()) std::forward<F>(draw)();
    detach(pictures.size());
    return attached;
  }
  // Fills a texture, which must be renderable, with opaque black.
  Status fill_black(GLuint picture);

 private:
  Status attach(Pass& pass, std::span<const TextureRef> pictures, const char* what);
  void detach(size_t count);

  const GlApi* gl_;
  GlFramebuffer framebuffer_;
  size_t drawn_buffers_ = 1;  // the default of new framebuffers
};

// A program that draws into textures, with what each draw needs. `Content` is its uniform block.
// All calls, including the destructor, need the context current.
template <typename Content>
struct Painting {
  Painting(const GlApi& gl, SharedProgram program)
      : program(std::move(program)),
        block(gl),
        vertex_array(make_vertex_array(gl)),
        target(gl),
        linear(make_sampler(gl, GL_LINEAR)) {}

  SharedProgram program;
  UniformBlock<Content> block;
  GlVertexArray vertex_array;
  DrawTarget target;
  GlSampler linear;
};

}  // namespace sightglass
