// A borrowed GL texture: the only image type at the engine boundary.
#pragma once

#include <GLES3/gl31.h>

#include <cstdint>

namespace sightglass {

// The engine reads it with its own sampler objects: it neither uses nor changes the texture parameters.
struct TextureRef {
  GLuint id = 0;
  GLenum target = GL_TEXTURE_2D;
  int32_t width = 0, height = 0;  // pixels
};

}  // namespace sightglass
