// The shader that settles samplers (runtime/settled_samplers.h). No GL.
#pragma once

#include <cstdint>

#include "sightglass/shader_source.h"

namespace sightglass {

inline ShaderKey settle_shader() { return {"settle_samplers.comp", {}}; }
inline constexpr uint32_t kSettledUnit = 1;  // the texture unit whose sampler all slots get

}  // namespace sightglass
