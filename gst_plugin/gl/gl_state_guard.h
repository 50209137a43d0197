// Restores bindings that the engine and the compositor change: other code in the same context may rely on them.
#pragma once

#include <array>

#include "gpu_engine/frame_ref.h"

namespace sightglass {

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
  static constexpr size_t kUnits = 6;
  const GlApi& gl_;
  FrameKind frame_;
  GLint program_ = 0, vertex_array_ = 0, draw_framebuffer_ = 0, read_framebuffer_ = 0, active_texture_ = 0;
  GLint external_texture_ = 0;
  std::array<GLint, kUnits> textures_{}, samplers_{};
};

}  // namespace sightglass
