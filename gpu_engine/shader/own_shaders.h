// Shaders of the runtime itself, not of operators. No GL.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sightglass/shader_source.h"

namespace sightglass {

// The shader that enables or disables all steps of a run. No GL.

inline ShaderKey gate_shader() { return {"gate.comp", {}}; }
inline constexpr size_t kGateInvocations = 64;  // per work group
// Storage blocks: three work group counts per step, as planned and as dispatched; the flag.
inline constexpr uint32_t kPlannedBlock = 0, kFlagBlock = 1, kGroupsBlock = 2;

// The shader that settles samplers (runtime/session_impl.h). No GL.

inline ShaderKey settle_shader() { return {"settle_samplers.comp", {}}; }
inline constexpr uint32_t kSettledUnit = 1;  // the texture unit whose sampler all slots get

// Shaders that measure the speed of a device. No GL.

// Numbers of independent multiply-add chains per invocation. The best number depends on the registers and latencies of
// the device.
inline constexpr int kMultiplyAddChains[] = {1, 2, 4, 8};

// Invocations per work group of both shaders; multiply-adds per round of a chain; vec4s that an invocation copies.
inline constexpr int kMeasureInvocations = 64, kUnrolled = 8, kCopied = 4;
inline constexpr int kFactorLocation = 0, kRoundsLocation = 1;  // uniforms of multiply_add.comp

inline ShaderKey multiply_add_shader(int chains) {
  return {"measure/multiply_add.comp", {{"CHAINS", std::to_string(chains)}}};
}

inline ShaderKey copy_shader(bool buffer_textures) {
  ShaderKey key{"measure/copy.comp", {}};
  if (buffer_textures) key.defines.push_back({kBufferTextures, "1"});
  return key;
}

inline std::vector<ShaderKey> measure_shader_variants() {
  std::vector<ShaderKey> keys{copy_shader(false), copy_shader(true)};
  for (const int chains : kMultiplyAddChains) keys.push_back(multiply_add_shader(chains));
  return keys;
}

}  // namespace sightglass
