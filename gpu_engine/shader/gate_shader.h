// The shader that enables or disables all steps of a run. No GL.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sightglass/shader_source.h"

namespace sightglass {

inline ShaderKey gate_shader() { return {"gate.comp", {}}; }
inline constexpr size_t kGateInvocations = 64;  // per work group
// Storage blocks: three work group counts per step, as planned and as dispatched; the flag.
inline constexpr uint32_t kPlannedBlock = 0, kFlagBlock = 1, kGroupsBlock = 2;

}  // namespace sightglass
