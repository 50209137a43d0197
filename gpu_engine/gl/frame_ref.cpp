#include "sightglass/frame_ref.h"

#include <algorithm>
#include <cmath>

namespace sightglass {

namespace {

GLenum target_of(FrameKind kind) { return kind == FrameKind::kExternal ? GL_TEXTURE_EXTERNAL_OES : GL_TEXTURE_2D; }

// Last plane first, so that unit 0 stays active.
template <typename F>
void for_each_unit(const GlApi& gl, FrameKind kind, F bind) {
  for (size_t i = static_cast<size_t>(planes_of(kind)); i-- > 0;) {
    gl.ActiveTexture(GL_TEXTURE0 + kFrameUnits[i]);
    bind(i);
  }
}

// Centers of the outermost samples within the given borders: each half a sample inside. `size` is that of the plane, 0
// if unknown.
std::array<float, 4> outermost(const std::array<float, 4>& borders, const std::array<int32_t, 2>& size) {
  std::array<float, 4> centers = borders;
  for (size_t axis = 0; axis < 2; ++axis) {
    const float middle = 0.5F * (borders[axis] + borders[axis + 2]);
    const float half = size[axis] > 0 ? 0.5F / static_cast<float>(size[axis]) : 0;
    centers[axis] = std::min(borders[axis] + half, middle);
    centers[axis + 2] = std::max(borders[axis + 2] - half, middle);
  }
  return centers;
}

// Borders of the chroma samples that cover at least one visible pixel.
std::array<float, 4> visible_chroma(const FrameRef& frame) {
  std::array<float, 4> borders{0, 0, 1, 1};
  constexpr float kRounding = 1e-3F;
  for (size_t axis = 0; axis < 2; ++axis) {
    const auto samples = static_cast<float>(frame.chroma_size[axis]);
    if (samples <= 0) continue;
    const float scale = frame.chroma[axis] * samples;
    borders[axis] = std::floor(frame.visible[axis] * scale + kRounding) / samples;
    borders[axis + 2] = std::ceil(frame.visible[axis + 2] * scale - kRounding) / samples;
  }
  return borders;
}

}  // namespace

FrameBlock frame_block(const FrameRef& frame, const InputTransform& reader_to_frame) {
  const auto& m = reader_to_frame.m;
  return {{m[0], m[1], m[2], 0, m[3], m[4], m[5], 0},
          frame.visible,
          outermost(frame.visible, {frame.width, frame.height}),
          outermost(visible_chroma(frame), frame.chroma_size),
          frame.chroma,
          frame.to_rgb.m};
}

void bind_frame(const GlApi& gl, const FrameRef& frame, GLuint first, GLuint others) {
  for_each_unit(gl, frame.kind, [&](size_t i) {
    gl.BindTexture(target_of(frame.kind), frame.textures[i]);
    gl.BindSampler(kFrameUnits[i], i == 0 ? first : others);
  });
}

void unbind_frame(const GlApi& gl, FrameKind kind) {
  for_each_unit(gl, kind, [&](size_t i) {
    gl.BindTexture(target_of(kind), 0);
    gl.BindSampler(kFrameUnits[i], 0);
  });
}

}  // namespace sightglass
