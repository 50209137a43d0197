// Restores the fixed-function state that drawing changes: other code in the same context may rely on its own state.
#pragma once

#include <array>

#include "sightglass/gl_api.h"

namespace sightglass {

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
