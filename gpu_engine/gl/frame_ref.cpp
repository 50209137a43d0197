#include "gpu_engine/frame_ref.h"

namespace sightglass {

namespace {

GLenum target_of(FrameKind kind) { return kind == FrameKind::kExternal ? GL_TEXTURE_EXTERNAL_OES : GL_TEXTURE_2D; }

// From the last plane to the first, so that unit 0 is left active.
template <typename F>
void for_each_unit(const GlApi& gl, FrameKind kind, F bind) {
  for (size_t i = static_cast<size_t>(planes_of(kind)); i-- > 0;) {
    gl.ActiveTexture(GL_TEXTURE0 + kFrameUnits[i]);
    bind(i);
  }
}

}  // namespace

FrameBlock frame_block(const FrameRef& frame, const InputTransform& reader_to_frame) {
  const auto& m = reader_to_frame.m;
  return {{m[0], m[1], m[2], 0, m[3], m[4], m[5], 0}, frame.chroma, frame.to_rgb.m};
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
