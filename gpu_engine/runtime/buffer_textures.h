// The arena and the constants as buffer textures, for plans whose steps read through them (shaders/lib/tensor.glsl).
#pragma once

#include <array>

#include "kernel/kernel_interface.h"
#include "plan/plan_data.h"
#include "sightglass/gl_objects.h"

namespace sightglass {

class BufferTextures {
 public:
  // Creates textures over `arena` and `constants` for the element types of the plan; none for a plan that reads storage
  // blocks. The buffers must outlive them.
  void create(const GlApi& gl, const PlanData& plan, GLuint arena, GLuint constants);
  // Binds them to their units for all steps of a run. Any unit may be active afterward.
  void bind(const GlApi& gl) const;
  // Leaves GL_TEXTURE0 active if it was.
  void unbind(const GlApi& gl) const;
  // Releases the textures without deleting them.
  void abandon();

 private:
  enum View : uint8_t {
    kArenaFloat32,
    kArenaFloat16,
    kArenaInt32,
    kWeightsFloat32,
    kWeightsFloat16,
    kWeightsInt8,
    kViews
  };
  static constexpr std::array<GLuint, kViews> kUnits{kArenaFloat32Unit,   kArenaFloat16Unit,   kArenaInt32Unit,
                                                     kWeightsFloat32Unit, kWeightsFloat16Unit, kWeightsInt8Unit};
  bool bind_all(const GlApi& gl, bool bound) const;  // returns whether there are any

  std::array<GlTexture, kViews> textures_;  // by View; empty if the plan has no such elements
};

}  // namespace sightglass
