// List of the programs of detection decoders, for decoders to build and tests to check.
#pragma once

#include <vector>

#include "gpu_engine/shader_source.h"

namespace sightglass {

inline const ShaderKey kBestClassShader{"detect/best_class.comp", {}};
inline const ShaderKey kSuppressShader{"detect/suppress.comp", {}};

inline const ShaderKey kBeginRegionsShader{"detect/begin_regions.comp", {}};
inline const ShaderKey kNewRegionsShader{"detect/new_regions.comp", {}};
inline const ShaderKey kNextRegionShader{"detect/next_region.comp", {}};

inline std::vector<ShaderKey> detect_shader_variants() {
  return {kBestClassShader, kSuppressShader, kBeginRegionsShader, kNewRegionsShader, kNextRegionShader};
}

}  // namespace sightglass
