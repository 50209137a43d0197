// Puts back the fixed-function state that drawing changes: other code in the same context may count on its own.
#pragma once

#include <array>

#include "gpu_engine/gl_api.h"

namespace sightglass {

// Saves what is listed here and sets it for opaque drawing without a depth test; restores it at the end of its life.
// `gl` must outlive it.
class DrawStateGuard {
 public:
  explicit DrawStateGuard(const GlApi& gl);
  ~DrawStateGuard();
  DrawStateGuard(const DrawStateGuard&) = delete;
  DrawStateGuard& operator=(const DrawStateGuard&) = delete;

 private:
  static constexpr std::array<GLenum, 7> kOff = {
      GL_BLEND,        GL_CULL_FACE,    GL_DEPTH_TEST,        GL_POLYGON_OFFSET_FILL,
      GL_SCISSOR_TEST, GL_STENCIL_TEST, GL_RASTERIZER_DISCARD};
  const GlApi& gl_;
  std::array<GLboolean, kOff.size()> enabled_{};
  std::array<GLint, 4> viewport_{}, blend_{}, color_mask_{};
  std::array<GLint, 2> equations_{};
  GLint depth_function_ = 0, depth_mask_ = 0, renderbuffer_ = 0;
};

}  // namespace sightglass
