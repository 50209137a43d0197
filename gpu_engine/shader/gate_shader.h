// The shader that decides whether a run's steps have work groups. No GL.
#pragma once

#include <cstddef>

#include "gpu_engine/shader_source.h"

namespace sightglass {

inline ShaderKey gate_shader() { return {"gate.comp", {}}; }
inline constexpr size_t kGateInvocations = 64;  // of a work group

}  // namespace sightglass
