// The names of classes as a texture, for shaders that label what they have found (shaders/draw/labels.glsl).
#pragma once

#include <span>
#include <string>

#include "gpu_engine/gl_objects.h"
#include "gpu_engine/status.h"

namespace sightglass {

// Destruction needs the context current.
class LabelTable {
 public:
  static constexpr int kMostCharacters = 24;  // of a label; longer ones end with ".."
  // Uploads `labels` (UTF-8), by number of the class. Fails where there are more than the device's textures can hold,
  // hundreds of thousands. The context must be current; leaves the 2D binding of the active unit at 0.
  static Result<LabelTable> create(const GlApi& gl, std::span<const std::string> labels);

  // R8UI, for a usampler2D. Not to be filtered: bind it with a sampler of GL_NEAREST.
  GLuint texture() const { return texture_.id(); }

 private:
  explicit LabelTable(GlTexture texture) : texture_(std::move(texture)) {}
  GlTexture texture_;
};

}  // namespace sightglass
