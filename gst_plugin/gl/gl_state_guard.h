// Restores bindings that the engine and the compositor change: other code in the same context may rely on them.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "sightglass/frame_ref.h"

namespace sightglass {

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

}  // namespace sightglass
