// The programs of segmentation, in one list: what the element builds is what the tests check.
#pragma once

#include <vector>

#include "gpu_engine/shader_library.h"

namespace sightglass {

inline const ShaderKey kBlurFirstShader{"segment/blur_down.comp", {{"WEIGHTED", "1"}}};
inline const ShaderKey kBlurDownShader{"segment/blur_down.comp", {}};
inline const ShaderKey kBlurGaussShader{"segment/blur_gauss.comp", {}};
inline const ShaderKey kFullscreenShader{"segment/fullscreen.vert", {}};
inline const ShaderKey kCompositeShader{"segment/composite.frag", {}};

inline std::vector<ShaderKey> segment_shader_variants() {
  return {kBlurFirstShader, kBlurDownShader, kBlurGaussShader, kFullscreenShader, kCompositeShader};
}

}  // namespace sightglass
