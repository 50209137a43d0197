// Restore the state that the engine and the elements change: other code in the same context may rely on its own.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "sightglass/frame_ref.h"
#include "sightglass/gl_api.h"

namespace sightglass {

// Restores bindings that the engine and the compositor change: other code in the same context may rely on them.
// Saves the 2D textures and samplers of texture units. The destructor restores those that were not zero, the value that
// the code in between leaves. `gl` must outlive the guard.
class TextureUnitGuard {
 public:
  explicit TextureUnitGuard(const GlApi& gl) : gl_(gl) {}
  ~TextureUnitGuard();
  TextureUnitGuard(const TextureUnitGuard&) = delete;
  TextureUnitGuard& operator=(const TextureUnitGuard&) = delete;

  // Saves one of at most six units, and leaves it active.
  void save(GLuint unit);

 private:
  struct Unit {
    GLuint number = 0;
    GLint texture = 0, sampler = 0;
  };
  const GlApi& gl_;
  std::array<Unit, 6> units_;
  size_t count_ = 0;
};

// Saves the program, vertex array, framebuffers and texture units that engine and compositor use for frames of one
// kind. The destructor restores those that were not zero, the value that engine and compositor leave. `gl` must outlive
// the guard.
class GlStateGuard {
 public:
  explicit GlStateGuard(const GlApi& gl, FrameKind frame = FrameKind::kRgba);
  ~GlStateGuard();
  GlStateGuard(const GlStateGuard&) = delete;
  GlStateGuard& operator=(const GlStateGuard&) = delete;

 private:
  const GlApi& gl_;
  GLint program_ = 0, vertex_array_ = 0, draw_framebuffer_ = 0, read_framebuffer_ = 0, active_texture_ = 0;
  GLint external_texture_ = 0;
  std::optional<TextureUnitGuard> units_;  // optional because other state is restored after them
};

// Restores the fixed-function state that drawing changes: other code in the same context may rely on its own state.
// Sets the state for opaque drawing over a whole image: no blending, tests or masks. The destructor restores it and the
// viewport. Code that enables any of this state in between must disable it again. `gl` must outlive the guard.
class OpaqueStateGuard {
 public:
  static constexpr std::array<GLenum, 7> kOff = {
      GL_BLEND,        GL_CULL_FACE,    GL_DEPTH_TEST,        GL_POLYGON_OFFSET_FILL,
      GL_SCISSOR_TEST, GL_STENCIL_TEST, GL_RASTERIZER_DISCARD};

  explicit OpaqueStateGuard(const GlApi& gl);
  ~OpaqueStateGuard();
  OpaqueStateGuard(const OpaqueStateGuard&) = delete;
  OpaqueStateGuard& operator=(const OpaqueStateGuard&) = delete;

 private:
  const GlApi& gl_;
  std::array<GLboolean, kOff.size()> enabled_{};
  std::array<GLint, 4> viewport_{}, color_mask_{};
};

// The same for drawing that blends and tests: also saves those functions and sets them to defaults. The destructor
// disables whatever is enabled by then.
class DrawStateGuard {
 public:
  explicit DrawStateGuard(const GlApi& gl);
  ~DrawStateGuard();
  DrawStateGuard(const DrawStateGuard&) = delete;
  DrawStateGuard& operator=(const DrawStateGuard&) = delete;

 private:
  const GlApi& gl_;
  const OpaqueStateGuard opaque_;
  std::array<GLint, 4> blend_{};
  std::array<GLint, 2> equations_{};
  GLint depth_function_ = 0, depth_mask_ = 0, renderbuffer_ = 0;
};

}  // namespace sightglass
