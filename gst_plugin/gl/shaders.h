// What programs of several elements have in common, and a list of it for the tests.
#pragma once

#include <vector>

#include "gpu_engine/frame_kind.h"
#include "gpu_engine/shader_source.h"

namespace sightglass {

// The shaders of the elements that run models or export frames. What they include of lib/ is the engine's.
ShaderFiles element_shaders();

// What reads the frame, for frames of one kind.
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
