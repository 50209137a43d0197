// A framebuffer for drawing into textures, which it holds only while drawing.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "gl/draw_state_guard.h"
#include "gl/pass.h"
#include "sightglass/gl_objects.h"
#include "sightglass/status.h"
#include "sightglass/texture_ref.h"

namespace sightglass {

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

}  // namespace sightglass
