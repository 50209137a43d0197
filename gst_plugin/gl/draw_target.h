// Textures that are drawn into: a framebuffer that has them for one drawing at a time.
#pragma once

#include <cstddef>
#include <span>

#include "gl/draw_state_guard.h"
#include "gpu_engine/gl_objects.h"
#include "gpu_engine/status.h"
#include "gpu_engine/texture_ref.h"

namespace sightglass {

// All calls, the destructor included, need the context current.
class DrawTarget {
 public:
  explicit DrawTarget(const GlApi& gl);

  // Calls draw() while `pictures`, 2D textures of one size, are colour attachments in their order, covered by the
  // viewport, and blending, tests and masks are off (OpaqueStateGuard). No framebuffer is bound afterwards, and no
  // reference to a texture stays behind, which may be a pool's. Where the driver cannot draw into
  // them, draw() is not called, and the error begins with `what` they are.
  template <typename F>
  Status draw(std::span<const TextureRef> pictures, const char* what, F&& draw) {
    const OpaqueStateGuard state(*gl_);
    Status attached = attach(pictures, what);
    if (attached.ok()) draw();
    detach(pictures.size());
    return attached;
  }
  // Opaque black all over a texture, which can be drawn into.
  Status fill_black(GLuint picture);

 private:
  Status attach(std::span<const TextureRef> pictures, const char* what);
  void detach(size_t count);

  const GlApi* gl_;
  GlFramebuffer framebuffer_;
  size_t drawn_buffers_ = 1;  // as framebuffers begin
};

}  // namespace sightglass
