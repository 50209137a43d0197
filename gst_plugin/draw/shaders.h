// List of the programs for overlays, for elements to build and tests to check.
#pragma once

#include <cstdint>
#include <vector>

#include "sightglass/shader_source.h"

namespace sightglass {

inline constexpr uint32_t kPictureBinding = 0;  // the uniform block Picture
inline constexpr uint32_t kTextUnit = 0;        // the text atlas of a range of primitives
inline const ProgramKey kOverlayProgram{{"draw/primitive.vert", {}}, {"draw/primitive.frag", {}}};

inline const ProgramKey kMasksProgram{{"gl/fullscreen.vert", {}}, {"draw/masks.frag", {}}};

inline std::vector<ShaderKey> draw_shader_variants() {
  return {kOverlayProgram[0], kOverlayProgram[1], kMasksProgram[1]};
}

}  // namespace sightglass
