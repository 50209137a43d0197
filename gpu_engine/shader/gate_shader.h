// The shader that decides whether a run's steps have work groups. No GL.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu_engine/shader_source.h"

namespace sightglass {

inline ShaderKey gate_shader() { return {"gate.comp", {}}; }
inline constexpr size_t kGateInvocations = 64;  // of a work group
// Storage blocks: three numbers of work groups to a step, as planned and as they will be; the flag.
inline constexpr uint32_t kPlannedBlock = 0, kFlagBlock = 1, kGroupsBlock = 2;

}  // namespace sightglass
