#include "gl/texture_unit.h"

namespace sightglass {

void bind_texture(const GlApi& gl, GLuint unit, GLuint texture, GLuint sampler) {
  gl.ActiveTexture(GL_TEXTURE0 + unit);
  gl.BindTexture(GL_TEXTURE_2D, texture);
  gl.BindSampler(unit, sampler);
}

}  // namespace sightglass
