// Puts back the fixed-function state that drawing changes: other code in the same context may count on its own.
#pragma once

#include <array>

#include "gpu_engine/gl_api.h"

namespace sightglass {

// Sets what opaque drawing over all of a picture needs: no blending, test or mask. Restores it, and the viewport, at
// the end of its life; whoever turns any of it on meanwhile turns it off again. `gl` must outlive it.
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

// The same for drawing that blends and tests: saves the functions for that as well, sets them to what is usual, and
// turns off what is on at the end of its life.
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
