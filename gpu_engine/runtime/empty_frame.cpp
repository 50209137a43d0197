#include "sightglass/empty_frame.h"

#include <cstddef>

namespace sightglass {

EmptyFrame::EmptyFrame(const GlApi& gl, FrameKind kind, int32_t width, int32_t height) {
  const int32_t chroma_width = (width + 1) / 2, chroma_height = (height + 1) / 2;
  switch (kind) {
    case FrameKind::kRgba:
      textures_[0] = make_texture(gl, GL_RGBA8, width, height);
      break;
    case FrameKind::kExternal: {
      GLuint id = 0;
      gl.GenTextures(1, &id);
      textures_[0] = {gl, id};
      break;
    }
    case FrameKind::kTwoPlanes:
      textures_[0] = make_texture(gl, GL_R8, width, height);
      textures_[1] = make_texture(gl, GL_RG8, chroma_width, chroma_height);
      break;
    case FrameKind::kThreePlanes:
      textures_[0] = make_texture(gl, GL_R8, width, height);
      textures_[1] = make_texture(gl, GL_R8, chroma_width, chroma_height);
      textures_[2] = make_texture(gl, GL_R8, chroma_width, chroma_height);
      break;
  }
  ref_.kind = kind;
  for (size_t i = 0; i < textures_.size(); ++i) ref_.textures[i] = textures_[i].id();
  ref_.width = width;
  ref_.height = height;
  ref_.chroma_size = {chroma_width, chroma_height};
}

}  // namespace sightglass
