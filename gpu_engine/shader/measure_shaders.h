// The shaders that measure what a device can do. No GL.
#pragma once

#include <string>
#include <vector>

#include "gpu_engine/shader_source.h"

namespace sightglass {

// How many independent chains of multiply-adds an invocation has: which number is best depends on the device's
// registers and latencies.
inline constexpr int kMultiplyAddChains[] = {1, 2, 4, 8};

// Of a work group of both shaders; multiply-adds in a round of a chain; vec4s that an invocation copies.
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
