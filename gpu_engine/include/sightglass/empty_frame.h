// A frame without content, to run or draw with before the first frame arrives.
#pragma once

#include <array>
#include <cstdint>

#include "sightglass/frame_ref.h"
#include "sightglass/gl_objects.h"

namespace sightglass {

// Its textures have the formats that GStreamer's have for frames of this kind: llvmpipe compiles a program again for
// other formats, and if a side becomes a power of two or no longer is. An external texture has no image, and is black.
// Create, use, and destroy it with the context of `gl`, which must outlive it.
class EmptyFrame {
 public:
  EmptyFrame(const GlApi& gl, FrameKind kind, int32_t width = 3, int32_t height = 3);

  const FrameRef& ref() const { return ref_; }

 private:
  std::array<GlTexture, 3> textures_;
  FrameRef ref_;
};

}  // namespace sightglass
