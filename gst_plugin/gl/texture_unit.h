// Binds textures to a texture unit of the current context.
#pragma once

#include "sightglass/gl_api.h"

namespace sightglass {

// Binds a 2D texture and a sampler to the unit; 0 and 0 unbind. Leaves the unit active.
void bind_texture(const GlApi& gl, GLuint unit, GLuint texture, GLuint sampler);

}  // namespace sightglass
