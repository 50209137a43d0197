// Shaders that measure the speed of a device. No GL.
#pragma once

#include <string>
#include <vector>

#include "sightglass/shader_source.h"

namespace sightglass {

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
