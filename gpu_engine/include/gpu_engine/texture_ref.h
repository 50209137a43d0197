// A GL texture that somebody else owns: the only currency at the engine's border.
#pragma once

#include <GLES3/gl31.h>

#include <cstdint>

namespace sightglass {

// The engine reads it with sampler objects of its own: the texture's parameters are neither used nor changed.
struct TextureRef {
  GLuint id = 0;
  GLenum target = GL_TEXTURE_2D;
  int32_t width = 0, height = 0;  // pixels
};

}  // namespace sightglass
