// A sequence of compute dispatches. What they read and write is stated once: it is bound, and unbound at the end.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "gl/uniform_block.h"
#include "sightglass/frame_ref.h"
#include "sightglass/session.h"

namespace sightglass {

// The context must be current. Nothing is expected of its bindings: other elements of a pipeline share it. The
// destructor clears those that the pass has set, and leaves texture unit 0 active and no program in use. Bindings stay
// for the following dispatches, and those that the pass has set already cost no call.
class Pass {
 public:
  // `gl` must outlive the pass.
  explicit Pass(const GlApi& gl) : gl_(gl) {}
  ~Pass();
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;

  // Binds a 2D texture and a sampler to a texture unit.
  void read(GLuint unit, GLuint texture, GLuint sampler = 0);
  // Binds the planes of a frame to the units in frame_ref.h.
  void read(const FrameRef& frame, GLuint sampler);
  // Binds a texture to an image unit.
  void write(GLuint unit, GLuint texture, GLenum format);
  // Binds a part of a buffer, which shaders read and write, to a storage block.
  void storage(GLuint block, const BufferRange& range);
  // Binds a uniform block with its content.
  template <typename Content>
  void uniforms(GLuint binding, UniformBlock<Content>& block, const Content& content) {
    block.bind(binding, content);
    uniforms_.at(binding) = true;
  }

  // Runs work groups of the program. Following dispatches, and draws that sample the textures, see what it has written.
  void dispatch(GLuint program, GLuint groups_x, GLuint groups_y = 1);

 private:
  void activate(GLuint unit);

  struct Texture {
    GLuint texture = 0, sampler = 0;
  };
  static constexpr size_t kTextures = 16, kImages = 4, kBlocks = 8;

  const GlApi& gl_;
  GLuint program_ = 0;
  std::optional<GLuint> active_;  // texture unit
  std::array<std::optional<Texture>, kTextures> textures_;
  std::array<GLuint, kImages> images_{};
  std::array<bool, kBlocks> storage_{}, uniforms_{};
  std::optional<FrameKind> frame_;
};

}  // namespace sightglass
