// Shaders shared by programs of several elements, and a list of them for tests.
#pragma once

#include <vector>

#include "sightglass/frame_kind.h"
#include "sightglass/shader_source.h"

namespace sightglass {

// The shaders of elements that run models or export frames. They include lib/ files of the engine.
ShaderFiles element_shaders();

// The variant of a shader that reads frames of one kind.
inline ShaderKey frame_shader(ShaderKey key, FrameKind kind) {
  if (const char* define = frame_define(kind)) key.defines.push_back({define, "1"});
  return key;
}

inline const ShaderKey kFullscreenShader{"gl/fullscreen.vert", {}};
inline ShaderKey copy_shader(FrameKind kind) { return frame_shader({"gl/copy_frame.frag", {}}, kind); }

inline std::vector<ShaderKey> gl_shader_variants() {
  std::vector<ShaderKey> keys{kFullscreenShader};
  for (const FrameKind kind : kFrameKinds) keys.push_back(copy_shader(kind));
  return keys;
}

}  // namespace sightglass
