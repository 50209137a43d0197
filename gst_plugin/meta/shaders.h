// List of the programs that fill metadata, for elements to build and tests to check.
#pragma once

#include <cstdint>
#include <vector>

#include "sightglass/shader_source.h"

namespace sightglass {

inline constexpr uint32_t kRegionsBinding = 0, kProbabilityUnit = 1;
inline const ShaderKey kWriteMaskShader{"meta/write_mask.frag", {}};

inline std::vector<ShaderKey> meta_shader_variants() { return {kWriteMaskShader}; }

}  // namespace sightglass
