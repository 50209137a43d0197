// Texture layouts of camera frames. No GL.
#pragma once

#include <cstdint>

namespace sightglass {

enum class FrameKind : uint8_t {
  kRgba,         // one 2D color texture
  kExternal,     // one external texture (GL_TEXTURE_EXTERNAL_OES), which the driver converts to RGB
  kTwoPlanes,    // 2D textures of Y and, at another size, of Cb and Cr in R and G: NV12; NV21 through its matrix
  kThreePlanes,  // 2D textures of Y, Cb and Cr: I420, YV12
};

inline constexpr FrameKind kFrameKinds[] = {FrameKind::kRgba, FrameKind::kExternal, FrameKind::kTwoPlanes,
                                            FrameKind::kThreePlanes};

constexpr int planes_of(FrameKind kind) {
  return kind == FrameKind::kThreePlanes ? 3 : kind == FrameKind::kTwoPlanes ? 2 : 1;
}

// For messages: "an external texture".
constexpr const char* to_string(FrameKind kind) {
  switch (kind) {
    case FrameKind::kRgba:
      return "a 2D texture";
    case FrameKind::kExternal:
      return "an external texture";
    case FrameKind::kTwoPlanes:
      return "two 2D textures";
    case FrameKind::kThreePlanes:
      return "three 2D textures";
  }
  return "";
}

// Images that one model input can hold, each of which is a part of the frame (InputSpec::parts).
inline constexpr int kMostFrameParts = 16;

// The shader define for a frame of this kind (shaders/lib/frame.glsl); null for kRgba.
constexpr const char* frame_define(FrameKind kind) {
  switch (kind) {
    case FrameKind::kRgba:
      return nullptr;
    case FrameKind::kExternal:
      return "FRAME_EXTERNAL";
    case FrameKind::kTwoPlanes:
      return "FRAME_TWO_PLANES";
    case FrameKind::kThreePlanes:
      return "FRAME_THREE_PLANES";
  }
  return nullptr;
}

}  // namespace sightglass
