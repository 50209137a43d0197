// List of the programs of gldmabufexport, for the element to build and tests to check.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gl/shaders.h"
#include "sightglass/shader_source.h"

namespace sightglass {

inline constexpr int kColorPlane = 0, kLumaPlane = 1, kChromaPlane = 2;
inline constexpr uint32_t kCodingBinding = 0;
inline ShaderKey store_plane_shader(int plane) {
  return {"dmabuf_export/store_plane.frag", {{"PLANE", std::to_string(plane)}}};
}

inline std::vector<ShaderKey> export_shader_variants() {
  return {store_plane_shader(kColorPlane), store_plane_shader(kLumaPlane), store_plane_shader(kChromaPlane)};
}

}  // namespace sightglass
